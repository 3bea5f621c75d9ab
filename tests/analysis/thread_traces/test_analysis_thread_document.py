"""The block of a document about a thread trace."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from fakes.recordings import Known, recording
from fakes.thread_traces import documents, write_folder
from rocm_perf_lab.analysis.documents.schemas.thread_trace import ThreadTraceModel
from rocm_perf_lab.analysis.documents.thread_trace import MOST_WAITS, thread_trace_block
from rocm_perf_lab.analysis.documents.verdicts.measured import _traced
from rocm_perf_lab.analysis.thread_traces.figures import analyse_thread_trace
from rocm_perf_lab.strict_json import as_text, plain, read_strict
from rocm_perf_lab.trace.thread_trace.model import ThreadTrace
from rocm_perf_lab.trace.thread_trace.reader import read_thread_trace

_FIELDS_OF_1_0 = {
    "instruction_mix",
    "stall_fraction",
    "idle_fraction",
    "avg_memory_latency",
    "ipc",
}


def block(trace: ThreadTrace) -> ThreadTraceModel:
    found = thread_trace_block(analyse_thread_trace(trace))
    again = read_strict(ThreadTraceModel, as_text(found))
    assert again == found
    return found


def test_everything_is_told(tmp_path: Path) -> None:
    found = block(read_thread_trace(write_folder(tmp_path, documents())))
    assert set(plain(found)) >= _FIELDS_OF_1_0
    assert found.instruction_mix["vmem"] == 4 / 12
    assert sum(found.instruction_mix.values()) == pytest.approx(1)
    assert sum(found.latency_mix.values()) == pytest.approx(1)
    assert found.avg_memory_latency == (520 + 640 + 516 + 636) / 4
    assert found.ipc_simd == 12 / 1304
    (wait,) = found.waits
    assert [w.code.instruction.split()[0] for w in wait.waited_for] == [
        "global_load_dword",
        "scratch_load_dword",
    ]
    exposed = found.memory_latency["vmem"].exposed
    assert exposed is not None
    assert (exposed.count, exposed.min, exposed.max) == (2, 516, 636)
    (engine,) = found.occupancy
    assert (engine.waves, engine.peak_waves, engine.compute_units) == (2, 2, 2)
    assert sum(engine.waves_over_time) / len(engine.waves_over_time) == pytest.approx(
        engine.mean_waves
    )
    assert found.hot_sources[0].source == "b.h:7"
    assert found.hot_instructions[1].code.source is None


def test_what_verdicts_rest_on_comes_through(tmp_path: Path) -> None:
    found = block(read_thread_trace(write_folder(tmp_path, documents())))
    assert sum(found.roles.values()) == pytest.approx(1)
    traced = _traced(replace(found, deciding_loads=0.25))
    assert (traced.roles, traced.deciding_loads) == (found.roles, 0.25)
    assert (traced.stall_fraction, traced.waiting) == (found.stall_fraction, found.waiting)


def test_what_a_statistics_table_cannot_tell_is_absent(tmp_path: Path) -> None:
    trace = read_thread_trace(write_folder(tmp_path, documents()))
    found = block(ThreadTrace("stats.csv", trace.kernels, trace.code))
    assert found.avg_memory_latency is found.ipc_simd is found.mean_wave_us is None
    assert (found.memory_latency, found.waits, found.occupancy) == ({}, [], [])
    assert found.stall_fraction == (1144 + 92 + 10) / 1304


def test_a_recording_as_a_block(known: Known) -> None:
    name = "mi300x-batched-gemm-trace/ui_output_agent_5600_dispatch_2"
    found = block(read_thread_trace(known(name)))
    assert found.stall_fraction == 97792 / (130376 + 8456)
    assert found.idle_fraction == 8456 / (130376 + 8456)
    assert found.ipc == 7000 / (130376 + 8456)
    assert found.instruction_mix["mfma"] == 1024 / 7000
    assert found.hot_sources == []  # compiled without line tables


def test_the_waits_of_a_recording() -> None:
    name = "mi300x-batched-gemm-trace/ui_output_agent_5600_dispatch_2"
    found = block(read_thread_trace(recording(name)))
    assert found.avg_memory_latency == 5710.25
    assert len(found.waits) == MOST_WAITS
