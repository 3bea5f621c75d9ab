"""Files as such: compressed, foreign, in parts, written beside and renamed. No recordings."""
