"""Where the time goes, and how much each kernel matters for it."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import pytest

from rocm_perf_lab.analysis.verdicts.formulas import KernelFacts
from rocm_perf_lab.analysis.verdicts.kernels import judge_kernels
from rocm_perf_lab.analysis.verdicts.measured import MeasuredKernel
from rocm_perf_lab.analysis.verdicts.timing import PathTimes, Queues, Timing


class OnPath(NamedTuple):
    path_ns: int
    fraction: float
    least_slack_ns: int


PATH = PathTimes(
    span_ns=1000,
    processes=1,
    kernel_ns=600,
    copy_ns=100,
    launch_ns=150,
    host_ns=80,
    synchronisation_ns=20,
    dependency_ns=30,
    unknown_ns=20,
    kernels={"on": OnPath(600, 0.6, 0)},
)
ALONE = Timing(span_ms=0.001, gpu_busy_ms=0.0007, path=None)


def kernel(name: str, share: float) -> MeasuredKernel:
    return MeasuredKernel(KernelFacts(name), 1, 100, 100.0, 100.0, share)


def test_shares_of_the_path_are_all_of_it() -> None:
    split = Timing(0.001, 0.0007, PATH).split()
    assert (split.kernels, split.copies, split.launching) == pytest.approx((0.6, 0.1, 0.18))
    assert (split.host, split.other) == pytest.approx((0.1, 0.02))


def test_gaps_of_counting_and_between_runs_say_nothing() -> None:
    assert ALONE.unexplained_share == pytest.approx(0.3)
    assert replace(ALONE, while_counting=True).unexplained_share is None
    silent = replace(PATH, processes=2, launch_ns=0, host_ns=0, synchronisation_ns=0)
    assert replace(ALONE, path=silent).unexplained_share is None
    assert replace(ALONE, path=PATH).unexplained_share is None  # calls explain them


def test_a_kernel_that_is_not_on_the_path_does_not_matter() -> None:
    kernels = [kernel("beside", 0.9), kernel("on", 0.1)]
    found = judge_kernels(kernels, Timing(0.001, 0.0007, PATH))
    assert [(one.kernel.name, one.criticality) for one in found] == [("on", 0.6), ("beside", 0.0)]
    without = judge_kernels(kernels, ALONE)
    assert [one.criticality for one in without] == [0.9, 0.1]


@pytest.mark.parametrize(
    ("uploads", "read_backs", "unasked"),
    [(0, 0, False), (1, 0, True), (32, 0, True), (24, 23, False), (23, 23, False), (48, 23, True)],
)
def test_answers_to_what_the_host_read_do_not_hold_launches_up(
    uploads: int, read_backs: int, unasked: bool
) -> None:
    """Each of 23 results is read, and 23 answers are sent; one more copy comes before all of it."""
    assert Queues(uploads=uploads, read_backs=read_backs).sends_unasked is unasked
