"""Rules about how a loop goes through its iterations: fewer tests and instructions, early loads.
They never give an iteration to another thread."""
