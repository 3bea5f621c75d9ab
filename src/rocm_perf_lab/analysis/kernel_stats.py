"""Per-kernel statistics of a run: one group per kernel name, in one vectorised pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.trace.model import Dispatches, IntColumn, Kernel, Trace

# Random odd multipliers that mix the launch shape into one 64-bit word per dispatch.
_SHAPE_MIX = np.array(
    [
        0x9E3779B97F4A7C15,
        0xC2B2AE3D27D4EB4F,
        0x165667B19E3779F9,
        0xD6E8FEB86659FD93,
        0xA0761D6478BD642F,
        0xE7037ED1A0B428DB,
        0x8EBC6AF09C88C6E3,
        0x589965CC75374CC3,
    ],
    dtype=np.uint64,
)


@dataclass(frozen=True)
class KernelStats:
    """All dispatches of one kernel name in one run."""

    name: str
    kernel: Kernel  # the symbol behind the representative dispatch
    dispatches: int
    total_ns: int
    min_ns: int
    median_ns: float
    mean_ns: float
    max_ns: int
    cv: Optional[float]  # over dispatches of this run; None for a single one
    share: float  # of the time of all kernels in the run
    representative: int  # row of a dispatch with the most frequent launch shape
    shapes: int  # how many different launch shapes occurred


def kernel_statistics(trace: Trace) -> tuple[KernelStats, ...]:
    """Groups by kernel name, largest total time first; equal totals in order of the name."""
    rows = trace.dispatches
    if len(rows) == 0:
        return ()
    group_names, group_of_kernel = _groups_by_name(trace.kernels)
    group = group_of_kernel[rows.kernel]
    order, durations = _sort_by_group_and_duration(group, rows.duration)
    counts = np.bincount(group, minlength=len(group_names))
    total = int(rows.duration.sum())
    shape_words = _shape_words(rows)
    stats = []
    first = 0
    for index, count in enumerate(counts.tolist()):
        if count == 0:
            continue
        chosen = slice(first, first + count)
        first += count
        shapes, row = _most_frequent_shape(shape_words[order[chosen]], order[chosen])
        stats.append(_summarise(trace, group_names[index], durations[chosen], total, shapes, row))
    return tuple(sorted(stats, key=lambda s: (-s.total_ns, s.name)))


def _groups_by_name(kernels: tuple[Kernel, ...]) -> tuple[list[str], npt.NDArray[np.int64]]:
    names = sorted({kernel.name for kernel in kernels})
    index = {name: i for i, name in enumerate(names)}
    return names, np.array([index[kernel.name] for kernel in kernels], dtype=np.int64)


def _sort_by_group_and_duration(
    group: npt.NDArray[np.int64], duration: IntColumn
) -> tuple[npt.NDArray[np.intp], IntColumn]:
    """The order that puts groups together and, inside each, durations in ascending order."""
    longest = int(duration.max())
    if longest < 2**62 // (int(group.max()) + 1):
        order = np.argsort(group * (longest + 1) + duration)
    else:  # the combined key would not fit into 64 bits
        order = np.lexsort((duration, group))
    return order, duration[order]


def _shape_words(rows: Dispatches) -> npt.NDArray[np.uint64]:
    columns = [*rows.grid.T, *rows.block.T, rows.lds, rows.kernel.astype(np.int64)]
    words = np.zeros(len(rows), dtype=np.uint64)
    for column, factor in zip(columns, _SHAPE_MIX):
        words = (words ^ column.astype(np.uint64)) * factor
    return words


def _most_frequent_shape(
    words: npt.NDArray[np.uint64], rows: npt.NDArray[np.intp]
) -> tuple[int, int]:
    if words.min() == words.max():
        return 1, int(rows.min())
    distinct, counts = np.unique(words, return_counts=True)
    winners = distinct[counts == counts.max()]
    return len(distinct), int(rows[np.isin(words, winners)].min())


def _summarise(
    trace: Trace, name: str, durations: IntColumn, total: int, shapes: int, row: int
) -> KernelStats:
    kernel = trace.kernels[int(trace.dispatches.kernel[row])]
    own = int(durations.sum())
    mean = own / len(durations)
    return KernelStats(
        name=name,
        kernel=kernel,
        dispatches=len(durations),
        total_ns=own,
        min_ns=int(durations[0]),
        median_ns=float(np.median(durations)),
        mean_ns=mean,
        max_ns=int(durations[-1]),
        cv=float(durations.std(ddof=1) / mean) if len(durations) > 1 and mean > 0 else None,
        share=own / total if total else 0.0,
        representative=row,
        shapes=shapes,
    )
