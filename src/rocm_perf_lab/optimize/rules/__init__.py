"""Deterministic transformations, one file each. They read the syntax tree and answer with edits;
they never write a file, and never decide whether a change is kept."""
