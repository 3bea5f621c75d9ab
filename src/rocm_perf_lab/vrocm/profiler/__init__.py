"""The command rocprofv3 on the virtual device: options, jobs, runs, output files."""
