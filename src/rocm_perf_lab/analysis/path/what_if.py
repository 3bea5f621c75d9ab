"""What the end-to-end time would be if kernels took another time: the graph runs again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Optional

import numpy as np

from rocm_perf_lab.analysis.path.schedule import Schedule
from rocm_perf_lab.errors import UsageError


@dataclass(frozen=True)
class Scenario:
    """A question: kernels whose name matches become so many times faster."""

    text: str  # as it was asked
    pattern: re.Pattern[str]
    factor: float


def parse_scenario(text: str) -> Scenario:
    """Of ``REGEX=FACTOR``, as the option --what-if takes it."""
    pattern, equals, number = text.rpartition("=")
    example = "write it as --what-if 'gemm=2'"
    if not equals or not pattern:
        raise UsageError(f"--what-if '{text}' names no kernel and factor", example)
    try:
        factor = float(number)
    except ValueError:
        raise UsageError(f"--what-if '{text}': '{number}' is not a number", example) from None
    if not 0 < factor < float("inf"):
        raise UsageError(f"--what-if '{text}': no kernel gets {number} times faster", example)
    try:
        return Scenario(text, re.compile(pattern), factor)
    except re.error as error:
        raise UsageError(
            f"--what-if '{text}': '{pattern}' is not a regular expression: {error}", example
        ) from error


@dataclass(frozen=True)
class WhatIf:
    factors: Mapping[str, float]  # kernel name: how many times faster
    before_ns: int
    after_ns: int

    @property
    def speedup(self) -> Optional[float]:
        """None when nothing is left."""
        return self.before_ns / self.after_ns if self.after_ns else None


def what_if(schedule: Schedule, factors: Mapping[str, float]) -> WhatIf:
    """The effect of making every dispatch of these kernels so many times faster."""
    for factor in factors.values():
        if not factor > 0:
            raise ValueError(f"a kernel cannot become {factor} times faster")
    dag = schedule.dag
    faster = np.array([factors.get(k.name, 1.0) for k in dag.trace.kernels] + [1.0])
    chosen = np.flatnonzero((faster != 1.0)[dag.kernel])
    duration = dag.duration
    shorter = np.rint(duration[chosen] / faster[dag.kernel[chosen]])
    duration[chosen] = shorter.astype(np.int64)
    return WhatIf(factors, dag.span_ns, schedule.span_with(duration))
