"""One verb per file: arguments in, an exit code out."""
