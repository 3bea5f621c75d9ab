"""What can be tuned: parameters with their values, conditions, and files that hold them."""

from rocm_perf_lab.tune.space.parameter import Parameter, Value
from rocm_perf_lab.tune.space.space import Codes, Space

__all__ = ["Codes", "Parameter", "Space", "Value"]
