"""Per-kernel statistics of a run: one group per kernel name, in one vectorised pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

import numpy as np
import numpy.typing as npt
from msgspec import Struct

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


class KernelStats(Struct, frozen=True):
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
    present = np.flatnonzero(counts)
    columns = _Columns(durations, counts[present])
    representative, shapes = _shapes(_shape_words(rows)[order], order, columns)
    stats = columns.statistics(
        [group_names[index] for index in present.tolist()],
        [trace.kernels[kernel] for kernel in rows.kernel[representative].tolist()],
        representative.tolist(),
        shapes.tolist(),
    )
    return tuple(sorted(stats, key=lambda s: (-s.total_ns, s.name)))


def _groups_by_name(kernels: tuple[Kernel, ...]) -> tuple[list[str], npt.NDArray[np.int64]]:
    names = sorted({kernel.name for kernel in kernels})
    index = {name: i for i, name in enumerate(names)}
    return names, np.array([index[kernel.name] for kernel in kernels], dtype=np.int64)


def _sort_by_group_and_duration(
    group: npt.NDArray[np.int64], duration: IntColumn
) -> tuple[npt.NDArray[np.intp], IntColumn]:
    """The order that puts groups together and, inside each, durations in ascending order."""
    longest, bits = int(duration.max()), len(group).bit_length()
    if (longest + 1) * (int(group.max()) + 1) >> (62 - bits):
        order = np.lexsort((duration, group))
    else:  # with its row in the lowest bits of each number, numbers are sorted instead of rows
        packed = group * (longest + 1)
        packed += duration
        packed <<= bits
        packed |= np.arange(len(packed))
        packed.sort()
        packed &= (1 << bits) - 1
        order = packed.astype(np.intp, copy=False)
    return order, duration[order]


def _shape_words(rows: Dispatches) -> npt.NDArray[np.uint64]:
    columns = [*rows.grid.T, *rows.block.T, rows.lds, rows.kernel.astype(np.int64)]
    words = np.zeros(len(rows), dtype=np.uint64)
    for column, factor in zip(columns, _SHAPE_MIX):
        words ^= column.view(np.uint64)
        words *= factor
    return words


def _shapes(
    words: npt.NDArray[np.uint64], rows: npt.NDArray[np.intp], columns: _Columns
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int64]]:
    """For each group a row with its most frequent launch shape, and how many shapes it has."""
    first = columns.first
    row = np.minimum.reduceat(rows, first)
    shapes = np.ones(len(first), dtype=np.int64)
    several = np.minimum.reduceat(words, first) != np.maximum.reduceat(words, first)
    for index in np.flatnonzero(several).tolist():
        own = slice(first[index], first[index] + columns.count[index])
        shapes[index], row[index] = _most_frequent_shape(words[own], rows[own])
    return row, shapes


def _most_frequent_shape(
    words: npt.NDArray[np.uint64], rows: npt.NDArray[np.intp]
) -> tuple[int, int]:
    distinct, counts = np.unique(words, return_counts=True)
    winners = distinct[counts == counts.max()]
    return len(distinct), int(rows[np.isin(words, winners)].min())


class _Columns:
    """Durations of all groups, one group after the other and ascending inside each."""

    def __init__(self, durations: IntColumn, count: IntColumn) -> None:
        self.count = count
        self.first = np.concatenate([[0], np.cumsum(count)[:-1]])
        self._durations = durations

    def statistics(
        self,
        names: Sequence[str],
        kernels: Sequence[Kernel],
        representative: Sequence[int],
        shapes: Sequence[int],
    ) -> list[KernelStats]:
        durations, first, count = self._durations, self.first, self.count
        total = np.add.reduceat(durations, first)
        low, high = durations[first + (count - 1) // 2], durations[first + count // 2]
        columns = zip(
            names,
            kernels,
            count.tolist(),
            total.tolist(),
            durations[first].tolist(),
            (low / 2 + high / 2).tolist(),
            (total / count).tolist(),
            durations[first + count - 1].tolist(),
            self._variation(total),
            (total / max(int(total.sum()), 1)).tolist(),
            representative,
            shapes,
        )
        return [KernelStats(*row) for row in columns]

    def _variation(self, total: IntColumn) -> list[Optional[float]]:
        """The coefficient of variation; None for a single dispatch or no time at all."""
        mean = total / self.count
        square = np.repeat(mean, self.count)
        np.subtract(self._durations, square, out=square)
        square *= square
        spread = np.add.reduceat(square, self.first)
        known = (self.count > 1) & (mean > 0)
        cv = np.sqrt(spread / np.maximum(self.count - 1, 1)) / np.where(known, mean, 1.0)
        return [value if use else None for value, use in zip(cv.tolist(), known.tolist())]
