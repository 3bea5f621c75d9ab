"""The steady part of a run: launches that repeat. What comes before it is set-up, such as data that
is uploaded once, and weighs less the longer the application runs."""

from __future__ import annotations

from collections import Counter
from typing import Optional

import numpy as np
from msgspec import Struct

from rocm_perf_lab.analysis.path.timed import counting_processes
from rocm_perf_lab.trace.model import IndexColumn, Trace

LEAST_REPEATS = 4
_MOSTLY = 0.5  # of the time of all kernels repeats, or it is no steady part of the run
_PERIODS = 16  # so many of the commonest distances between equal launches are tried
_MOST_LAUNCHES = 1 << 20  # a run of more is long enough to be steady as a whole


class Steady(Struct, frozen=True):
    """Launches in the order of their start, from 0."""

    first: int
    last: int
    period: int  # launches in a repetition

    @property
    def repeats(self) -> int:
        return (self.last - self.first + 1) // self.period


def steady_part(trace: Trace) -> Optional[Steady]:
    """None where nothing repeats often enough, or several processes ran."""
    rows = trace.dispatches
    timed = set(np.unique(rows.process).tolist()) - counting_processes(trace)
    if len(timed) != 1 or not LEAST_REPEATS <= len(rows) <= _MOST_LAUNCHES:
        return None
    own = np.flatnonzero(rows.process == timed.pop())
    own = own[np.argsort(rows.start[own], kind="stable")]
    kernels, took = rows.kernel[own], rows.duration[own]
    found = [_repeated(kernels, period) for period in _periods(kernels)]
    best = max(found, key=lambda one: (one.last - one.first, -one.period), default=None)
    if best is None or best.repeats < LEAST_REPEATS:
        return None
    time = int(took[best.first : best.last + 1].sum())
    return best if time >= _MOSTLY * int(took.sum()) else None


def _periods(kernels: IndexColumn) -> list[int]:
    """Distances between a launch and the next of the same kernel, the commonest first: of a
    repetition the kernel that is launched once has the right one."""
    distances: Counter[int] = Counter()
    for kernel in np.unique(kernels).tolist():
        places = np.flatnonzero(kernels == kernel)
        values, count = np.unique(np.diff(places), return_counts=True)
        distances.update(dict(zip(values.tolist(), (values * count).tolist())))
    return [period for period, _ in distances.most_common(_PERIODS)]


def _repeated(kernels: IndexColumn, period: int) -> Steady:
    """The longest stretch in which each launch is that of one period before."""
    same = np.concatenate([[0], (kernels[period:] == kernels[:-period]).astype(np.int8), [0]])
    edges = np.flatnonzero(np.diff(same))
    if not len(edges):
        return Steady(0, -1, period)
    begin, end = edges[::2], edges[1::2]
    longest = int(np.argmax(end - begin))
    first = int(begin[longest])
    repeats = (int(end[longest]) - first + period) // period
    return Steady(first, first + repeats * period - 1, period)
