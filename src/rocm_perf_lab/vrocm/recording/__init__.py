"""What the virtual device recorded of an application, as tables of a trace."""
