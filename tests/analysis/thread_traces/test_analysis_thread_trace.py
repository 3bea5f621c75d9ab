"""What a thread trace says: on a trace made by hand, on damaged ones, and on recordings."""

from __future__ import annotations

import dataclasses
import functools
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes.damage import damaged
from fakes.recordings import Known
from fakes.thread_traces import CODE, STEPS, documents, unpacked, write_folder
from rocm_perf_lab.analysis.code.hot import hot_sources, innermost, outermost
from rocm_perf_lab.analysis.code.instruction_mix import InstructionClass
from rocm_perf_lab.analysis.thread_traces.figures import ThreadTraceAnalysis, analyse_thread_trace
from rocm_perf_lab.errors import NothingRecorded, RecordingError
from rocm_perf_lab.trace.thread_trace.model import ThreadTrace
from rocm_perf_lab.trace.thread_trace.reader import read_thread_trace

C = InstructionClass
WAVE_FILE = "se0_sm2_sl3_wv0.json"
FAST, SLOW = "256_256_64_16_763.74TFLOPS", "256_256_64_16_alt_307.85TFLOPS"


@pytest.fixture
def trace(tmp_path: Path) -> ThreadTrace:
    return read_thread_trace(write_folder(tmp_path, documents()))


@functools.cache
def recorded(known: Known, dispatch: int) -> ThreadTraceAnalysis:
    name = f"mi300x-batched-gemm-trace/ui_output_agent_5600_dispatch_{dispatch}"
    return analyse_thread_trace(read_thread_trace(known(name)), hot=1000)


def gemm(archive: str, folder: Path) -> ThreadTraceAnalysis:
    folder.mkdir()
    return analyse_thread_trace(read_thread_trace(unpacked(archive, folder)))


def test_fractions_are_of_the_time_of_waves_and_add_up(trace: ThreadTrace) -> None:
    found = analyse_thread_trace(trace)
    latency, stall, idle = (sum(row[n] for row in CODE) for n in (7, 8, 9))
    assert latency + idle == STEPS[-1][0] + STEPS[-1][3] - 100  # from begin to the last end
    share = found.fractions
    assert share.stall == stall / (latency + idle)
    assert share.idle == idle / (latency + idle)
    assert share.stall + share.issue + share.idle == pytest.approx(1)
    assert share.stall_of_latency == stall / latency
    assert found.ipc_wave == len(STEPS) / (latency + idle)
    assert found.wait_share == 1144 / latency
    assert found.barrier_share == 92 / latency
    assert found.scratch_share == 2 / 12


def test_a_wave_that_stalls_all_the_time_has_a_stall_fraction_of_one(trace: ThreadTrace) -> None:
    """Adding stall to latency again would give one half."""
    code = (dataclasses.replace(trace.code[0], hits=1, latency=1000, stall=1000, idle=0),)
    found = analyse_thread_trace(dataclasses.replace(trace, code=code))
    assert found.fractions.stall == found.fractions.stall_of_latency == 1


def test_rates_of_simds_and_lives_of_waves(trace: ThreadTrace) -> None:
    (wave,) = trace.waves
    later = dataclasses.replace(wave, slot=4, begin=200, end=1604)
    elsewhere = dataclasses.replace(wave, cu=2)
    found = analyse_thread_trace(dataclasses.replace(trace, waves=(wave, later, elsewhere)))
    first, second = found.simds
    assert (first.cu, first.waves, first.instructions, first.cycles) == (1, 2, 24, 1504)
    assert (second.cu, second.waves, second.ipc) == (2, 1, 12 / 1304)
    assert found.mean_wave_cycles == (1304 + 1404 + 1304) / 3
    assert found.mean_wave_us == pytest.approx((1304 + 1404 + 1304) / 3 / 2000)
    assert found.warnings == ("the wave files hold 36 executed instructions, the code 12",)
    unclocked = dataclasses.replace(trace, clock_mhz={})
    assert analyse_thread_trace(unclocked).mean_wave_us is None


def test_hot_spots(trace: ThreadTrace) -> None:
    found = analyse_thread_trace(trace, hot=3)
    assert [hot.code.opcode for hot in found.hot_instructions] == [
        "s_waitcnt",
        "s_barrier",
        "global_load_dword",
    ]
    assert found.hot_instructions[0].share == 1144 / 1304
    assert [(hot.source, hot.within, hot.instructions) for hot in found.hot_sources] == [
        ("b.h:7", "a.hip:4", 2),
        ("a.hip:3", "", 2),
        ("a.hip:2", "", 1),
    ]
    assert found.hot_sources[0].cost.latency == 1154
    assert found.hot_sources[1].share == (16 + 22 + 8) / 1304


@pytest.mark.parametrize(
    ("source", "inner", "outer"),
    [
        ("c.h:1 -> b.h:7 -> a.hip:4", "c.h:1", "a.hip:4"),
        ("b.h:7 -> a.hip:0", "b.h:7", ""),
        ("a.hip:10", "a.hip:10", ""),
        ("a.hip:0", "", ""),
        ("", "", ""),
    ],
)
def test_the_line_of_inlined_code_is_the_innermost(source: str, inner: str, outer: str) -> None:
    assert (innermost(source), outermost(source)) == (inner, outer)


def test_the_call_that_spends_most_in_an_inlined_line(trace: ThreadTrace) -> None:
    first, second = (
        dataclasses.replace(trace.code[0], source=f"b.h:7 -> a.hip:{line}", latency=latency)
        for line, latency in ((4, 10), (9, 30))
    )
    (hot,) = hot_sources((first, second), 3)
    assert (hot.source, hot.within) == ("b.h:7", "a.hip:9")


def test_a_statistics_table_gives_what_needs_no_waves(trace: ThreadTrace) -> None:
    table = ThreadTrace("stats.csv", trace.kernels, trace.code)
    found, whole = analyse_thread_trace(table), analyse_thread_trace(trace)
    assert (found.fractions, found.mix) == (whole.fractions, whole.mix)
    assert (found.simds, found.waits, found.occupancy) == ((), None, ())
    assert found.mean_wave_cycles is None


@pytest.mark.parametrize("code", [None, CODE[:1], [[*CODE[1][:6], 0, 0, 0, 0]]])
def test_nothing_executed_is_an_error_with_a_cure(code: Any, tmp_path: Path) -> None:
    content = documents()
    content["code.json"]["code"] = code
    with pytest.raises(NothingRecorded) as caught:
        analyse_thread_trace(read_thread_trace(write_folder(tmp_path, content)))
    assert "no wave came to the traced CU" in caught.value.cause
    assert "--att-target-cu" in (caught.value.next_step or "")


@pytest.mark.parametrize(
    ("dispatch", "sums"),
    [(1, (10008, 133640, 86648, 26432)), (2, (7000, 130376, 97792, 8456))],
)
def test_sums_of_recordings(dispatch: int, sums: tuple[int, ...], known: Known) -> None:
    found = recorded(known, dispatch)
    assert dataclasses.astuple(found.mix.total) == sums
    assert found.warnings == ()
    assert sum(hot.share for hot in found.hot_instructions) <= 1 + 1e-9


@pytest.mark.parametrize(
    ("dispatch", "opcode", "hits", "latency"),
    [
        (1, "v_lshl_add_u64", 860, 3440),
        (1, "s_add_u32", 856, 3424),
        (1, "global_store_dwordx4", 428, 77764),
        (2, "v_mfma_f32_32x32x8_f16", 1024, 30528),
        (2, "s_waitcnt", 416, 27620),
        (2, "buffer_load_dwordx4", 128, 19316),
        (2, "ds_write_b16", 1024, 16256),
        (2, "s_barrier", 76, 8480),
        (2, "v_accvgpr_read_b32", 1024, 4096),
    ],
)
def test_opcodes_of_recordings(
    dispatch: int, opcode: str, hits: int, latency: int, known: Known
) -> None:
    cost = recorded(known, dispatch).mix.by_opcode[opcode]
    assert (cost.hits, cost.latency) == (hits, latency)


def test_mix_of_the_recorded_gemm(known: Known) -> None:
    by_class = {kind: cost.hits for kind, cost in recorded(known, 2).mix.by_class.items()}
    assert by_class == {
        C.VALU: 3236, C.LDS: 1536, C.MFMA: 1024, C.SYNC: 528, C.SALU: 356, C.VMEM: 256,
        C.BRANCH: 40, C.SMEM: 24,
    }  # fmt: skip


def test_waves_of_the_recorded_gemm(known: Known) -> None:
    found = recorded(known, 2)
    assert found.mean_wave_cycles == pytest.approx(34704, rel=1e-4)
    assert found.mean_wave_us == pytest.approx(18.4, abs=0.05)
    assert [simd.waves for simd in found.simds] == [1, 1, 1, 1]
    # One wave per SIMD: its rate is that of its wave, which has a little time at its end.
    for simd in found.simds:
        assert simd.ipc == pytest.approx(found.ipc_wave, rel=5e-3)


@pytest.mark.slow
def test_why_one_of_two_recorded_gemms_is_slow(tmp_path: Path) -> None:
    """Its stalls are waits for vector memory, and many of those for spilled registers."""
    fast, slow = gemm(FAST, tmp_path / "fast"), gemm(SLOW, tmp_path / "slow")
    assert shares(fast) == [0.769, 0.450, 0.101, 0.177]
    assert shares(slow) == [0.894, 0.181, 0.625, 0.045]
    for found in (fast, slow):
        assert found.warnings == ()
        assert sum(simd.waves for simd in found.simds) == 32
        assert found.mix.by_opcode["v_mfma_f32_16x16x16_bf16"].hits == 524288  # the same product
    assert fast.waits is not None
    assert slow.waits is not None
    assert (fast.waits.unmatched, slow.waits.unmatched) == (0, 0)
    assert (fast.scratch_share, round(slow.scratch_share, 3)) == (0, 0.067)
    assert slow.waits.memory[C.VMEM].stall > 50 * fast.waits.memory[C.VMEM].stall
    assert slow.waits.scratch_share == pytest.approx(0.76, abs=0.005)
    assert fast.waits.scratch_share == 0


def shares(found: ThreadTraceAnalysis) -> list[float]:
    """Stall, matrix instructions, waits and barriers, of the latency."""
    mfma = found.mix.latency_share(C.MFMA)
    all_shares = (found.fractions.stall_of_latency, mfma, found.wait_share, found.barrier_share)
    return [round(share, 3) for share in all_shares]


def use(folder: Path) -> None:
    """An analysis, or one of the two errors; never a warning of NumPy or another exception."""
    try:
        found = analyse_thread_trace(read_thread_trace(folder))
    except (RecordingError, NothingRecorded) as error:
        assert error.cause and error.next_step  # noqa: PT018, PT017
        return
    assert 0 <= found.fractions.stall <= 1
    assert found.fractions.stall + found.fractions.issue + found.fractions.idle <= 1.000001
    for engine in found.occupancy:
        assert engine.peak >= 0
        assert len(engine.binned(4)) == 4


fuzz = settings(max_examples=150, deadline=None, derandomize=True)
names = st.sampled_from(sorted(documents()))


@pytest.mark.filterwarnings("error")
@fuzz
@given(names, st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), max_size=6),
       st.sampled_from([1.0, 1.0, 0.9, 0.3, 0.0]))  # fmt: skip
def test_damaged_bytes_never_crash(
    name: str, changes: list[tuple[float, int]], keep: float
) -> None:
    with tempfile.TemporaryDirectory() as parent:
        folder = write_folder(Path(parent), documents())
        file = folder / name
        file.write_bytes(damaged(file.read_bytes(), changes, keep))
        use(folder)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)
    | st.integers(-2, 9),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=12,
)  # fmt: skip


def replaced(document: Any, path: list[int], value: Any) -> Any:
    """The document with ``value`` at a place that ``path`` leads to."""
    if not path or not isinstance(document, (dict, list)) or not document:
        return value
    if isinstance(document, dict):
        key = sorted(document)[path[0] % len(document)]
        return {**document, key: replaced(document[key], path[1:], value)}
    at = path[0] % len(document)
    return [*document[:at], replaced(document[at], path[1:], value), *document[at + 1 :]]


@pytest.mark.filterwarnings("error")
@fuzz
@given(names, st.lists(st.integers(0, 12), min_size=1, max_size=5), values)
def test_any_value_anywhere_never_crashes(name: str, path: list[int], value: Any) -> None:
    content = documents()
    content[name] = replaced(content[name], path, value)
    with tempfile.TemporaryDirectory() as parent:
        use(write_folder(Path(parent), json.loads(json.dumps(content))))
