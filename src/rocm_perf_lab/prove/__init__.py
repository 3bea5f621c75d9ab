"""Whether a change is faster and its output the same: decisions over samples, memory and files.
Never measures, and never calls a comparison of nothing a success."""
