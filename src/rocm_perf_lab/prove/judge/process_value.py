"""Numbers for the dispatches of one process: what they take in all, and what a typical one takes.

The **total** is the sum of all launches, the cold first one and the disturbed ones included: what a
user waits for, and all that a claim is about.

The **low part** finds small gains in noise. Disturbances of a GPU are one-sided: a neighbour, an
interrupt or a low clock makes a dispatch slower, nothing makes it faster than its work. The part is
fixed, the same for every kernel: the mean of the times between the 5th and the 25th percentile. A
kernel may do different work at each launch, so that each launch is compared with the same launch of
the other processes, and counts by the time it takes. It says how a typical launch changed, and
nothing of the other ones.

Both need that all processes launched the kernel equally often: ``Samples.check`` sees to it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.prove.judge.samples import Block, Samples

FROM, TO = 0.05, 0.25

Times = npt.NDArray[np.float64]
Values = npt.NDArray[np.float64]  # one row per block, one column per process: A, A2, B


def low_values(samples: Samples) -> Values:
    """Logarithms of the low part of each process' times."""
    logs = np.log(_table(samples))
    processes = logs.reshape(-1, logs.shape[2])
    launch = np.median(processes, axis=0)
    weights = np.exp(launch - launch.max())
    level = float(np.average(launch, weights=weights))
    return np.asarray(_low(processes - launch, weights).reshape(logs.shape[:2]) + level)


def total_values(samples: Samples) -> Values:
    """Logarithms of the sum of each process' times, disturbances and all."""
    return np.asarray(np.log(_table(samples).sum(axis=2)))


def ratio_of_sums(totals: Values) -> float:
    """Logarithm of all time of the baseline / all time of the candidate, per process."""
    times = np.exp(totals - totals.max())
    return float(np.log(times[:, :-1].mean() / times[:, -1].mean()))


def launches_of(samples: Samples) -> int:
    return len(samples.blocks[0].a)


def without_first_launch(samples: Samples) -> Samples:
    """The first launch of a process loads code and fills caches that the others find."""
    blocks = (Block(*(times[1:] for times in block.processes())) for block in samples.blocks)
    return replace(samples, blocks=tuple(blocks))


def _table(samples: Samples) -> Times:
    """Blocks x processes x launches."""
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
