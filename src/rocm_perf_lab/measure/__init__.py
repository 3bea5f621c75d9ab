"""Measurements as functions of a request: profile, explain, and interleaved process blocks.
Never reads a command line, prints, or decides whether something became faster."""
