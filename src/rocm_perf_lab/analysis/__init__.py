"""Pure functions from a ``Trace`` and hardware facts to answers: no files, no processes."""
