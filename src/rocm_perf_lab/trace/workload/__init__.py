"""Dispatches and counters one row each: workload folders of rocprof-compute, files of rocprofv2."""
