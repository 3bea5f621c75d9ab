"""The configurations of a Triton kernel: read from the program, chosen in it, and written back.
Never imports Triton: the program does, in a process of its own."""
