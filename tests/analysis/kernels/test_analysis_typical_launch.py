"""The launch of a kernel that stands for all of them."""

from __future__ import annotations

import numpy as np
import pytest

from rocm_perf_lab.analysis.kernels.typical_launch import typical_launch
from rocm_perf_lab.trace.model import Dispatches, Kernel, Trace


def launches(
    *rows: tuple[int, int], grid: tuple[int, ...] = (), ids: tuple[int, ...] = ()
) -> Trace:
    """Launches of (kernel, duration), one after the other; all of the same shape unless told."""
    count = len(rows)
    zeros, ones = np.zeros(count, dtype=np.int64), np.ones((count, 3), dtype=np.int64)
    sizes = ones * np.array(grid or [64] * count).reshape(-1, 1)
    start = np.arange(count, dtype=np.int64) * 1000
    dispatches = Dispatches(
        start=start,
        end=start + np.array([duration for _, duration in rows]),
        kernel=np.array([kernel for kernel, _ in rows], dtype=np.int32),
        agent=zeros.astype(np.int32),
        queue=zeros.astype(np.int32),
        stream=zeros.astype(np.int32),
        process=zeros.astype(np.int32),
        thread=zeros,
        dispatch_id=np.array(ids or range(1, count + 1), dtype=np.int64),
        stack_id=zeros,
        grid=sizes,
        block=ones * 64,
        lds=zeros,
        scratch=zeros,
        graph_exec=zeros,
    )
    return Trace("test", kernels=tuple(Kernel(0, n, f"k{n}", None) for n in range(3)),
                 dispatches=dispatches)  # fmt: skip


def test_a_cold_first_launch_is_not_typical() -> None:
    assert typical_launch(launches((0, 90), (0, 20), (0, 21), (0, 22)), "k0") == 3


def test_equal_launches_give_the_first() -> None:
    assert typical_launch(launches((0, 20), (0, 20), (0, 20)), "k0") == 1


def test_launches_of_other_kernels_do_not_count() -> None:
    trace = launches((1, 5), (0, 90), (1, 5), (0, 20), (1, 6), (0, 20))
    assert typical_launch(trace, "k0") == 2
    assert typical_launch(trace, "k1") == 1


def test_only_the_most_frequent_shape_is_typical() -> None:
    trace = launches((0, 20), (0, 900), (0, 800), (0, 700), grid=(64, 4096, 4096, 4096))
    assert typical_launch(trace, "k0") == 3


def test_launches_are_counted_in_the_order_of_their_ids() -> None:
    assert typical_launch(launches((0, 20), (0, 90), (0, 21), ids=(3, 1, 2)), "k0") == 2


def test_a_kernel_that_did_not_run() -> None:
    with pytest.raises(ValueError, match="k2 was not launched"):
        typical_launch(launches((0, 1)), "k2")
