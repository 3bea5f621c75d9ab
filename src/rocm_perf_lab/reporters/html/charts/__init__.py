"""One chart per file, from the contents of a report to a Bokeh figure."""
