"""Single launches below the ceilings: which launches of a kernel are slow, and did more work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.analysis.kernels.launch_groups import Grouping
from rocm_perf_lab.analysis.rooflines.roofline import Counting, KernelRoofline, roofline_point
from rocm_perf_lab.analysis.rooflines.roofs import Roofs
from rocm_perf_lab.trace.model import Trace


@dataclass(frozen=True)
class CountedLaunch:
    """One timed launch with the counters of the launches at its position in the passes."""

    row: int  # of Trace.dispatches
    iteration: int  # from 0, among the launches of its kernel and shape in its process
    duration_ns: int
    kernel: str
    counters: Mapping[str, float]


def counted_launches(trace: Trace, grouping: Grouping) -> tuple[CountedLaunch, ...]:
    """Every timed launch that has counters: kernels by total time, launches by start."""
    iteration = _iterations(trace, grouping.number_of_row)
    table = trace.counters
    found: dict[tuple[int, int], dict[str, float]] = {}
    keys = zip(grouping.number_of_row[table.dispatch].tolist(), iteration[table.dispatch].tolist())
    for key, name, value in zip(keys, table.name.tolist(), table.value.tolist()):
        found.setdefault(key, {}).setdefault(trace.strings[name], value)
    duration = trace.dispatches.duration
    return tuple(
        CountedLaunch(row, int(iteration[row]), int(duration[row]), group.kernel, found[key])
        for group in grouping.groups
        for row in group.timed.tolist()
        if (key := (group.number, int(iteration[row]))) in found
    )


def launch_rooflines(
    trace: Trace, grouping: Grouping, target: Counting, roofs: Roofs
) -> tuple[tuple[CountedLaunch, KernelRoofline], ...]:
    return tuple(
        (
            launch,
            roofline_point(
                launch.kernel,
                launch.counters,
                launch.duration_ns,
                target,
                roofs,
                serialised=grouping.serialised,
            ),
        )
        for launch in counted_launches(trace, grouping)
    )


def _iterations(trace: Trace, number_of_row: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """The position of each launch among those of its group in its process, by start."""
    rows = trace.dispatches
    order = np.lexsort((rows.start, rows.process, number_of_row))
    position = np.arange(len(order))
    group, process = number_of_row[order], rows.process[order]
    begins = np.ones(len(order), dtype=bool)
    begins[1:] = (group[1:] != group[:-1]) | (process[1:] != process[:-1])
    first = np.maximum.accumulate(np.where(begins, position, 0))
    iteration = np.empty(len(order), dtype=np.intp)
    iteration[order] = position - first
    return iteration
