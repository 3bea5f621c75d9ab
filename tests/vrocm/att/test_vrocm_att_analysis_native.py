"""A thread trace of the virtual device is recorded, read and explained like one of hardware."""

from __future__ import annotations

from pathlib import Path

import pytest
from profiler_support import NEEDS_HIP, compiled, make_prefix

from rocm_perf_lab.analysis.code.instruction_mix import InstructionClass
from rocm_perf_lab.analysis.thread_traces.figures import ThreadTraceAnalysis, analyse_thread_trace
from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.collect.process import Stdout
from rocm_perf_lab.collect.rocprof.options import CollectOptions
from rocm_perf_lab.collect.rocprof.thread_trace import TracedKernel, collect_thread_trace
from rocm_perf_lab.trace.thread_trace.reader import read_thread_trace

PROGRAM = Path(__file__).resolve().parents[1] / "programs" / "thread_trace.hip"
ITERATIONS = 5  # of the loop in the program
pytestmark = NEEDS_HIP


@pytest.fixture(scope="module")
def loop(tmp_path_factory: pytest.TempPathFactory) -> ThreadTraceAnalysis:
    folder = tmp_path_factory.mktemp("traced")
    prefix = make_prefix(folder / "prefix")
    program = compiled(prefix, PROGRAM, folder, "-g")
    trace = collect_thread_trace(
        Prefix(prefix, "virtual", "test"),
        [str(program)],
        TracedKernel("loop(float const*, float*, int)", "_Z4loopPKfPfi.kd"),
        CollectOptions(timeout_s=120, app_stdout=Stdout.DISCARD),
        folder,
    )
    (table,) = (folder / "thread_trace_1").glob("stats_*.csv")
    assert [(c.text, c.hits, c.latency) for c in read_thread_trace(table).code] == [
        (c.text, c.hits, c.latency) for c in trace.code
    ]
    return analyse_thread_trace(trace)


def test_a_trace_of_the_virtual_device_is_whole(loop: ThreadTraceAnalysis) -> None:
    assert loop.kernels == ("_Z4loopPKfPfi",)
    assert loop.warnings == ()
    assert loop.fractions.stall + loop.fractions.issue + loop.fractions.idle == pytest.approx(1)
    assert 0 < loop.ipc_wave < loop.simds[0].ipc <= 1
    assert loop.mean_wave_us is not None
    (engine,) = loop.occupancy
    assert engine.mean is not None
    assert 0 < engine.mean <= engine.peak


def test_what_the_waits_waited_for(loop: ThreadTraceAnalysis) -> None:
    assert loop.waits is not None
    assert loop.waits.unmatched == 0
    waves = sum(simd.waves for simd in loop.simds)
    for_load, for_arguments = loop.waits.waits  # the longest first
    assert {d.code.opcode for d in for_arguments.dependencies} == {"s_load_dword", "s_load_dwordx4"}
    assert {d.latency.count for d in for_arguments.dependencies} == {waves}
    (load,) = for_load.dependencies
    assert load.code.opcode == "global_load_dword"
    assert load.latency.count == load.code.hits == ITERATIONS * waves
    memory = loop.waits.memory
    exposed = memory[InstructionClass.VMEM].exposed
    assert exposed is not None
    assert 100 < exposed.smallest <= exposed.mean
    # The program's first launch: its arguments come from memory, most of the rest from a cache.
    assert exposed.mean < memory[InstructionClass.SMEM].until_wait_ends.mean
    assert loop.wait_share > 0.75  # the last stores are waited for at the end of the program


def test_hot_lines_are_where_values_are_used(loop: ThreadTraceAnalysis) -> None:
    source = PROGRAM.read_text().splitlines()
    places = [hot.source.rsplit(":", 1) for hot in loop.hot_sources[:2]]
    assert {Path(name).name for name, _ in places} == {PROGRAM.name}
    first, second = (source[int(number) - 1] for _, number in places)
    assert "sum += scaled(from" in first
    assert "n < iterations" in second  # an argument
