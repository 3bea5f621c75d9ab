"""Running a kernel on expressions instead of numbers."""
