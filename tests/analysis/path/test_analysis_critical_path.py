"""Critical paths of small recordings whose answer is plain to see."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from task_executor import Instruction, Machine, Program, random_program

from fakes.recordings import Known
from fakes.task_recordings import Recording
from rocm_perf_lab.analysis.graph.build import build_dag
from rocm_perf_lab.analysis.graph.dag import Cause, NodeKind
from rocm_perf_lab.analysis.path.critical_path import critical_path, critical_paths
from rocm_perf_lab.analysis.path.schedule import Schedule
from rocm_perf_lab.analysis.path.what_if import what_if
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.merge import merge
from rocm_perf_lab.trace.model import Trace
from rocm_perf_lab.trace.rocpd.writer import write_rocpd


def _names_on_path(trace: Trace) -> list[str]:
    path = critical_paths(trace)[0]
    kernel = path.dag.kernel[path.nodes]
    return [trace.kernels[index].name for index in kernel.tolist() if index >= 0]


def test_a_join_keeps_the_longer_branch() -> None:
    program = Program(
        frozenset((1, 2)),
        streams=2,
        instructions=(
            Instruction("launch", stream=1, kernel=0, duration=50_000),
            Instruction("launch", stream=2, kernel=1, duration=9_000),
            Instruction("record", stream=1, event=0),
            Instruction("wait_event", stream=2, event=0),
            Instruction("launch", stream=2, kernel=2, duration=700),
        ),
    )
    trace = Machine(program).run().trace()
    (path,) = critical_paths(trace)
    assert _names_on_path(trace) == ["k0", "k2"]
    assert path.critical_path_ns == path.span_ns == 50_700
    assert (path.dominant_symbol, path.fraction) == ("k0", 50_000 / 50_700)
    assert path.ceiling == pytest.approx(50_700 / 700)
    slack = {kernel.name: kernel.least_slack_ns for kernel in path.kernels}
    assert slack["k0"] == slack["k2"] == 0
    assert slack["k1"] > 40_000


def test_overlap_on_one_stream_is_not_counted_twice() -> None:
    record = Recording()
    record.kernel("a", 1000, 1100)
    record.kernel("b", 1010, 1110)
    (path,) = critical_paths(record.trace())
    assert path.span_ns == path.critical_path_ns == 110
    assert path.idle.total_ns == 0


def test_work_without_a_queue_keeps_the_order_of_its_stream() -> None:
    record = Recording()
    record.kernel("fill", 1000, 1100)
    record.kernel("count", 1100, 1400, queue=5)
    record.kernel("fill", 1400, 1500)
    trace = record.trace()
    (path,) = critical_paths(trace)
    assert _names_on_path(trace) == ["fill", "count", "fill"]
    assert path.confidence == 1.0


def test_empty_kernels_at_one_instant_form_no_cycle() -> None:
    record = Recording()
    for stream in (1, 2, 1, 2):
        record.kernel("empty", 5000, 5000, stream=stream)
    record.kernel("last", 5000, 5600, stream=1)
    dag = build_dag(record.trace())
    assert dag is not None
    assert (dag.rank[dag.edges.source] < dag.rank[dag.edges.target]).all()
    assert critical_path(dag).critical_path_ns == 600


def test_times_that_run_backwards_are_reproduced() -> None:
    """The order of submission counts, not that of the timestamps."""
    record = Recording()
    first = record.launch(1000, stream=1)
    second = record.launch(1100, stream=1)
    record.kernel("first", 2000, 2500, stream=1, stack_id=first)
    record.kernel("second", 1990, 2300, stream=1, stack_id=second)
    dag = build_dag(record.trace())
    assert dag is not None
    assert np.array_equal(Schedule(dag).ends(dag.duration), dag.end)
    path = critical_path(dag)
    assert path.critical_path_ns + path.idle.total_ns == path.span_ns == 510


def test_a_start_right_after_an_end_is_inferred_only_without_calls() -> None:
    record = Recording()
    record.kernel("a", 0, 100_000, stream=1)
    record.kernel("b", 100_200, 150_000, stream=2)
    record.kernel("far", 190_000, 200_000, stream=3)  # 40 us after b
    dag = build_dag(record.trace())
    assert dag is not None
    (cause,), (confidence,) = dag.edges.cause, dag.edges.confidence
    assert cause == Cause.INFERRED
    assert 0.5 < confidence < 1.0
    record.call("hipDeviceSynchronize", 200_000, 200_100)
    known = build_dag(record.trace())
    assert known is not None
    assert Cause.INFERRED not in known.edges.cause


def test_calls_that_were_cut_down_do_not_say_when_the_host_was_free() -> None:
    """No call that waits, and b has no launching call: what ended last is taken for its cause."""
    record = Recording()
    record.kernel("a", 100, 100_000, stream=1, stack_id=record.launch(0, stream=1))
    record.kernel("b", 600_000, 600_100, stream=2)
    (path,) = critical_paths(record.trace())
    assert path.dag.unlaunched == 1
    assert path.critical_path_ns == 99_900 + 100
    assert path.cause.tolist() == [Cause.START, Cause.INFERRED]
    assert path.confidence == 0.5
    assert path.idle.unknown_ns == 500_000
    record.call("hipDeviceSynchronize", 650_000, 650_100)
    (whole,) = critical_paths(record.trace())
    assert whole.dag.unlaunched == 0
    assert whole.critical_path_ns == 100


def test_processes_are_kept_apart() -> None:
    traces = []
    for pid, length in ((1, 500), (2, 900)):
        record = Recording(pid)
        record.kernel("k", 1000, 1000 + length)
        traces.append(record.trace())
    paths = critical_paths(merge(traces, "both"))
    assert [(path.dag.process, path.span_ns) for path in paths] == [(1, 900), (0, 500)]


def test_a_device_wait_does_not_wait_for_another_gpu() -> None:
    record = Recording()
    record.call("hipSetDevice", 50, 60, deviceId="1")
    mine = record.launch(100, stream=1)
    record.kernel("mine", 1000, 5000, stream=1, agent=3, stack_id=mine)
    record.call("hipSetDevice", 200, 210, deviceId="0")
    other = record.launch(300, stream=2)
    record.kernel("other", 1000, 4000, stream=2, agent=2, stack_id=other)
    record.call("hipSetDevice", 400, 410, deviceId="1")
    record.call("hipDeviceSynchronize", 500, 5100)
    dag = build_dag(record.trace())
    assert dag is not None
    (source,), (target,) = dag.edges.source, dag.edges.target
    assert dag.trace.kernels[dag.kernel[source]].name == "mine"
    assert dag.kind[target] == NodeKind.HOST_WAIT


def test_kernels_of_one_graph_launch_are_in_graph_order() -> None:
    record = Recording()
    launch = record.call("hipGraphLaunch", 100, 300, stream="0x5001")
    record.kernel("second", 2000, 2500, stream=1, stack_id=launch)
    record.kernel("first", 1000, 1900, stream=1, stack_id=launch)
    trace = record.trace()
    (path,) = critical_paths(trace)
    assert _names_on_path(trace) == ["first", "second"]
    assert path.cause.tolist() == [Cause.HOST_ORDER, Cause.GRAPH_ORDER]
    assert path.confidence < 1.0
    assert path.idle.dependency_ns == 100


def test_idle_time_has_a_name() -> None:
    record = Recording()
    first = record.launch(0)
    record.kernel("k", 1000, 3000, stack_id=first)
    record.call("hipDeviceSynchronize", 500, 3400)  # returns 400 after the end
    second = record.launch(9400)  # the application computes for 6000
    record.kernel("k", 10_400, 11_000, stack_id=second)
    (path,) = critical_paths(record.trace())
    idle = path.idle
    assert (idle.synchronisation_ns, idle.host_ns, idle.launch_ns) == (400, 6000, 1000)
    assert (idle.dependency_ns, idle.unknown_ns) == (0, 0)
    assert path.critical_path_ns == 2600


def test_without_calls_gaps_are_unknown() -> None:
    record = Recording()
    record.kernel("k", 0, 10)
    record.kernel("k", 100, 110)
    (path,) = critical_paths(record.trace())
    assert path.idle.unknown_ns == path.idle.total_ns == 90


def test_the_ceiling_is_reached_when_a_kernel_of_a_serial_program_vanishes() -> None:
    record = Recording()
    for begin in range(0, 1_000_000, 1000):
        record.kernel("large", begin, begin + 800)
        record.kernel("small", begin + 800, begin + 1000)
    (path,) = critical_paths(record.trace())
    assert path.fraction == pytest.approx(0.8)
    assert path.ceiling == pytest.approx(5.0)
    assert what_if(Schedule(path.dag), {"large": 1e9}).speedup == pytest.approx(5.0)
    assert [kernel.name for kernel in path.plan()] == ["large"]


def test_the_plan_names_several_kernels_when_none_dominates() -> None:
    record = Recording()
    for number, name in enumerate("abcd"):
        record.kernel(name, number * 1000, number * 1000 + 1000 - number)
    (path,) = critical_paths(record.trace())
    assert [kernel.name for kernel in path.plan()] == ["a", "b", "c"]


def test_a_kernel_cannot_become_zero_times_faster() -> None:
    record = Recording()
    record.kernel("k", 0, 10)
    dag = build_dag(record.trace())
    assert dag is not None
    with pytest.raises(ValueError, match="0 times faster"):
        what_if(Schedule(dag), {"k": 0})


def test_a_recording_without_work_has_no_path() -> None:
    assert critical_paths(Recording().trace()) == ()


def test_a_database_gives_the_same_answer(tmp_path: Path) -> None:
    trace = Machine(random_program(7)).run().trace()
    write_rocpd(trace, tmp_path / "run_results.db")
    (here,), (there,) = critical_paths(trace), critical_paths(load([tmp_path]))
    assert np.array_equal(here.dag.edges.source, there.dag.edges.source)
    assert np.array_equal(here.nodes, there.nodes)
    assert here.idle == there.idle
    assert np.array_equal(here.slack, there.slack)


def test_the_recorded_prefill_is_bound_by_its_kernels(known: Known) -> None:
    """Its calls were cut down to five; the GPU was busy for 66 of 70 ms."""
    (path,) = critical_paths(load([known("rocprofv3-csv/gfx1151-prefill")]))
    assert path.span_ns == 69_879_339
    assert path.critical_path_ns == 66_066_571  # every dispatch of the file: none overlap
    assert path.dag.unlaunched == 4
    assert path.dominant_symbol is not None
    assert path.dominant_symbol.startswith("void mul_mat_q<(ggml_type)12")


def test_the_recorded_gemm_waits_for_its_host(known: Known) -> None:
    """150 launches of one kernel: most of the time the host prepares and checks."""
    (path,) = critical_paths(load([known("mi300x-batched-gemm-trace")]))
    assert path.span_ns == 15_719_660
    assert path.critical_path_ns + path.idle.total_ns == path.span_ns
    assert path.idle.host_ns > path.span_ns / 2
    assert path.dominant_symbol is not None
    assert "gemm" in path.dominant_symbol.lower()
    assert np.array_equal(Schedule(path.dag).ends(path.dag.duration), path.dag.end)
