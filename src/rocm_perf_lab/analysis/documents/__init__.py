"""From results to the documents that people and programs read as JSON.

Nothing is computed here that a document does not show."""
