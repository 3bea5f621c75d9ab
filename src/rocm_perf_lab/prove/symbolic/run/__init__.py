"""Running both versions of a kernel on expressions instead of numbers, side by side."""
