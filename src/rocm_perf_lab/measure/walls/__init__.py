"""The ladder of walls of a kernel: what runs again, with which mechanisms free, and for how long.

Never decides what to free next (``analysis.diagnosis``), and never takes a GPU's times.
"""
