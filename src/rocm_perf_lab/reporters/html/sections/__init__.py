"""One section of the page per file: what the templates show, already in words."""
