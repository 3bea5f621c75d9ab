"""Both versions side by side: what the values of their loops have to do with each other."""
