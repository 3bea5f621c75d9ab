"""One number for the dispatches of one process.

Disturbances of a GPU are one-sided: a neighbour, an interrupt or a low clock makes a dispatch
slower, nothing makes it faster than its work. The low part of a process' times is therefore what
its code takes, and the rest says what disturbed it. The part that is used is fixed, the same for
every kernel: the mean of the times between the 5th and the 25th percentile.

A kernel may do different work at each launch. When every process launched it equally often, each
launch is compared with the same launch of the other processes, and counts by the time it takes.
"""

from __future__ import annotations

from typing import Callable, Optional

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.prove.judge.samples import Samples

FROM, TO = 0.05, 0.25

Times = npt.NDArray[np.float64]
Values = npt.NDArray[np.float64]  # one row per block, one column per process: A, A2, B


def low_values(samples: Samples) -> Values:
    """Logarithms of the low part of each process' times."""
    table = _table(samples)
    if table is None:
        return _each(
            samples, lambda times: float(_low(np.log(times)[None], np.ones(times.size))[0])
        )
    logs = np.log(table)
    processes = logs.reshape(-1, logs.shape[2])
    launch = np.median(processes, axis=0)
    weights = np.exp(launch - launch.max())
    level = float(np.average(launch, weights=weights))
    return np.asarray(_low(processes - launch, weights).reshape(logs.shape[:2]) + level)


def whole_values(samples: Samples) -> Values:
    """Logarithms of the mean time, disturbances and all."""
    table = _table(samples)
    if table is None:
        return _each(samples, lambda times: float(np.log(times.mean())))
    return np.asarray(np.log(table.mean(axis=2)))


def _each(samples: Samples, value: Callable[[Times], float]) -> Values:
    return np.array(
        [
            [value(np.asarray(times, dtype=np.float64)) for times in block.processes()]
            for block in samples.blocks
        ]
    )


def _table(samples: Samples) -> Optional[Times]:
    """Blocks x processes x launches, when all have equally many."""
    lengths = {len(times) for block in samples.blocks for times in block.processes()}
    if len(lengths) > 1:
        return None
    return np.array([block.processes() for block in samples.blocks], dtype=np.float64)


def _low(logs: Times, weights: Times) -> Times:
    """Of each row the mean of its quantiles from FROM to TO; a value counts by its weight."""
    order = np.argsort(logs, axis=1, kind="stable")
    ends = np.cumsum(weights[order], axis=1)
    ends /= ends[:, -1:]
    starts = np.hstack([np.zeros((logs.shape[0], 1)), ends[:, :-1]])
    inside = np.clip(np.minimum(ends, TO) - np.maximum(starts, FROM), 0.0, None)
    ordered = np.take_along_axis(logs, order, axis=1)
    return np.asarray((ordered * inside).sum(axis=1) / inside.sum(axis=1))
