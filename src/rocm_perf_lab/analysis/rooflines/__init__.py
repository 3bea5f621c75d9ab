"""Work and traffic from counters, against measured or data-sheet ceilings.

No verdicts: a point below a roof says how far, not why."""
