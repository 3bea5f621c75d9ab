"""Names in a Trace made what they should be: the GPU as its user names it, every kernel its own."""
