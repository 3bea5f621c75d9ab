"""Which code of two versions the trials executed, and what of it nobody has seen at work."""
