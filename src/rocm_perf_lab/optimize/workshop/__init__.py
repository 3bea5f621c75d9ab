"""What a search works with: the private tree, the application in its box, profiles, evidence.
It never decides which change is tried or kept."""
