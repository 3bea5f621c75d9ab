"""Measuring a configuration of the user's program: build, run, check, time. Never a shell."""
