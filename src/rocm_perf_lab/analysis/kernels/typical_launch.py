"""Which launch of a kernel stands for it when only one can be looked at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rocm_perf_lab.analysis.kernels.stats import kernel_statistics
from rocm_perf_lab.trace.model import Trace


@dataclass(frozen=True)
class TypicalLaunch:
    number: int  # from 1
    ns: int


def typical_launch(trace: Trace, kernel: str) -> int:
    return typical_launch_of(trace, kernel).number


def typical_launch_of(trace: Trace, kernel: str) -> TypicalLaunch:
    """Counted from 1 over the launches of this kernel's symbol, as profilers count them.

    Of the most frequent launch shape, the first one whose time is nearest to the median: the very
    first launch of a program has cold caches. Raises ValueError if the kernel did not run.
    """
    found = [stats for stats in kernel_statistics(trace) if stats.name == kernel]
    if not found:
        raise ValueError(f"{kernel} was not launched")
    rows, chosen = trace.dispatches, found[0].representative
    mine = np.flatnonzero(rows.kernel == rows.kernel[chosen])
    mine = mine[np.lexsort((rows.start[mine], rows.dispatch_id[mine]))]
    alike = (rows.grid[mine] == rows.grid[chosen]).all(axis=1)
    alike &= (rows.block[mine] == rows.block[chosen]).all(axis=1)
    alike &= rows.lds[mine] == rows.lds[chosen]
    durations = rows.duration[mine]
    distance = np.abs(durations - np.median(durations[alike]))
    found_at = int(np.argmin(np.where(alike, distance, np.inf)))
    return TypicalLaunch(found_at + 1, int(durations[found_at]))
