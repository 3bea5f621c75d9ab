"""What coding agents use: the verbs as tools of the Model Context Protocol. It computes nothing of
its own, and opens nothing outside of the folders it was given."""
