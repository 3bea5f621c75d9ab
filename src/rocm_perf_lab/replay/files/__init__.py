"""How memory is kept in files: holes, hashes by pieces, compression."""
