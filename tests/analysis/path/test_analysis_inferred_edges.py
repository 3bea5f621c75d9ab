"""Dependencies from timestamps alone: what recurs is found, what chance explains is not."""

from __future__ import annotations

import numpy as np
import pytest

from fakes.task_recordings import Recording
from rocm_perf_lab.analysis.graph.build import build_dag
from rocm_perf_lab.analysis.graph.dag import Cause, Dag


def _dag(record: Recording) -> Dag:
    dag = build_dag(record.trace())
    assert dag is not None
    return dag


def _inferred(dag: Dag) -> int:
    return int(np.count_nonzero(dag.edges.cause == Cause.INFERRED))


def _independent(seed: int, mean_gap_ns: float, *, streams: int = 8, launches: int = 120) -> Dag:
    random = np.random.default_rng(seed)
    record = Recording()
    for stream in range(1, streams + 1):
        time = 10**15 + int(random.integers(0, 100_000))
        for _ in range(launches):
            time += int(random.exponential(mean_gap_ns))
            end = time + int(random.uniform(3_000, 60_000))
            record.kernel("k", time, end, stream=stream)
            time = end
    return _dag(record)


@pytest.mark.parametrize("mean_gap_ns", [2_000.0, 20_000.0, 200_000.0])
def test_independent_streams_get_no_edge(mean_gap_ns: float) -> None:
    """One random program in twenty may have one: that is what the rule promises."""
    found = [_inferred(_independent(seed, mean_gap_ns)) for seed in range(30)]
    assert sum(count > 0 for count in found) <= 4
    assert sum(found) <= 8


def test_equal_kernels_back_to_back_on_eight_streams_are_independent() -> None:
    """In step with each other: each end is some other's start."""
    record = Recording()
    for stream in range(8):
        for launch in range(100):
            start = stream * 10_000 + launch * 100_000
            record.kernel("k", start, start + 90_000, stream=stream + 1)
    assert _inferred(_dag(record)) == 0


def _pipeline(origin: int, seed: int = 1) -> Dag:
    """Stream 2 works on what stream 1 has made, a microsecond or two later."""
    random = np.random.default_rng(seed)
    record = Recording()
    time = origin
    for _ in range(60):
        made = time + int(random.uniform(40_000, 90_000))
        record.kernel("make", time, made, stream=1)
        start = made + int(random.uniform(500, 2_000))
        record.kernel("use", start, start + int(random.uniform(5_000, 20_000)), stream=2)
        time = made + int(random.uniform(500, 1_500))
    return _dag(record)


def test_a_stream_that_follows_another_is_found() -> None:
    dag = _pipeline(0)
    inferred = dag.edges.cause == Cause.INFERRED
    assert np.count_nonzero(inferred) == 60
    assert (dag.edges.confidence[inferred] > 0.9).all()
    assert (dag.end[dag.edges.source[inferred]] < dag.begin[dag.edges.target[inferred]]).all()


@pytest.mark.parametrize("origin", [10**6, 10**15, 4 * 10**18])
def test_the_origin_of_the_clock_changes_nothing(origin: int) -> None:
    near, far = _pipeline(0), _pipeline(origin)
    assert np.array_equal(near.edges.source, far.edges.source)
    assert np.array_equal(near.edges.target, far.edges.target)
    assert np.array_equal(near.edges.confidence, far.edges.confidence)
    assert (far.edges.confidence[far.edges.cause == Cause.INFERRED] < 1.0).all()
