"""The one way from a proposal to accepted code: every stage in its order, and an answer to all.
It never makes a proposal, and never writes a file of the user."""
