"""The longest chain through that graph: critical path, slack, gaps, and what-ifs.

Nothing here reads a recording or knows why a kernel is slow."""
