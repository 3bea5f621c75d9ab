"""Profiles over time: one file that keeps them, what changed when, and a gate for CI. It measures
nothing, and never compares different machines."""
