"""Two versions of an application: which kernels became faster or slower, and the whole of it.
Never calls a difference a change without a test, and never judges across machines."""
