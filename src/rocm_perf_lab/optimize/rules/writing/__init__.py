"""New text for a piece of a body, as a person would write it in this file.
It never decides whether a change is right: the rule has done that."""
