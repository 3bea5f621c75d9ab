"""Times of the trace run and counters of the counter passes, matched by what was launched.

A group is all launches of one kernel with one launch shape on one GPU. Passes are runs of their
own, so that the same launch has another time, id and address in each: only kernel, shape and the
position in the run tell which belong together. Counters are per launch, hence one launch and a
hundred of them give the same figures.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Optional

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.trace.model import UNKNOWN, Trace

Rows = npt.NDArray[np.intp]

_SUMMED = "_sum"  # TCC_HIT_sum is TCC_HIT over all instances, which is what the Trace holds


@dataclass(frozen=True)
class LaunchGroup:
    """The launches of one kernel in one shape. ``counters`` are means over counted launches."""

    number: int  # as Grouping.number_of_row names it
    kernel: str
    agent: int  # index into Trace.agents, UNKNOWN when not recorded
    grid: int  # work-items; counter files hold only the product of the three sizes
    block: int
    timed: Rows  # rows of the trace run, in order of their start
    total_ns: int  # of those
    counted: int  # launches with counters, over all passes
    counters: Mapping[str, float]

    @property
    def mean_ns(self) -> Optional[float]:
        return self.total_ns / len(self.timed) if len(self.timed) else None


@dataclass(frozen=True)
class Grouping:
    groups: tuple[LaunchGroup, ...]
    number_of_row: Rows  # of all dispatches, counted ones too
    serialised: bool  # no trace run was recorded: times come from counter passes, too long


def group_launches(trace: Trace) -> Grouping:
    """Every group that has a timed launch, largest total time first."""
    rows = trace.dispatches
    if len(rows) == 0:
        return Grouping((), np.empty(0, dtype=np.intp), False)
    group_of_row, first_rows = _keys(trace)
    is_counting = _counting_rows(trace)
    serialised = bool(is_counting.all())
    timed = np.ones(len(rows), dtype=bool) if serialised else ~is_counting
    means = _mean_counters(trace, group_of_row)
    counted = np.bincount(
        group_of_row[np.unique(trace.counters.dispatch)], minlength=len(first_rows)
    )
    groups = []
    duration = rows.duration
    order = np.lexsort((rows.start, group_of_row))
    order = order[timed[order]]
    ends = np.searchsorted(group_of_row[order], np.arange(len(first_rows)), side="right")
    for index, members in enumerate(np.split(order, ends[:-1])):
        if len(members) == 0:
            continue
        first = int(first_rows[index])
        groups.append(
            LaunchGroup(
                number=index,
                kernel=trace.kernels[int(rows.kernel[first])].name,
                agent=int(rows.agent[members[0]]),
                grid=_product(rows.grid[first].tolist()),
                block=_product(rows.block[first].tolist()),
                timed=members,
                total_ns=int(duration[members].sum()),
                counted=int(counted[index]),
                counters=MappingProxyType(means.get(index, {})),
            )
        )
    groups.sort(key=lambda group: (-group.total_ns, group.kernel, group.grid, group.block))
    return Grouping(tuple(groups), group_of_row, serialised)


def counters_per_launch(groups: Sequence[LaunchGroup]) -> dict[str, float]:
    """Of one kernel over all its shapes; a counter that a shape lacks is not known for it."""
    names = set.intersection(*(set(group.counters) for group in groups))
    launches = sum(len(group.timed) for group in groups)
    return {
        name: sum(group.counters[name] * len(group.timed) for group in groups) / launches
        for name in names
    }


def counter(counters: Mapping[str, float], name: str) -> Optional[float]:
    """A counter summed over its instances, under either of its names; None if not recorded."""
    value = counters.get(f"{name}{_SUMMED}")
    return counters.get(name) if value is None else value


def _keys(trace: Trace) -> tuple[Rows, Rows]:
    """The group number of every dispatch, and the first row of every group."""
    rows = trace.dispatches
    names = {name: i for i, name in enumerate(sorted({kernel.name for kernel in trace.kernels}))}
    name_of_kernel = np.array([names[kernel.name] for kernel in trace.kernels], dtype=np.int64)
    # Each pass has its own agent records: the id is what they have in common.
    agent_ids = np.array([*(agent.id for agent in trace.agents), UNKNOWN], dtype=np.int64)
    group: Rows = name_of_kernel[rows.kernel].astype(np.intp)
    for column in (agent_ids[rows.agent], _products(rows.grid), _products(rows.block)):
        if column.min() == column.max():
            continue
        distinct, position = np.unique(column, return_inverse=True)
        # Renumbered at each step, so that the combined key never outgrows 64 bits.
        _, group = np.unique(group * len(distinct) + position, return_inverse=True)
    _, first, group = np.unique(group, return_index=True, return_inverse=True)
    return group, first


def _products(sizes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    known = (sizes >= 0).all(axis=1)
    return np.where(known, sizes.prod(axis=1), UNKNOWN)


def _product(sizes: list[int]) -> int:
    return math.prod(sizes) if min(sizes) >= 0 else UNKNOWN


def _counting_rows(trace: Trace) -> npt.NDArray[np.bool_]:
    """Dispatches of processes that collected counters, which serialises their kernels."""
    processes = np.unique(trace.dispatches.process[trace.counters.dispatch])
    return np.isin(trace.dispatches.process, processes)


def _mean_counters(trace: Trace, group_of_row: Rows) -> dict[int, dict[str, float]]:
    """Per group, the mean of every counter over the launches that recorded it."""
    table = trace.counters
    means: dict[int, dict[str, float]] = {}
    if len(table) == 0:
        return means
    pair = group_of_row[table.dispatch] * len(trace.strings) + table.name
    pairs, where, counts = np.unique(pair, return_inverse=True, return_counts=True)
    totals = np.bincount(where.reshape(-1), weights=table.value)
    for value, total, count in zip(pairs.tolist(), totals.tolist(), counts.tolist()):
        group, name = divmod(value, len(trace.strings))
        means.setdefault(group, {})[trace.strings[name]] = total / count
    return means
