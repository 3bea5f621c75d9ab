"""What this machine has: prefix, profiler, GPUs, compilers. It changes nothing."""
