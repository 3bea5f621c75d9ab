"""Values as expressions: each exists once, in a normal form, so that equal means identical."""
