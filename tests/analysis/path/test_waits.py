"""What the host waits for before it launches more, and what passes anyway."""

from __future__ import annotations

import numpy as np
import pytest

from rocm_perf_lab.analysis.path.waits import HostWaits, host_waits
from rocm_perf_lab.trace.model import Agent, ApiCalls, Copies, Dispatches, Trace

_LAUNCH, _COPY, _SYNC = "hipLaunchKernel", "hipMemcpy", "hipDeviceSynchronize"
_ASYNC, _POLL = "hipMemcpyAsync", "hipStreamQuery"
_NAMES = (_LAUNCH, _COPY, _SYNC, _ASYNC, _POLL)
_HOST, _GPU = 0, 1
Call = tuple[str, int, int]


def _run(*calls: Call, copies: tuple[tuple[int, int, int, int], ...] = ()) -> Trace:
    """A kernel for each launching call. Copies of (start, end, bytes, target) belong to the
    copying calls, one to each."""
    start, end = (np.array([call[k] for call in calls], dtype=np.int64) for k in (1, 2))
    numbers = np.arange(1, len(calls) + 1, dtype=np.int64)
    launches = np.array([name == _LAUNCH for name, _, _ in calls])
    copying = np.array(["Memcpy" in name for name, _, _ in calls])
    begins, ends, sizes, targets = np.array(copies or np.empty((0, 4)), dtype=np.int64).T
    agents = tuple(Agent(k, k, kind, "", None, 0) for k, kind in enumerate(("CPU", "GPU")))
    return Trace(
        "run",
        agents=agents,
        strings=_NAMES,
        dispatches=Dispatches(start=end[launches], end=end[launches], stack_id=numbers[launches]),
        copies=Copies(
            start=begins,
            end=ends,
            bytes=sizes,
            source_agent=(1 - targets).astype(np.int32),
            target_agent=targets.astype(np.int32),
            stack_id=numbers[copying],
        ),
        api_calls=ApiCalls(
            start=start,
            end=end,
            name=np.array([_NAMES.index(name) for name, _, _ in calls], dtype=np.int32),
            stack_id=numbers,
        ),
    )


def test_launches_that_follow_each_other_are_not_waited_for() -> None:
    assert host_waits(_run((_LAUNCH, 0, 5), (_LAUNCH, 40, 45))) == HostWaits(0, 0)


def test_waits_count_between_the_first_launch_and_the_last() -> None:
    waits = [(_SYNC, 0, 9), (_SYNC, 20, 50), (_SYNC, 90, 200)]
    calls = [waits[0], (_LAUNCH, 10, 15), waits[1], (_LAUNCH, 60, 65), waits[2]]
    assert host_waits(_run(*calls)) == HostWaits(30, 0)


@pytest.mark.parametrize(
    ("target", "size", "found"),
    [
        (_HOST, 4, HostWaits(30, 8)),  # an answer that the host waits for
        (_HOST, 1 << 20, HostWaits(30, 0)),  # data: copied, whether it waits or not
        (_GPU, 4, HostWaits(0, 0)),  # waits for no kernel
    ],
)
def test_what_is_copied_in_between(target: int, size: int, found: HostWaits) -> None:
    calls = (_LAUNCH, 0, 5), (_COPY, 10, 40), (_LAUNCH, 50, 55)
    assert host_waits(_run(*calls, copies=((30, 38, size, target),))) == found


def test_asking_again_and_again_is_waiting() -> None:
    polls = [(_POLL, at, at + 9) for at in (10, 20, 30)]
    assert host_waits(_run((_LAUNCH, 0, 5), *polls, (_LAUNCH, 50, 55))) == HostWaits(27, 0)


@pytest.mark.parametrize(
    ("back", "size", "found"),
    [
        (12, 1 << 20, HostWaits(0, 0)),
        (40, 1 << 20, HostWaits(0, 0, 8)),  # of memory that is not pinned, whatever it is called
        (40, 4, HostWaits(30, 8)),
    ],
)
def test_a_copy_that_returns_with_its_end_waits(back: int, size: int, found: HostWaits) -> None:
    calls = (_LAUNCH, 0, 5), (_ASYNC, 10, back), (_LAUNCH, 50, 55)
    assert host_waits(_run(*calls, copies=((30, 38, size, _HOST),))) == found


def test_without_calls_nobody_knows() -> None:
    trace = _run((_LAUNCH, 0, 5))
    assert host_waits(Trace("run", dispatches=trace.dispatches)) is None
