"""A report as files for other programs: a table, a comment, a trace, a picture."""
