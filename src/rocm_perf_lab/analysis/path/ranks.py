"""Ranks of a distributed application compared: who comes last in collectives, and who waits.

A collective ends on all GPUs at about the same time, when the last of them has brought its part.
So the rank in which it is shortest came last, and what it takes longer elsewhere is waiting. That
needs no common clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Optional

import numpy as np
from msgspec import Struct

from rocm_perf_lab.analysis.kernels.collectives import is_collective
from rocm_perf_lab.analysis.path.timed import counting_processes
from rocm_perf_lab.trace.model import IntColumn, Trace


class RankWaits(Struct, frozen=True):
    """Of one process in the collectives that all processes have in common."""

    waited_ns: int  # for ranks that came later
    came_last: int  # in so many collectives


class Ranks(Struct, frozen=True):
    collectives: int  # that were compared
    left_out: int  # of the rank with the most: other ranks did not record them
    of_process: Mapping[int, RankWaits]

    @property
    def straggler(self) -> Optional[int]:
        """The process that the others wait for most: it came last most often."""
        ranked = sorted(self.of_process, key=self._lateness)
        first, second = (self.of_process[process] for process in ranked[:2])
        return ranked[0] if first.came_last > second.came_last else None

    def others_wait_ns(self, process: int) -> int:
        """The mean of the other ranks."""
        others = [w.waited_ns for p, w in self.of_process.items() if p != process]
        return sum(others) // len(others)

    def _lateness(self, process: int) -> tuple[int, int]:
        waits = self.of_process[process]
        return (-waits.came_last, waits.waited_ns)


def compare_ranks(trace: Trace) -> Optional[Ranks]:
    """None without two processes that ran the same collectives."""
    processes = sorted(set(range(len(trace.processes))) - counting_processes(trace))
    took = {process: _collectives(trace, process) for process in processes}
    took = {process: by_name for process, by_name in took.items() if by_name}
    names = set.intersection(*(set(by_name) for by_name in took.values())) if took else set()
    if len(took) < 2 or not names:
        return None
    common = {name: min(len(by_name[name]) for by_name in took.values()) for name in names}
    columns = [
        np.concatenate([by_name[name][: common[name]] for name in sorted(names)])
        for by_name in took.values()
    ]
    table = np.stack(columns)  # one row per process, one column per collective
    last = np.bincount(table.argmin(axis=0), minlength=len(took))
    waited = (table - table.min(axis=0)).sum(axis=1)
    most = max(sum(map(len, by_name.values())) for by_name in took.values())
    return Ranks(
        collectives=table.shape[1],
        left_out=most - table.shape[1],
        of_process={
            process: RankWaits(int(waited[row]), int(last[row])) for row, process in enumerate(took)
        },
    )


def _collectives(trace: Trace, process: int) -> dict[str, IntColumn]:
    """The durations of each collective kernel, in the order in which they began."""
    rows = trace.dispatches
    meant = np.array([is_collective(kernel.name) for kernel in trace.kernels] + [False])
    own = np.flatnonzero((rows.process == process) & meant[rows.kernel])
    own = own[np.argsort(rows.start[own], kind="stable")]
    names = np.array([kernel.name for kernel in trace.kernels], dtype=object)[rows.kernel[own]]
    duration = rows.duration[own]
    return {name: duration[names == name] for name in dict.fromkeys(names.tolist())}
