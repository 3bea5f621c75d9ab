"""rocprofv3's own JSON, read and written."""
