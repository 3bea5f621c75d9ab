"""What is tried: other values, sizes, shapes, addresses and contents for a captured dispatch."""
