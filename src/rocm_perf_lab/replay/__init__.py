"""One dispatch, taken out of an application and run again alone, at its own addresses."""
