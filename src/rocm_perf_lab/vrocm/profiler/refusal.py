"""Counters that do not fit into the hardware: the application is aborted, as with rocprofv3.

The runtime aborts it at the first dispatch that should be counted: see counter_refusal.h in
native/vgpu/hip. It knows kernels by their full or mangled name and nothing of times of collection;
where the selection depends on more than that, the verdict falls when the application has ended.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Optional

from rocm_perf_lab.vrocm.counters.request import Filters
from rocm_perf_lab.vrocm.profiler.application import Ending
from rocm_perf_lab.vrocm.recording.kernel_names import Naming
from rocm_perf_lab.vrocm.recording.records import ProcessRecords
from rocm_perf_lab.vrocm.recording.trace import Selection, build_trace

COUNTERS_VARIABLE = "VROCM_COUNTERS"
_MESSAGE, _INCLUDE, _EXCLUDE, _ITERATIONS, _NAMES = REFUSAL_VARIABLES = (
    "VROCM_COUNTERS_REFUSED",
    "VROCM_COUNTERS_INCLUDE",
    "VROCM_COUNTERS_EXCLUDE",
    "VROCM_COUNTERS_ITERATIONS",
    "VROCM_COUNTERS_NAMES",
)


@dataclass(frozen=True)
class Refusal:
    """Why, and for which dispatches."""

    cause: str
    notes: tuple[str, ...]
    selection: Selection
    filters: Filters

    @property
    def message(self) -> str:
        lines = [f"[rocprofv3] Fatal error: {self.cause}", *(f"  {note}" for note in self.notes)]
        return "\n".join(
            [*lines, "  next: ask for less in one pass; rocprofv3-avail pmc-check ..."]
        )

    @property
    def selection_without_counters(self) -> Selection:
        return replace(self.selection, counters=None)

    def environment(self) -> dict[str, str]:
        """What makes the runtime abort; nothing when only the end can tell."""
        naming, filters = self.selection.naming, self.filters
        by_name = bool(filters.include or filters.exclude)
        if self.selection.times.needs_calls or (by_name and naming is Naming.TRUNCATED):
            return {}
        parts = (f"{part.start}-{part.stop - 1}" for part in filters.iterations)
        return {
            _MESSAGE: self.message,
            _INCLUDE: filters.include,
            _EXCLUDE: filters.exclude,
            _ITERATIONS: ",".join(parts),
            _NAMES: naming.value,
        }

    def ending(self, ending: Ending, processes: Sequence[ProcessRecords]) -> Ending:
        """How the application ends, when it reached a dispatch that should be counted."""
        counted_only = replace(self.selection, domains=frozenset())
        if not any(build_trace(p, counted_only, "").dispatches for p in processes):
            return ending
        print(self.message, file=sys.stderr, flush=True)
        return Ending(0, signal.SIGABRT)


def counter_refusal(selection: Selection, gpus: int) -> Optional[Refusal]:
    """None when all counters fit, or none are asked for."""
    request = selection.counters
    cause = request.refusal(gpus) if request is not None else None
    if request is None or cause is None:
        return None
    return Refusal(cause, tuple(request.excess_notes(gpus)), selection, request.filters)
