"""How precisely results are known, and what rounding alone may change."""
