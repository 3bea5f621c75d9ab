"""What passes between launches because the host waits, and what passes anyway."""

from __future__ import annotations

from typing import Optional

import numpy as np
import pytest

from rocm_perf_lab.analysis.path.waits import waited_ns
from rocm_perf_lab.trace.model import ApiCalls, Copies, Dispatches, Trace

_LAUNCH, _NAMES = "hipLaunchKernel", ("hipLaunchKernel", "hipDeviceSynchronize", "hipMemcpy")
Call = tuple[str, int, int]


def _run(
    kernels: list[tuple[int, int]],
    calls: list[Call],
    copies: Optional[list[tuple[int, int]]] = None,
) -> Trace:
    """The n-th kernel was launched by the n-th launching call."""
    start, end = np.array(kernels, dtype=np.int64).T
    launching = [place for place, (name, _, _) in enumerate(calls) if name == _LAUNCH]
    numbers = np.arange(1, len(calls) + 1, dtype=np.int64)
    copied = np.array(copies or np.empty((0, 2)), dtype=np.int64).T
    return Trace(
        "run",
        strings=_NAMES,
        dispatches=Dispatches(
            start=start,
            end=end,
            kernel=np.zeros(len(start), dtype=np.int32),
            stack_id=numbers[launching[: len(start)]],
        ),
        copies=Copies(start=copied[0], end=copied[1]),
        api_calls=ApiCalls(
            start=np.array([begin for _, begin, _ in calls], dtype=np.int64),
            end=np.array([back for _, _, back in calls], dtype=np.int64),
            name=np.array([_NAMES.index(name) for name, _, _ in calls], dtype=np.int32),
            stack_id=numbers,
        ),
        clock_skew_ns=0,
    )


_KERNELS = [(10, 20), (50, 60), (90, 100)]


def test_launches_that_follow_each_other_are_not_waited_for() -> None:
    """The GPU is idle for 60 ns, because the host is no faster."""
    calls = [(_LAUNCH, 0, 5), (_LAUNCH, 40, 45), (_LAUNCH, 80, 85)]
    assert waited_ns(_run(_KERNELS, calls)) == 0


def test_what_passes_until_the_next_launch_is_the_waiting() -> None:
    calls = [(_LAUNCH, 0, 5), ("hipDeviceSynchronize", 6, 30), (_LAUNCH, 40, 45), (_LAUNCH, 80, 85)]
    assert waited_ns(_run(_KERNELS, calls)) == 30


@pytest.mark.parametrize(
    "wait",
    [
        (
            "hipDeviceSynchronize",
            25,
            30,
        ),  # the GPU was idle already: the host is late, but waits not
        ("hipDeviceSynchronize", 41, 62),  # it had called for the next one before
    ],
)
def test_waits_for_something_else_do_not_count(wait: Call) -> None:
    calls = [(_LAUNCH, 0, 5), wait, (_LAUNCH, 40, 45)]
    calls.sort(key=lambda call: call[1])
    assert waited_ns(_run(_KERNELS[:2], calls)) == 0


def test_copies_in_between_stay_what_they_are() -> None:
    calls = [(_LAUNCH, 0, 5), ("hipMemcpy", 6, 35), (_LAUNCH, 40, 45)]
    assert waited_ns(_run(_KERNELS[:2], calls, [(22, 30), (26, 32), (55, 70)])) == 30 - 10


def test_without_calls_nobody_knows() -> None:
    trace = _run(_KERNELS, [(_LAUNCH, 0, 5), (_LAUNCH, 40, 45), (_LAUNCH, 80, 85)])
    assert waited_ns(Trace("run", dispatches=trace.dispatches)) is None
