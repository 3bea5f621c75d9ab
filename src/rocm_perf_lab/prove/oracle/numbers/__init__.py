"""Elements of buffers as numbers: types, other values, how far they may be off. Pure."""
