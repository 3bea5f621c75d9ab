"""A kernel in higher precision, made from its source: what the oracle measures errors against."""

from rocm_perf_lab.optimize.reference.make import reference_from_source, reference_of
from rocm_perf_lab.optimize.reference.widen import NotWidened, widened

__all__ = ["NotWidened", "reference_from_source", "reference_of", "widened"]
