"""What was recorded: readers of rocprofv3's output, all ending in one columnar ``Trace``."""
