"""Which operators and lines of Python launched a kernel, where the recording tells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Optional

import numpy as np

from rocm_perf_lab.trace.model import UNKNOWN, Trace

MOST_ORIGINS = 3


@dataclass(frozen=True)
class Origin:
    operator: Optional[str]  # "aten::addmm"
    place: Optional[str]  # "model.py(12): forward"
    launches: int
    total_ns: int


def origins_of(trace: Trace, kernels: Collection[str]) -> dict[str, list[Origin]]:
    """For each of these kernels its origins, the one with the most time first."""
    wanted = np.array([kernel.name in kernels for kernel in trace.kernels] + [False])
    table, rows = trace.origins, trace.dispatches
    chosen = np.flatnonzero(wanted[rows.kernel[table.dispatch]])
    launches: Counter[tuple[int, int, int]] = Counter()
    time: Counter[tuple[int, int, int]] = Counter()
    own = np.append(trace.operators.name, np.int32(UNKNOWN))[table.operator[chosen]]
    dispatch = table.dispatch[chosen]
    for kernel, operator, place, length in zip(
        rows.kernel[dispatch].tolist(),
        own.tolist(),
        table.place[chosen].tolist(),
        rows.duration[dispatch].tolist(),
    ):
        launches[kernel, operator, place] += 1
        time[kernel, operator, place] += length
    found: dict[str, list[Origin]] = {}
    for key, total in sorted(time.items(), key=lambda item: (-item[1], item[0])):
        kernel, operator, place = key
        known = found.setdefault(trace.kernels[kernel].name, [])
        if len(known) < MOST_ORIGINS:
            known.append(Origin(_text(trace, operator), _text(trace, place), launches[key], total))
    return found


def origins_in(traces: Sequence[Trace], kernels: Collection[str]) -> dict[str, list[Origin]]:
    """From the first run that knows any: runs of one application have the same."""
    return next((found for trace in traces if (found := origins_of(trace, kernels))), {})


def _text(trace: Trace, index: int) -> Optional[str]:
    return None if index == UNKNOWN else trace.strings[index]
