"""What single waves did, cycle by cycle: waits, occupancy over time, and whose trace it is.

Decoding trace files is trace/thread_trace."""
