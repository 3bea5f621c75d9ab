"""Hardware counters by name: definitions, expressions, limits, and what was asked for."""
