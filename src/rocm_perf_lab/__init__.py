"""rocm-perf-lab: measure, explain, change and prove the performance of HIP applications."""

__version__ = "0.1.0"  # the only place: the package's metadata is made from it
