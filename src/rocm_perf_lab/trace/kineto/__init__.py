"""Reader of PyTorch profiler traces: Kineto's Chrome-trace JSON, as ROCm builds write it."""
