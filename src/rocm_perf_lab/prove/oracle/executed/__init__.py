"""Which code of two versions the trials executed, and what of it no trial covered."""
