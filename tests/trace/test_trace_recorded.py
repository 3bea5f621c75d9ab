"""Known answers of recordings from real GPUs, and of the fixtures with their figures."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from fakes.recordings import Known, recording
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.model import UNKNOWN, Trace


@pytest.fixture(scope="module")
def gemm(known: Known) -> Trace:
    return load([known("mi300x-batched-gemm-trace/28_results.db")])


@pytest.fixture(scope="module")
def original() -> Trace:
    """For what only the recording itself holds."""
    return load([recording("mi300x-batched-gemm-trace/28_results.db")])


def test_counts_of_the_mi300x_run(gemm: Trace) -> None:
    assert len(gemm.dispatches) == 151
    assert len(gemm.agents) == 10
    assert len(gemm.gpu_agents) == 8
    assert len(gemm.streams) == 1
    assert gemm.warnings == ()
    assert not gemm.is_virtual


def test_counts_of_the_mi300x_database(original: Trace) -> None:
    gemm = original
    assert len(gemm.kernels) == 14
    assert len(gemm.code_objects) == 2
    assert len(gemm.api_calls) == 629
    assert len(gemm.queues) == 2
    assert len(gemm.counters) == len(gemm.copies) == len(gemm.markers) == 0


def test_the_gemm_kernel(gemm: Trace) -> None:
    rows = gemm.dispatches
    mine = np.array(["gemm" in kernel.name.lower() for kernel in gemm.kernels])[rows.kernel]
    durations = rows.duration[mine]
    assert len(durations) == 150
    assert (durations.min(), np.median(durations), durations.max()) == (15917, 16959, 26340)
    assert (rows.grid[mine] == (512, 128, 1)).all()
    assert (rows.block[mine] == (256, 1, 1)).all()
    assert (rows.lds[mine] == 65536).all()
    (kernel,) = {gemm.kernels[index] for index in rows.kernel[mine]}
    assert (kernel.arch_vgpr, kernel.accum_vgpr, kernel.sgpr) == (128, 384, 112)
    assert {gemm.queues[index].id for index in rows.queue} == {16}
    assert {gemm.agents[index].id for index in rows.agent} == {2}
    assert (rows.graph_exec == UNKNOWN).all()


def test_one_queue_may_overlap_itself(gemm: Trace) -> None:
    order = np.argsort(gemm.dispatches.start)
    gaps = gemm.dispatches.start[order][1:] - gemm.dispatches.end[order][:-1]
    mine = gaps[1:]
    assert np.median(mine) == 0
    assert int((mine < 0).sum()) == 5
    assert mine.min() == -175


def test_every_dispatch_links_to_its_launching_call(gemm: Trace) -> None:
    call_of_stack = {int(stack): row for row, stack in enumerate(gemm.api_calls.stack_id)}
    launchers = Counter(
        gemm.strings[gemm.api_calls.name[call_of_stack[int(stack)]]]
        for stack in gemm.dispatches.stack_id
    )
    assert launchers == {"hipLaunchKernel": 150, "hipMemset": 1}


def test_arguments_are_read_on_demand(original: Trace) -> None:
    arguments = [original.api_arguments(row) for row in range(len(original.api_calls))]
    assert sum(map(len, arguments)) == 2177
    assert arguments[0] == (("data", "void const*", "0x233ac0"),)


def test_agent_facts(gemm: Trace) -> None:
    facts = gemm.agents[gemm.dispatches.agent[0]].facts
    expected = {"simd_count": 1216, "cu_count": 304, "num_xcc": 8, "gfx_target_version": 90402}
    assert {name: facts[name] for name in expected} == expected


def test_the_process(original: Trace) -> None:
    (process,) = original.processes
    assert process.pid == 28
    assert process.command is not None
    assert process.command.startswith("./bin/tile_example_batched_gemm")


def test_the_environment_of_the_process_is_not_kept(original: Trace) -> None:
    """It holds secrets: no part of the Trace may carry it."""
    assert "LD_LIBRARY_PATH" not in repr(original)
    assert "HOME=" not in repr(original)


def test_the_folder_around_the_database_loads_the_same(gemm: Trace, known: Known) -> None:
    folder = load([known("mi300x-batched-gemm-trace")])
    assert len(folder.dispatches) == len(gemm.dispatches)
    assert len(folder.processes) == 1


def test_csv_of_the_current_dialect(known: Known) -> None:
    trace = load([known("rocprofv3-csv/gfx1151-prefill/prefill_kernel_trace.csv")])
    assert len(trace.dispatches) == 1128
    assert trace.dispatches.start[0] == 90754858086907
    assert trace.dispatches.end[0] == 90754858096927
    first = trace.kernels[trace.dispatches.kernel[0]]
    assert first.name.startswith("void rms_norm_f32<1024, true, false>")
    assert (first.arch_vgpr, first.accum_vgpr, first.sgpr) == (16, 0, 128)
    assert trace.dispatches.grid[0].tolist() == [131072, 1, 1]
    assert {stream.id for stream in trace.streams} == {1, 2}


def test_counters_of_the_current_dialect(known: Known) -> None:
    trace = load([known("rocprofv3-csv/gfx1151-prefill/prefill_stall_counter_collection.csv")])
    assert trace.processes[0].pid == 3985130
    assert len(trace.counters) == 540
    first = {
        trace.strings[name]: value
        for row, name, value in zip(
            trace.counters.dispatch, trace.counters.name, trace.counters.value
        )
        if row == 0
    }
    assert first["GRBM_EA_BUSY"] == 12904.0
    assert first["GRBM_GUI_ACTIVE"] == 29471.0


def test_csv_of_the_older_dialect() -> None:
    trace = load([recording("rocprofv3-csv/mi325x-older-header")])
    assert len(trace.dispatches) == 70
    assert len(trace.agents) == 10
    assert trace.processes[0].pid == 66960
    agent = trace.agents[trace.dispatches.agent[0]]
    assert (agent.id, agent.kind) == (2, "GPU")
    assert agent.facts["cu_count"] == 304
    assert trace.kernels[0].arch_vgpr is None
    assert (trace.dispatches.stream == UNKNOWN).all()
