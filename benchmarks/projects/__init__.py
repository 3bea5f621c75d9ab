"""Programs of others, drawn by lot, built and run on the virtual ROCm."""
