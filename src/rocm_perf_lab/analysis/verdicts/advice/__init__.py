"""What to try first, and what it would gain at most: rows of advice, their bounds, the choice."""
