"""Other programs that do the same work, run beside ours in the same benchmark."""
