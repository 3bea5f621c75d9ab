"""Every verb on the examples, on whatever prefix is there, and what holds of what it said.

Steps are rows of a table, run as a user types them. It opens only its own folder of work, never
measures by itself and never calls a step good for its exit code alone.
"""
