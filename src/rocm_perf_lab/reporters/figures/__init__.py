"""What was measured and explained, as text for a terminal."""
