"""The critical path of a run, and which of several runs is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.analysis.path.critical_path import CriticalPath, critical_paths
from rocm_perf_lab.analysis.path.timed import counting_processes
from rocm_perf_lab.trace.model import Trace


@dataclass(frozen=True)
class RunPath:
    """The run that is shown, and the paths of its processes, the longest span first."""

    run: int  # from 0
    runs: int
    paths: tuple[CriticalPath, ...]

    @property
    def path(self) -> CriticalPath:
        return self.paths[0]


def path_of_runs(traces: Sequence[Trace]) -> Optional[RunPath]:
    """Of the run with the (lower) median span; None when only counter passes were recorded."""
    spans = [
        (span, run) for run, trace in enumerate(traces) if (span := span_of(trace)) is not None
    ]
    if not spans:
        return None
    _, run = sorted(spans)[(len(spans) - 1) // 2]
    return RunPath(run, len(traces), critical_paths(traces[run]))


def span_of(trace: Trace) -> Optional[int]:
    """First start to last end of the process for which that is longest: the critical path with its
    waits."""
    spans = []
    for process in set(range(len(trace.processes))) - counting_processes(trace):
        tables = [
            (table.start[own], table.end[own])
            for table in (trace.dispatches, trace.copies)
            if (own := table.process == process).any()
        ]
        if tables:
            first = min(int(start.min()) for start, _ in tables)
            spans.append(max(int(end.max()) for _, end in tables) - first)
    return max(spans, default=None)
