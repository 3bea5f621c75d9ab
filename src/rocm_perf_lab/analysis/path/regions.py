"""Ranges that the application marked (ROCTx, annotations of PyTorch), and what they launched.

Ranges whose names differ in numbers only, such as steps, are one: ``step 12`` is ``step *``, which
is also how a part of a run is chosen.
"""

from __future__ import annotations

import re

import numpy as np
from msgspec import Struct

from rocm_perf_lab.analysis.path.timeline import busy_ns, launch_calls
from rocm_perf_lab.trace.model import IntColumn, Trace

_NUMBER = re.compile(r"\d+")
MOST = 8


class Region(Struct, frozen=True):
    name: str
    ranges: int
    host_ns: int  # from begin to end of the ranges, on the host
    kernels: int  # launched in them
    busy_ns: int  # at least one of those ran


def regions(trace: Trace, most: int = MOST) -> tuple[Region, ...]:
    """Those whose kernels keep the GPU busy longest first."""
    markers = trace.markers
    if not len(markers):
        return ()
    called = launch_calls(trace)
    time = trace.dispatches.start if called is None else called
    names = [_NUMBER.sub("*", text) for text in trace.strings]
    alike = {index: names[index] for index in np.unique(markers.message).tolist()}
    rows: dict[str, list[int]] = {}
    for row, message in enumerate(markers.message.tolist()):
        rows.setdefault(alike[message], []).append(row)
    found = [_region(trace, name, np.array(own), time) for name, own in rows.items()]
    ranked = sorted(found, key=lambda one: (-one.busy_ns, -one.host_ns, one.name))
    return tuple(ranked[:most])


def _region(trace: Trace, name: str, rows: IntColumn, time: IntColumn) -> Region:
    dispatches, markers = trace.dispatches, trace.markers
    begin, end = markers.start[rows], markers.end[rows]
    inside = np.zeros(len(dispatches), dtype=bool)
    for process in np.unique(markers.process[rows]).tolist():
        own = markers.process[rows] == process
        order = np.argsort(begin[own], kind="stable")
        first, reach = begin[own][order], np.maximum.accumulate(end[own][order])
        slot = np.searchsorted(first, time, side="right") - 1
        within = (slot >= 0) & (time <= reach[slot]) & (dispatches.process == process)
        inside |= within
    return Region(
        name=name,
        ranges=len(rows),
        host_ns=int((end - begin).sum()),
        kernels=int(np.count_nonzero(inside)),
        busy_ns=busy_ns(dispatches.start[inside], dispatches.end[inside]),
    )
