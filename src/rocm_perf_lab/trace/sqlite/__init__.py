"""Columns of an SQLite table as arrays, read from the pages where that is safe. No meaning."""
