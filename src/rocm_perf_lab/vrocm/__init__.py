"""The virtual ROCm: its prefix, and the front ends that live in it."""
