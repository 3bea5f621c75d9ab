"""What is judged: the whole application, and each kernel that has a part in its time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from rocm_perf_lab.measure.process_times import ProcessTimes

END_TO_END: None = None
Subject = Optional[str]  # a kernel, or END_TO_END
LEAST_SHARE = 0.01  # of the time, in either version: less is not worth a word


def subjects_of(bases: Sequence[ProcessTimes], heads: Sequence[ProcessTimes]) -> list[Subject]:
    """Kernels that every process launched. A dispatch that took no time, by a clock too coarse for
    it, has no logarithm: such kernels are left out."""
    processes = [*bases, *heads]
    launched = set.intersection(*(set(process.kernels) for process in processes))
    kernels = [
        kernel
        for kernel in processes[0].kernels
        if kernel in launched
        and share_of(bases, heads, kernel) >= LEAST_SHARE
        and all(min(process.kernels[kernel]) > 0 for process in processes)
    ]
    timed = all(process.critical_path_ns for process in processes)
    return [*([END_TO_END] if timed else []), *kernels]


def launched_alike(processes: Sequence[ProcessTimes], kernel: str) -> bool:
    """Whether every process that launched the kernel did so equally often."""
    return len({len(one.kernels[kernel]) for one in processes if kernel in one.kernels}) <= 1


def share_of(bases: Sequence[ProcessTimes], heads: Sequence[ProcessTimes], kernel: str) -> float:
    """Of the time of all kernels, in the version where that is more."""
    shares = []
    for processes in (bases, heads):
        whole = sum(process.kernel_sum_ns for process in processes)
        own = sum(sum(process.kernels.get(kernel, ())) for process in processes)
        shares.append(own / whole if whole else 0.0)
    return max(shares)
