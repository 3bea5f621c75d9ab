"""rocm-perf-lab: measure, explain, change and prove the performance of HIP applications."""

__version__: str


def __getattr__(name: str) -> str:
    """The version is looked up when somebody asks: that takes longer than all that a supervisor or
    a front end imports besides."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("rocm-perf-lab")
    except PackageNotFoundError:  # a source tree on PYTHONPATH that was never installed
        return "0+source"
