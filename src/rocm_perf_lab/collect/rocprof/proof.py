"""The proof that a run recorded what it was asked for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rocm_perf_lab.trace.model import UNKNOWN, IndexColumn, Trace


def missing_traces(trace: Trace, wanted: frozenset[str]) -> tuple[str, ...]:
    """What was traced besides kernels and did not happen. An application may well not do it."""
    seen = _names(trace, trace.api_calls.category)
    calls = _names(trace, trace.api_calls.name)
    never_copied = bool(calls) and not any(name.startswith("hipMemcpy") for name in calls)
    absent = {
        "hip": not any(category.startswith("HIP") for category in seen),
        "hsa": not any(category.startswith("HSA") for category in seen),
        "memory-copy": not trace.copies and not never_copied,
        "memory-allocation": not trace.allocations,
        "marker": not trace.markers,
    }
    return tuple(f"no {name} recorded" for name in absent if name in wanted and absent[name])


def missing_counters(trace: Trace, wanted: Sequence[str]) -> tuple[str, ...]:
    """rocprofv3 only warns about a counter that the GPU does not have, and counts the rest."""
    seen = _names(trace, trace.counters.name)
    return tuple(f"counter {name} was not recorded" for name in wanted if name not in seen)


def _names(trace: Trace, column: IndexColumn) -> set[str]:
    return {trace.strings[index] for index in np.unique(column) if index != UNKNOWN}
