"""What waves of a thread trace wait for, and how busy their matrix units are."""

from __future__ import annotations

from pathlib import Path

import pytest

from fakes.thread_traces import FMA, documents, write_folder
from rocm_perf_lab.analysis.documents.thread_trace import thread_trace_block
from rocm_perf_lab.analysis.documents.thread_trace_summary import summarise
from rocm_perf_lab.analysis.thread_traces.figures import analyse_thread_trace
from rocm_perf_lab.analysis.thread_traces.matrix import matrix_cycles
from rocm_perf_lab.trace.thread_trace.reader import read_thread_trace


@pytest.mark.parametrize(
    ("mnemonic", "cycles"),
    [
        ("v_mfma_f32_32x32x8_f16", 32),
        ("v_mfma_f32_16x16x16_bf16", 16),
        ("v_mfma_f32_32x32x16_fp8_fp8", 32),
        ("v_mfma_i32_32x32x16_i8", 32),
        ("v_mfma_f32_32x32x2_f32", 64),
        ("v_mfma_f32_16x16x4_4b_f32", 128),
        ("v_mfma_f64_16x16x4_f64", 32),
        ("v_fma_f32", None),
    ],
)
def test_cycles_follow_from_shape_and_rate(mnemonic: str, cycles: int) -> None:
    assert matrix_cycles(mnemonic) == cycles


def test_stalls_by_cause(tmp_path: Path) -> None:
    """1144 cycles at waits that end with a global load, 92 at a barrier, of 1246 in all."""
    found = analyse_thread_trace(read_thread_trace(write_folder(tmp_path, documents())))
    assert found.waiting == {
        "global memory": pytest.approx(1144 / 1246),
        "barrier": pytest.approx(92 / 1246),
    }
    assert found.matrix_busy == 0.0
    assert "Of all stall 91.8 % is for global memory." in summarise(thread_trace_block(found))


def test_waits_for_scratch_alone_are_spills(tmp_path: Path) -> None:
    content = documents()
    (wave,) = [name for name in content if name.startswith("se0")]
    content[wave]["wave"]["waitcnt"] = [[3, [[2, 0]]], [3, [[2, 0]]]]
    found = analyse_thread_trace(read_thread_trace(write_folder(tmp_path, content)))
    assert next(iter(found.waiting)) == "spilled registers"
    assert found.waiting["spilled registers"] == pytest.approx(1144 / 1246)


def test_matrix_instructions_over_the_time_of_the_simd(tmp_path: Path) -> None:
    """Two of 32 cycles in a wave of 1304."""
    content = documents()
    content["code.json"]["code"][FMA][0] = "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]"
    found = analyse_thread_trace(read_thread_trace(write_folder(tmp_path, content)))
    assert found.matrix_busy == pytest.approx(2 * 32 / 1304)
    assert "The matrix units work 4.9 % of the time" in summarise(thread_trace_block(found))
