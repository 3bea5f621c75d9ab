"""On PYTHONPATH of a measured program, so that Python starts ``sitecustomize`` in it."""
