"""Puts this folder on the path, so that the folders below it share its support files."""
