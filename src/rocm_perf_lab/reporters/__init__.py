"""One output per file: terminal, JSON."""
