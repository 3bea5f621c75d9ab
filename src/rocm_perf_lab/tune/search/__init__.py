"""Which configuration to measure next, from those that were measured. Runs nothing itself."""
