"""Ranks compared by their collectives, and launches of graphs."""

from __future__ import annotations

from pathlib import Path

import pytest

from fakes.kineto_samples import small_trace
from fakes.runs.training_traces import REDUCE, write_ranks
from fakes.task_recordings import Recording
from rocm_perf_lab.analysis.documents.gpu_use import gpus_of, graphs_of, ranks_of
from rocm_perf_lab.analysis.path.critical_path import critical_paths
from rocm_perf_lab.analysis.path.ranks import compare_ranks
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.merge import merge


def test_the_rank_with_the_shortest_collectives_is_the_straggler(tmp_path: Path) -> None:
    write_ranks(tmp_path, (200, 400, 220, 210))
    trace = load([tmp_path])
    found = ranks_of(trace)
    assert found is not None
    assert (found.collectives, found.straggler) == (3, "rank 1")
    assert [gpu.waited_ms for gpu in gpus_of(trace)] == pytest.approx([0.6, 0.0, 0.54, 0.57])
    assert [gpu.came_last for gpu in gpus_of(trace)] == [0, 3, 0, 0]
    assert found.others_wait_ms == pytest.approx((0.6 + 0.54 + 0.57) / 3)


def test_no_rank_is_blamed_where_they_take_turns() -> None:
    ranks = [Recording(pid=1), Recording(pid=2)]
    for turn in range(4):
        for number, record in enumerate(ranks):
            record.kernel(REDUCE, turn * 1000, turn * 1000 + (100 if turn % 2 == number else 300))
    found = compare_ranks(merge([record.trace() for record in ranks], "both"))
    assert found is not None
    assert found.straggler is None
    assert [waits.waited_ns for waits in found.of_process.values()] == [400, 400]


def test_collectives_that_one_rank_lacks_are_left_out() -> None:
    ranks = [Recording(pid=1), Recording(pid=2)]
    for number, record in enumerate(ranks):
        for turn in range(2 + number):
            record.kernel(REDUCE, turn * 1000, turn * 1000 + 100 + number)
    found = compare_ranks(merge([record.trace() for record in ranks], "both"))
    assert found is not None
    assert (found.collectives, found.left_out) == (2, 1)


def test_a_single_process_is_no_comparison(tmp_path: Path) -> None:
    (path,) = write_ranks(tmp_path, (200,))
    assert ranks_of(load([path])) is None


def test_waits_between_streams_are_inferred_by_queue_order(tmp_path: Path) -> None:
    """All is launched ahead, and nobody recorded what the streams wait for: work at the head of
    its queue that does not begin waits for what was launched to the other queue before it."""
    paths = write_ranks(tmp_path, (200, 400))
    (path,) = critical_paths(load(paths[:1]))
    on_path = {kernel.name: kernel.dispatches_on_path for kernel in path.kernels}
    assert on_path == {"gemm_kernel": 3, REDUCE: 3}
    work = sum(kernel.path_ns for kernel in path.kernels)
    assert work == pytest.approx(path.span_ns, rel=0.07)


def test_graph_launches_and_their_kernels(tmp_path: Path) -> None:
    found = graphs_of(load([small_trace().write(tmp_path / "trace.json")]))
    assert found is not None
    assert (found.launches, found.kernels) == (1, 2)
    assert (found.busy_ms, found.calls_ms) == (pytest.approx(0.002), pytest.approx(0.01))
    assert found.median_gap_us is None
