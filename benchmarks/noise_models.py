"""Simulated noise of a device: what the judge was designed with."""

from __future__ import annotations

from typing import Callable

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.prove.judge import Block, Samples

Logs = npt.NDArray[np.float64]  # blocks x processes x dispatches

# Standard deviations of a dispatch and of a process.
SPREAD = {
    "quiet": (0.005, 0.003),
    "typical": (0.02, 0.01),
    "noisy": (0.05, 0.02),
    "drifting": (0.02, 0.01),
    "neighbour": (0.01, 0.007),
    "whole": (0.01, 0.007),
    "clocks": (0.01, 0.005),
    "heavy": (0.01, 0.01),
}


def drift(logs: Logs, random: np.random.Generator) -> Logs:
    """10 % over all blocks, and a walk of 1 % from block to block."""
    blocks = logs.shape[0]
    order = np.argsort(random.random((blocks, 3)), axis=1)
    place = (np.arange(blocks)[:, None] * 3 + order) / (3 * blocks)
    walk = np.cumsum(random.normal(0, 0.01, blocks))
    return logs + (0.1 * place + walk[:, None])[:, :, None]


def neighbour(logs: Logs, random: np.random.Generator) -> Logs:
    """Another process uses the device during a part of every second process."""
    shape = (*logs.shape[:2], 1)
    length = random.random(shape)
    start = random.random(shape) * (1 - length)
    place = np.arange(logs.shape[2]) / logs.shape[2]
    hit = (random.random(shape) < 0.5) & (place >= start) & (place < start + length)
    return logs + hit * np.abs(random.exponential(0.15, shape) + random.normal(0, 0.05, logs.shape))


def whole(logs: Logs, random: np.random.Generator) -> Logs:
    """Another process uses the device during all of every second process."""
    shape = (*logs.shape[:2], 1)
    return logs + (random.random(shape) < 0.5) * random.exponential(0.15, shape)


def clocks(logs: Logs, random: np.random.Generator) -> Logs:
    """Three of ten processes run at a clock that is 3 % lower."""
    return logs + 0.03 * (random.random((*logs.shape[:2], 1)) < 0.3)


def heavy(logs: Logs, random: np.random.Generator) -> Logs:
    """Processes that are disturbed by amounts without a variance."""
    return logs + 0.02 * np.abs(random.standard_t(1.5, (*logs.shape[:2], 1)))


DISTURBANCES: dict[str, Callable[[Logs, np.random.Generator], Logs]] = {
    "drifting": drift,
    "neighbour": neighbour,
    "whole": whole,
    "clocks": clocks,
    "heavy": heavy,
}


def simulated(
    model: str, blocks: int, gain: float, random: np.random.Generator, dispatches: int = 20
) -> Samples:
    """`gain` is the logarithm of baseline / candidate."""
    dispatch, process = SPREAD[model]
    shape = (blocks, 3, dispatches)
    logs = random.normal(0, dispatch, shape) + random.normal(0, process, (blocks, 3, 1))
    logs += np.where(random.random(shape) < 0.03, random.exponential(0.2, shape), 0)
    if model in DISTURBANCES:
        logs = DISTURBANCES[model](logs, random)
    logs[:, 2] -= gain
    return samples_of(1e5 * np.exp(logs))


def samples_of(times: Logs) -> Samples:
    return Samples(
        unit="ns", blocks=tuple(Block(*(tuple(row) for row in block)) for block in times.tolist())
    )
