"""Which dispatches have a duration that means something.

Collecting hardware counters serialises kernels and slows them down, so the dispatches of a
counter pass say how much was done, not how long it takes.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from rocm_perf_lab.trace.model import TimeBounds, Trace

ONLY_COUNTER_PASSES = (
    "all durations come from counter passes, which serialise kernels and slow them down: "
    "record a kernel trace for times"
)


def counting_processes(trace: Trace) -> frozenset[int]:
    """Indexes of the processes that collected counters."""
    return frozenset(np.unique(trace.dispatches.process[trace.counters.dispatch]).tolist())


def timed_trace(trace: Trace) -> Trace:
    """The trace without the dispatches of processes that collected counters.

    Where nothing else was recorded they stay, with a warning.
    """
    if len(trace.counters) == 0:
        return trace
    rows = trace.dispatches
    keep = ~np.isin(rows.process, sorted(counting_processes(trace)))
    if not keep.any():
        return replace(trace, warnings=(*trace.warnings, ONLY_COUNTER_PASSES))
    columns = {
        name: getattr(rows, name)[keep]
        for name in rows.__struct_fields__
        if len(getattr(rows, name)) == len(rows)
    }
    return replace(
        trace,
        dispatches=replace(rows, **columns),
        bounds=_of_kept(trace.bounds, keep),
    )


def _of_kept(bounds: TimeBounds, keep: npt.NDArray[np.bool_]) -> TimeBounds:
    new_row = np.cumsum(keep, dtype=np.int32) - 1
    stays = keep[bounds.dispatch]
    return TimeBounds(new_row[bounds.dispatch[stays]], bounds.name[stays], bounds.simulated[stays])
