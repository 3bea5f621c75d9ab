"""The parts of a thread trace: options, the device's file, costs, timelines, waits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from att_support import CODE, LOOP, WAIT, WAVE_BEGIN, WAVE_END, file_of_loop
from hypothesis import given
from hypothesis import strategies as st

from rocm_perf_lab.errors import RecordingError, UsageError
from rocm_perf_lab.vrocm.att.code import list_code
from rocm_perf_lab.vrocm.att.file import STEP, ThreadTrace, read_thread_trace
from rocm_perf_lab.vrocm.att.options import ThreadTraceRequest, thread_trace_request
from rocm_perf_lab.vrocm.att.timeline import WaveState, state_counts, wave_timeline
from rocm_perf_lab.vrocm.att.waitcnt import WaitLinks


def requested(**options: Any) -> ThreadTraceRequest:
    request = thread_trace_request({"advanced_thread_trace": True, **options})
    assert request is not None
    return request


def written(folder: Path, content: bytes) -> Path:
    path = folder / "7-thread-trace-1"
    path.write_bytes(content)
    return path


@pytest.fixture
def loop(tmp_path: Path) -> ThreadTrace:
    return read_thread_trace(written(tmp_path, file_of_loop()))


# --- options ---


def test_without_att_its_options_mean_nothing() -> None:
    assert thread_trace_request({"att_target_cu": "no number"}) is None


def test_the_defaults_are_those_of_rocprofv3() -> None:
    settings = requested().environment()["VROCM_THREAD_TRACE"]
    assert settings.split(",") == [
        "target_cu=1",
        "simd_mask=15",
        "se_mask=1",
        f"steps={0x10000000 // 12}",
        "iterations=1-1",
    ]
    assert requested().warnings == ()


def test_numbers_may_be_hexadecimal_and_kernels_chosen() -> None:
    request = requested(
        att_target_cu="0x3",
        att_simd_select="0x5",
        att_shader_engine_mask="0xA",
        att_buffer_size="1200",
        kernel_include_regex="gemm|copy",
        kernel_exclude_regex="fill, or not",
        kernel_iteration_range=["[2-3]", "[7]"],
    )
    environment = request.environment()
    assert environment["VROCM_THREAD_TRACE"] == (
        "target_cu=3,simd_mask=5,se_mask=10,steps=100,iterations=2-3/7-7"
    )
    assert environment["VROCM_THREAD_TRACE_INCLUDE"] == "gemm|copy"
    assert environment["VROCM_THREAD_TRACE_EXCLUDE"] == "fill, or not"


@pytest.mark.parametrize(
    ("options", "cause"),
    [
        ({"att_target_cu": "first"}, "--att-target-cu first: expected a number, from 0 to 0xf"),
        ({"att_target_cu": "16"}, "--att-target-cu 16"),
        ({"att_simd_select": "0"}, "--att-simd-select 0: expected a number, from 1 to 0xf"),
        ({"att_simd_select": "0x1F"}, "--att-simd-select"),
        ({"att_shader_engine_mask": "0"}, "--att-shader-engine-mask"),
        ({"att_buffer_size": "-4"}, "--att-buffer-size -4: expected a number, 1 or more"),
        ({"att_gpu_index": "0,x"}, "--att-gpu-index 0,x"),
        ({"att_activity": "17"}, "--att-activity 17: expected a number, from 1 to 0x10"),
        ({"att_activity": "8", "att_perfcounters": "A"}, "exclude each other"),
        ({"att_activity": "8", "att_perfcounter_ctrl": "3"}, "exclude each other"),
        ({"att_perfcounters": "SQ_WAVES"}, "need each other"),
        ({"att_perfcounter_ctrl": "3"}, "need each other"),
        ({"att_activity": "8", "pmc": ["SQ_WAVES"]}, "and --pmc exclude each other"),
        (
            {"att_perfcounters": "A", "att_perfcounter_ctrl": "3", "pmc": ["B"]},
            "and --pmc exclude each other",
        ),
        ({"kernel_include_regex": "("}, "not a regular expression"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, Any], cause: str) -> None:
    with pytest.raises(UsageError) as error:
        requested(**options)
    assert cause in error.value.cause


def test_what_the_virtual_device_cannot_trace_is_said() -> None:
    (warning,) = requested(att_activity="10").warnings
    assert "--att-activity has no effect" in warning
    (warning,) = requested(att_shader_engine_mask="0xFFFFFFFF").warnings
    assert "0xfffffff0" in warning
    assert (
        ",se_mask=15," in requested(att_shader_engine_mask="0xFFFFFFFF").environment().popitem()[1]
    )


# --- the file of the device ---


def test_the_file_holds_code_waves_and_occupancy(loop: ThreadTrace) -> None:
    (function,) = loop.functions
    assert (function.base, function.symbol) == (8192, "_Z4loopPi")
    assert [i.text for i in function.instructions] == list(CODE)
    (wave,) = loop.waves
    assert (wave.engine, wave.cu, wave.simd, wave.slot) == (0, 1, 2, 3)
    assert wave.steps.tolist() == list(LOOP)
    assert [event.begins for event in loop.occupancy] == [True, False]


def test_names_of_sources_may_be_in_any_encoding(tmp_path: Path) -> None:
    content = file_of_loop().replace(b"app.hip:1", b"\xfcber.hip:1")
    trace = read_thread_trace(written(tmp_path, content))
    assert trace.functions[0].instructions[0].source.endswith("ber.hip:1")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no json\n",
        b"[]\n",
        b"{}\n",
        file_of_loop(format=2),
        file_of_loop(steps=3),
        file_of_loop()[:-1],
        file_of_loop(waves=[[1, 2]]),
        file_of_loop(functions=[{"base": 1}]),
    ],
)
def test_a_damaged_file_is_an_error_that_names_it(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(RecordingError, match="7-thread-trace-1 cannot be read"):
        read_thread_trace(written(tmp_path, content))


# --- costs ---


def test_costs_are_sums_over_the_wave(loop: ThreadTrace) -> None:
    code = list_code(loop, {8192: 5})
    label, load, wait, add, branch, end = code.rows
    assert (label.text, label.source, label.hits) == ("; _Z4loopPi", "loop(int*)", 0)
    assert (load.hits, load.latency, load.stall, load.idle) == (2, 16, 8, 20 + 8)
    assert (wait.hits, wait.latency, wait.stall, wait.idle) == (2, 800, 800, 0)
    assert (add.hits, add.latency, add.stall) == (2, 12, 4)
    assert (branch.hits, branch.idle) == (2, 0)
    assert (end.hits, end.latency) == (1, 36)
    assert [row.line for row in code.rows] == list(range(6))
    assert {row.code_object for row in code.rows} == {5}
    # Everything that a wave lived is in some row.
    spent = sum(row.latency + row.idle for row in code.rows)
    assert spent == WAVE_END - WAVE_BEGIN


def test_code_of_an_unknown_code_object_and_without_a_name_is_listed(tmp_path: Path) -> None:
    nameless = {"base": 1, "symbol": "", "demangled": "", "rows": [[0, CODE[0], ""]] * 5}
    trace = read_thread_trace(written(tmp_path, file_of_loop(functions=[nameless])))
    code = list_code(trace, {8192: 5})
    assert [row.line for row in code.rows] == list(range(5))
    assert {row.code_object for row in code.rows} == {0}


# --- timelines ---


def test_a_wave_is_idle_then_executes_waits_and_stalls(loop: ThreadTrace) -> None:
    timeline = wave_timeline(loop.waves[0].steps, WAVE_BEGIN, WAVE_END)
    assert timeline.parts == [
        (WaveState.IDLE, 20),
        (WaveState.EXECUTING, 4),
        (WaveState.WAITING, 500),
        (WaveState.EXECUTING, 16),
        (WaveState.STALLED, 8),
        (WaveState.EXECUTING, 4),
        (WaveState.WAITING, 300),
        (WaveState.STALLED, 4),
        (WaveState.EXECUTING, 8),
        (WaveState.WAITING, 36),
    ]


steps_of_a_wave = st.lists(
    st.tuples(
        st.integers(0, 50),
        st.sampled_from([1, 2, 3, 4, 5, 6, 7, 8, 9, 11]),
        st.integers(0, 90),
        st.integers(0, 20),
    )
)


@given(steps_of_a_wave, st.integers(0, 30))
def test_a_timeline_covers_the_life_of_its_wave(
    steps: list[tuple[int, int, int, int]], rest: int
) -> None:
    now, rows = 10, []
    for gap, category, stall, issue in steps:
        rows.append((now + gap, stall, stall + issue, 0, category))
        now += gap + stall + issue
    timeline = wave_timeline(np.array(rows, dtype=STEP), 10, now + rest)
    assert timeline.cycles.sum() == now + rest - 10
    for times, number in state_counts([timeline, timeline]).values():
        assert times == sorted(set(times))
        assert set(number) <= {0, 2}
        assert number[-1] == 0


# --- waits ---


def links(*texts: str) -> list[tuple[int, tuple[int, ...]]]:
    """Of a program that runs straight through."""
    found = WaitLinks(texts).of_wave(np.arange(len(texts)))
    return [(link.line, link.waited_for) for link in found]


LOAD, STORE, LDS, SCALAR, FLAT = (
    "global_load_dword v1, v0, s[0:1]",
    "buffer_store_dword v1, v0, s[0:3], 0 offen",
    "ds_read_b32 v1, v0",
    "s_load_dword s0, s[4:5], 0x0",
    "flat_load_dword v1, v[2:3]",
)


def test_a_wait_that_leaves_some_outstanding_covers_the_oldest() -> None:
    assert links(LOAD, STORE, LOAD, "s_waitcnt vmcnt(1)", "s_waitcnt vmcnt(0)") == [
        (3, (0, 1)),
        (4, (2,)),
    ]


def test_both_counters_in_one_wait_are_told_apart() -> None:
    assert links(LOAD, LDS, "s_waitcnt vmcnt(0) lgkmcnt(0)") == [(2, (1,)), (2, (0,))]


def test_scalar_loads_return_in_any_order() -> None:
    assert links(SCALAR, SCALAR, "s_waitcnt lgkmcnt(1)", "s_waitcnt lgkmcnt(0)") == [(3, (0, 1))]


def test_flat_accesses_are_covered_by_either_counter() -> None:
    assert links(FLAT, "s_waitcnt vmcnt(0) lgkmcnt(0)") == [(1, (0,))]


def test_a_wait_for_nothing_has_no_link() -> None:
    assert links("s_waitcnt vmcnt(0)", LOAD, "s_waitcnt lgkmcnt(0)", "s_waitcnt_depctr 0") == []


def test_links_follow_the_loop_of_a_wave(loop: ThreadTrace) -> None:
    lines = loop.waves[0].steps["row"].astype(np.int64)
    assert [link.line for link in WaitLinks(CODE).of_wave(lines)] == [WAIT, WAIT]
