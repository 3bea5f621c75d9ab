"""rocm-perf-lab: measure, explain, change and prove the performance of HIP applications."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("rocm-perf-lab")
except PackageNotFoundError:  # a source tree on PYTHONPATH that was never installed
    __version__ = "0+source"
