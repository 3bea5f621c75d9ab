"""Figures about the code of one kernel."""
