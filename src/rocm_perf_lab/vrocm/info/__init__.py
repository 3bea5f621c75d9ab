"""What the virtual device says of itself on a command line. Starts nothing."""
