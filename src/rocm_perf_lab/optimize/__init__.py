"""Changing kernels: the source model, the guards that a change has to pass, and the box that it
runs in. Nothing here writes the user's files."""
