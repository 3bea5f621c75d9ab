"""Known answers: profiles of recordings that were made on real GPUs by others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fakes.recordings import Known, recording
from rocm_perf_lab.cli.main import main


def profile_of(path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["profile", "--json", "--from", str(path)]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def test_mi300x_batched_gemm(known: Known, capsys: pytest.CaptureFixture[str]) -> None:
    document = profile_of(known("mi300x-batched-gemm-trace/28_results.db"), capsys)
    gemm, fill = document["kernels"]
    assert "gemm" in gemm["name"].lower()
    assert gemm["dispatches"] == 150
    assert (gemm["min_ns"], gemm["median_ns"], gemm["max_ns"]) == (15917, 16959.0, 26340)
    assert (gemm["grid"], gemm["block"]) == ([512, 128, 1], [256, 1, 1])
    assert (gemm["resources"]["arch_vgpr"], gemm["resources"]["accum_vgpr"]) == (128, 384)
    assert gemm["resources"]["lds_bytes"] == 65536
    assert gemm["occupancy"]["theoretical"] == 0.125
    assert fill["runtime_internal"] is True
    assert fill["total_ns"] == 24175
    assert document["kernel"]["name"] == gemm["name"]
    assert document["device"] == {
        "kind": "recorded",
        "gfx": "gfx942",
        "product": "AMD Instinct MI300X",
        "compute_units": 304,
        "xcc_count": 8,
        "max_clock_mhz": 2100,
    }
    # Dispatches overlap slightly on one queue: busy is a union, so it is below the sum.
    assert document["timing"]["gpu_busy_ms"] < document["timing"]["kernel_sum_ms"]


def test_new_csv_dialect_gfx1151(known: Known, capsys: pytest.CaptureFixture[str]) -> None:
    document = profile_of(known("rocprofv3-csv/gfx1151-prefill"), capsys)
    assert sum(k["dispatches"] for k in document["kernels"]) == 1128


def test_older_csv_dialect_mi325x(capsys: pytest.CaptureFixture[str]) -> None:
    document = profile_of(recording("rocprofv3-csv/mi325x-older-header"), capsys)
    assert document["device"]["gfx"] == "gfx942"
    assert document["resources"]["vgpr_per_thread"] is None
    assert document["occupancy"] is None
    assert any(entry["field"] == "occupancy" for entry in document["unavailable"])


def test_terminal_form_of_a_real_recording(
    known: Known, capsys: pytest.CaptureFixture[str]
) -> None:
    path = known("mi300x-batched-gemm-trace/28_results.db")
    assert main(["profile", "--from", str(path)]) == 0
    out = capsys.readouterr().out
    assert "12.5% (vgpr)" in out
    assert "VGPR <= 256 and LDS bytes <= 32768" in out
    assert all(len(line) <= 100 for line in out.splitlines())
