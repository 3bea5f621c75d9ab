"""Running an application under a ROCm prefix's profiler, and finding that prefix."""
