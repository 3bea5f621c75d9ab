"""CSV files of rocprofv3 and of older profilers: their dialects, reading, and writing."""
