"""``rocm-perf profile --deep-analysis`` of recordings and of thread traces alone."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from deep_analysis_support import (
    APP,
    FAST,
    PAGE,
    ROOT,
    SLOW,
    SPILLING,
    content,
    document,
    kernel_of,
    reason_for,
)

from fakes.fake_rocm import FakeRocm, write_program
from fakes.recordings import Known, recording
from fakes.thread_traces import unpacked, write_folder
from rocm_perf_lab.cli.main import main


def recorded_with(fake: FakeRocm, kept: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A recording of three launches without a thread trace."""
    options = ["--rocm", str(fake.path), "--runs", "1", "--keep-trace", str(kept)]
    assert main(["profile", "--quiet", *options, "--", *APP]) == 0
    capsys.readouterr()
    return kept


def test_a_recording_without_a_thread_trace(
    fake_rocm: FakeRocm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = recorded_with(fake_rocm, tmp_path / "kept", capsys)
    options = ["--rocm", str(fake_rocm.path), "--from", str(kept)]
    found = document(capsys, *options)
    entry = reason_for(found, "att")
    assert entry["reason"] == "no thread trace of this kernel is with the recording"
    assert "--deep-analysis" in entry["next"]
    assert reason_for(found, "analysis.static")["reason"] == "its code object was not found"
    (kept / "1_shader_engine_0_1.att").touch()
    entry = reason_for(document(capsys, *options), "att")
    assert entry["reason"] == "its thread trace was recorded, but never decoded"
    assert "librocprof-trace-decoder.so" in entry["next"]


def test_traces_beside_a_recording_belong_to_their_kernel(
    fake_rocm: FakeRocm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = recorded_with(fake_rocm, tmp_path / "kept", capsys)
    other = write_folder(kept / "other", content("; _Z5otherv"))
    mine = write_folder(kept / "mine", content())
    found = document(capsys, "--rocm", str(fake_rocm.path), "--from", str(kept))
    assert kernel_of(found)["att"]["source"] == str(mine)
    assert found["analysis"]["notes"] == [f"another thread trace is not shown: {other}"]
    (database,) = kept.rglob("*_results.db")
    mine.rename(database.parent / mine.name)
    found = document(capsys, "--rocm", str(fake_rocm.path), "--from", str(database))
    assert kernel_of(found)["att"]["source"] == str(database.parent / mine.name)
    found = document(capsys, "--rocm", str(fake_rocm.path), "--from", str(database), str(other))
    assert kernel_of(found)["att"]["kernels"] == ["_Z10vector_addPKfS0_Pfi"]


def test_an_empty_or_damaged_trace_is_the_reason(
    fake_rocm: FakeRocm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = recorded_with(fake_rocm, tmp_path / "kept", capsys)
    folder = write_folder(kept, content(executed=False))
    entry = reason_for(document(capsys, "--from", str(kept)), "att")
    assert "holds no executed instruction: no wave came to the traced CU" in entry["reason"]
    assert "--att-target-cu" in entry["next"]
    (folder / "code.json").write_text("{")
    entry = reason_for(document(capsys, "--from", str(kept)), "att")
    assert "is damaged" in entry["reason"]
    assert "rocprofv3 --att" in entry["next"]


def test_lost_instructions_are_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = content()
    made["se0_sm2_sl3_wv0.json"]["num_stitched"] = 5
    folder = write_folder(tmp_path, made)
    assert main(["profile", "--deep-analysis", "--from", str(folder)]) == 0
    assert "the decoder lost 7 of 12 instructions" in capsys.readouterr().out


def test_a_decoder_folder_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_folder(tmp_path / "there", content())
    schema = json.loads((ROOT / "docs" / "schema" / "analysis-1.0.json").read_text())
    for path in (folder, folder.parent):
        found = document(capsys, "--from", str(path), "--out", str(tmp_path / "out"))
        jsonschema.validate(found, schema)
        assert json.loads((tmp_path / "out" / "analysis.json").read_text()) == found
        (kernel,) = found["kernels"]
        assert (kernel["kernel"], kernel["time_ms"]) == ("_Z10vector_addPKfS0_Pfi", None)
        assert kernel["att"]["source"] == str(folder)
        assert kernel["static"]["instructions"] == 8
        assert kernel["static"]["register_pressure"]["peak_vgpr"] == 3
        assert found["virtual"] is None
    assert not (tmp_path / "out" / "profile.json").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [([], "is a thread trace, not a recording"), (["--deep-analysis", "--quiet"], "hold none")],
)
def test_what_thread_traces_alone_cannot_give(
    tmp_path: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_folder(tmp_path, content())
    assert main(["profile", *options, "--from", str(folder)]) == 2
    assert message in capsys.readouterr().err


def test_nothing_but_empty_traces_is_no_success(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_folder(tmp_path, content(executed=False))
    assert main(["profile", "--deep-analysis", "--from", str(folder)]) == 5
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "no wave came to the traced CU" in captured.err


def test_the_sums_of_a_recorded_trace(known: Known, capsys: pytest.CaptureFixture[str]) -> None:
    """The MI300X batched GEMM: recording and thread traces in one folder."""
    found = document(capsys, "--from", str(known("mi300x-batched-gemm-trace")))
    gemm, fill = found["analysis"]["kernels"]
    for kernel, sums in (
        (gemm, (7000, 130376, 97792, 8456)),
        (fill, (10008, 133640, 86648, 26432)),
    ):
        hits, latency, stall, idle = sums
        att = kernel["att"]
        assert att["stall_fraction"] == stall / (latency + idle)
        assert att["idle_fraction"] == idle / (latency + idle)
        assert att["stall_of_latency"] == stall / latency
        assert att["ipc"] == hits / (latency + idle)
        assert sum(att["instruction_mix"].values()) == pytest.approx(1)
    assert gemm["att"]["instruction_mix"]["mfma"] == 1024 / 7000
    assert gemm["att"]["mean_wave_us"] == pytest.approx(18.4, abs=0.05)
    assert found["att"]["stall_fraction"] == gemm["att"]["stall_fraction"]


def test_the_registers_of_a_recorded_trace(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "--from", str(recording("mi300x-batched-gemm-trace")))
    pressure = found["analysis"]["kernels"][0]["static"]["register_pressure"]
    live_registers = pressure["peak_vgpr"] + pressure["peak_accum_vgpr"]
    assert 0.9 * 512 < live_registers <= 512 == found["resources"]["vgpr_per_thread"]


def test_a_recorded_statistics_table(known: Known, capsys: pytest.CaptureFixture[str]) -> None:
    table = known("mi300x-batched-gemm-trace/stats_ui_output_agent_5600_dispatch_2.csv")
    (kernel,) = document(capsys, "--from", str(table))["kernels"]
    assert kernel["att"]["stall_fraction"] == 97792 / (130376 + 8456)
    assert kernel["att"]["instruction_mix"]["mfma"] == 1024 / 7000
    assert (kernel["att"]["memory_latency"], kernel["att"]["ipc_simd"]) == ({}, None)
    assert main(["profile", "--deep-analysis", "--from", str(table)]) == 0
    assert "75.0 % of the latency is stall" in capsys.readouterr().out


@pytest.mark.slow
def test_two_recorded_products_ranked_and_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = []
    for name in (FAST, SLOW):
        (tmp_path / name).mkdir()
        folders.append(str(unpacked(name, tmp_path / name)))
    written = tmp_path / "out"
    assert main(["profile", "--deep-analysis", "--from", *folders, "--out", str(written)]) == 0
    slow, fast = json.loads((written / "analysis.json").read_text())["kernels"]
    assert (SLOW in slow["att"]["source"], FAST in fast["att"]["source"]) == (True, True)
    assert round(slow["att"]["stall_of_latency"], 3) == 0.894
    assert round(fast["att"]["stall_of_latency"], 3) == 0.769
    assert round(slow["att"]["wait_share"], 3) == 0.625
    assert slow["bottleneck"]["primary"] == "latency bound"
    assert fast["bottleneck"] is None  # waiting is all that a trace alone can tell
    assert slow["static"]["register_pressure"]["peak_vgpr"] == 256  # the whole file: it spills
    assert slow["static"]["scratch_accesses"] > 0 == fast["static"]["scratch_accesses"]
    text = capsys.readouterr().out
    (documented,) = re.findall(r"```text\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert documented in text
    out = " ".join(text.split())
    assert "62.5 %, is spent waiting for memory (s_waitcnt)" in out
    assert "87.8 % of these stalls end when vector memory answers" in out
    assert "76.2 % of the stall at waits is for scratch alone: registers that were spilled" in out
    assert "45.0 %, is spent in matrix instructions" in out
    assert "Result: 89.4% of the latency is stall, " in out
    assert "% of it for spilled registers: " in out
    busy = [kernel["att"]["matrix_busy"] for kernel in (fast, slow)]
    assert busy[0] / busy[1] == pytest.approx(763.74 / 307.85, rel=0.25)  # their rates
    assert next(iter(slow["att"]["waiting"])) == "spilled registers"
    assert next(iter(fast["att"]["waiting"])) == "matrix dependency"


@pytest.fixture(scope="module")
def spilling(virtual_rocm: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that spills registers, with line tables."""
    app = tmp_path_factory.mktemp("spilling") / "register_spill"
    compiler = [str(virtual_rocm / "bin" / "hipcc"), "-gline-tables-only"]
    subprocess.run([*compiler, str(SPILLING), "-o", str(app)], check=True)
    return app


def check_code(static: dict[str, Any]) -> None:
    assert static["vgpr_spills"] > 0
    assert static["scratch_bytes"] > 0
    assert sum(line["stores"] + line["loads"] for line in static["scratch_lines"]) > 0
    pressure = static["register_pressure"]
    assert 0.9 * pressure["allocated_vgpr"] < pressure["peak_vgpr"] <= pressure["allocated_vgpr"]
    assert pressure["source"].rpartition(":")[0].endswith(SPILLING.name)


def test_on_the_virtual_device(
    virtual_rocm: Path, spilling: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = document(capsys, "--rocm", str(virtual_rocm), "--runs", "1", "--", str(spilling))
    assert found["analysis"]["virtual"] is True
    kernel = kernel_of(found)
    assert not {"att", "static"} & {entry["field"] for entry in kernel["unavailable"]}
    parts = [kernel["att"][f"{name}_fraction"] for name in ("stall", "issue", "idle")]
    assert sum(parts) == pytest.approx(1)
    assert kernel["att"]["scratch_share"] > 0
    assert any(SPILLING.name in hot["source"] for hot in kernel["att"]["hot_sources"])
    assert "_code_object_id_" in kernel["static"]["source"]
    check_code(kernel["static"])


def test_code_is_shown_without_a_decoder(
    virtual_rocm: Path, spilling: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Then the application's own file has the code."""
    prefix = tmp_path / "rocm"
    (prefix / "bin").mkdir(parents=True)
    for place in virtual_rocm.iterdir():
        if place.name not in ("bin", ".info"):  # a list of files there would tell of damage
            (prefix / place.name).symlink_to(place)
    write_program(
        prefix / "bin" / "rocprofv3",
        '#!/bin/sh\ncase " $*" in *" --att"*) echo "Decoder library not found" >&2; exit 1;; esac\n'
        f'exec {virtual_rocm / "bin" / "rocprofv3"} "$@"\n',
    )
    found = document(capsys, "--rocm", str(prefix), "--runs", "1", "--", str(spilling))
    assert "no decoder" in reason_for(found, "att")["reason"]
    static = kernel_of(found)["static"]
    assert static["source"].startswith(str(spilling))
    check_code(static)
