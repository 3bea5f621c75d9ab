"""A report as one page that needs no network: charts by Bokeh, text by Jinja, both inline."""
