"""How the gfx942 encoding tables are read out of llvm-mc: one module per kind of format."""
