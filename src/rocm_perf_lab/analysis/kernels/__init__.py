"""Figures of one kernel over its launches: statistics, stability, occupancy, groups of launches.

Nothing here compares two kernels or two programs."""
