"""Pure functions from a ``Trace`` and hardware facts to answers. No files, processes or printing."""
