"""What a report is made of: whatever was named, sorted by what it is and read. Draws nothing."""
