"""``rocm-perf profile --roofline`` as a user meets it, on recordings and under a profiler."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from fakes.fake_rocm import FakeRocm
from rocm_perf_lab.analysis.documents.roofline import Ceilings
from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.cli.main import main
from rocm_perf_lab.errors import ToolFailed
from rocm_perf_lab.measure.roofline import counted_roofline
from rocm_perf_lab.strict_json import read_strict
from rocm_perf_lab.trace.load import load

ROOT = Path(__file__).resolve().parents[2]
APP = [sys.executable, "-c", "pass"]
FLOPS = [
    *(
        f"SQ_INSTS_VALU_{o}_{k}"
        for o in ("ADD", "MUL", "TRANS", "FMA")
        for k in ("F16", "F32", "F64")
    ),
    *(f"SQ_INSTS_VALU_MFMA_MOPS_{kind}" for kind in ("F16", "BF16", "F32", "F64", "F8")),
]


@pytest.fixture
def workload(tmp_path: Path) -> Path:
    """A kernel that reads 64 MB in 20 us and makes 1000 FP32 FMA instructions, launched twice."""
    folder = tmp_path / "workload"
    folder.mkdir()
    (folder / "sysinfo.csv").write_text(
        "command,gpu_model,gpu_arch,cu_per_gpu,max_sclk,num_xcd\n"
        "./app,MI300X_A1,gfx942,304,2100,8\n"
    )
    counters = dict.fromkeys(FLOPS, 0) | {
        "SQ_INSTS_VALU_FMA_F32": 1000,
        "TCC_EA0_RDREQ_sum": 1000000,
        "TCC_EA0_RDREQ_32B_sum": 0,
        "TCC_BUBBLE_sum": 0,
        "TCC_EA0_WRREQ_sum": 0,
        "TCC_EA0_WRREQ_64B_sum": 0,
    }
    names, values = ",".join(counters), ",".join(map(str, counters.values()))
    shape = "Dispatch_ID,Kernel_Name,GPU_ID,Grid_Size,Workgroup_Size"
    times = "Start_Timestamp,End_Timestamp"
    (folder / "pmc_perf.csv").write_text(
        f"{shape},{names},{times}\n0,copy,0,64,64,{values},0,90000\n1,copy,0,64,64,{values},90000,180000\n"
    )
    (folder / "timestamps.csv").write_text(
        f"{shape},{times}\n0,copy,0,64,64,1000,21000\n1,copy,0,64,64,30000,50000\n"
    )
    return folder


def document(capsys: pytest.CaptureFixture[str], *argv: str) -> dict[str, Any]:
    assert main(["profile", "--json", "--roofline", *argv]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_json_of_a_recording(workload: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "--from", str(workload))
    assert found["roofline"] == {
        "flops": 128000.0,
        "bytes": 64e6,
        "arithmetic_intensity": 0.002,
        "achieved_gflops": pytest.approx(6.4),
        "achieved_bandwidth_gbps": pytest.approx(3200),
        "bound": "memory",
    }
    (kernel,) = found["rooflines"]["kernels"]
    assert (kernel["launches"], kernel["mean_ns"], kernel["binding"]) == (2, 20000, "hbm")
    assert kernel["reached"] == pytest.approx(3200 / 5300)
    assert found["rooflines"]["time_source"] == "trace"
    assert found["kernels"][0]["dispatches"] == 2
    launches = found["rooflines"]["launches"]
    assert [(x["dispatch_id"], x["iteration"], x["duration_ns"]) for x in launches] == [
        (0, 0, 20000),
        (1, 1, 20000),
    ]
    assert {(x["fabric_bytes"], x["flops"], x["binding"]) for x in launches} == {
        (64e6, 128000.0, "hbm")
    }


def test_launches_that_are_not_listed_are_counted(
    workload: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rocm_perf_lab.analysis.documents.roofline.MOST_LAUNCHES", 1)
    found = document(capsys, "--from", str(workload))["rooflines"]
    assert len(found["launches"]) == 1
    assert found["notes"] == ["1 of 2 launches are listed one by one"]


def test_terminal_of_a_recording(workload: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", "--roofline", "--from", str(workload)]) == 0
    out = capsys.readouterr().out
    lines = out.splitlines()
    assert ["copy", "6.4", "3200", "0.002", "memory", "hbm", "60.4%"] in map(str.split, lines)
    assert "Roofs: hbm 5300 GB/s (theoretical)" in out
    assert max(map(len, lines)) <= 100


def test_measured_roofs_beside_the_recording_are_used(
    workload: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (workload / "roofline.csv").write_text("device,HBMBw\n0,4000\n")
    for path in (workload, workload / "pmc_perf.csv"):
        (kernel,) = document(capsys, "--from", str(path))["rooflines"]["kernels"]
        assert kernel["reached"] == pytest.approx(0.8)


def test_overridden_ceilings(workload: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--memory-bandwidth-gbps", "3000", "--clock-mhz", "1050"]
    found = document(capsys, "--from", str(workload), *options)["rooflines"]
    roofs = {roof["name"]: (roof["value"], roof["source"]) for roof in found["roofs"]}
    assert roofs["hbm"] == (3000e9, "given")
    assert roofs["vector.fp32"][0] == pytest.approx(163.4e12 / 2, rel=1e-3)
    assert found["kernels"][0]["binding"] == "infinity_cache"  # HBM alone could not


@pytest.mark.parametrize("option", ["--memory-bandwidth-gbps", "--clock-mhz"])
def test_a_ceiling_of_nothing_is_a_usage_error(
    workload: Path, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["profile", "--roofline", "--from", str(workload), option, "0"]) == 2
    assert f"{option} 0 is no ceiling" in capsys.readouterr().err


def test_out_writes_both_documents(workload: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(["profile", "--roofline", "--from", str(workload), "--out", str(out)]) == 0
    for name, version in (("profile", "1.1"), ("roofline", "1.0")):
        schema = json.loads((ROOT / "docs" / "schema" / f"{name}-{version}.json").read_text())
        jsonschema.validate(json.loads((out / f"{name}.json").read_text()), schema)


def test_without_the_option_it_was_not_asked_for(
    workload: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["profile", "--json", "--from", str(workload)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["roofline"], found["rooflines"]) == (None, None)
    (entry,) = (entry for entry in found["unavailable"] if entry["field"] == "roofline")
    assert (entry["reason"], entry["next"]) == ("it was not asked for", "--roofline")


def test_a_recording_without_counters_says_how_to_get_them(
    fake_rocm: FakeRocm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept"
    argv = ["profile", "--rocm", str(fake_rocm.path), "--runs", "1", "--keep-trace", str(kept)]
    assert main([*argv, "--quiet", "--", *APP]) == 0
    capsys.readouterr()
    found = document(capsys, "--from", str(kept))
    (entry,) = [entry for entry in found["unavailable"] if entry["field"] == "roofline"]
    assert entry["reason"] == "no hardware counters were recorded"
    assert "--roofline" in entry["next"]


def test_a_live_roofline_counts_in_runs_of_their_own(
    fake_rocm: FakeRocm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept"
    options = ["--rocm", str(fake_rocm.path), "--runs", "2", "--keep-trace", str(kept)]
    live = document(capsys, *options, "--", *APP)
    kinds = ["--pmc" in call["argv"] for call in fake_rocm.calls()]
    assert kinds == [False, False, True, True, True, True]
    assert live["rooflines"]["time_source"] == "trace"
    assert live["rooflines"]["kernels"][0]["reasons"] == {}
    assert document(capsys, "--from", str(kept))["rooflines"] == live["rooflines"]


def test_a_counter_that_the_profiler_leaves_out_is_named(
    fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_rocm.behave(missing_counters=["TCC_BUBBLE"])
    found = document(capsys, "--rocm", str(fake_rocm.path), "--runs", "1", "--", *APP)
    assert found["roofline"] is None
    reasons = [entry["reason"] for entry in found["unavailable"] if entry["field"] == "roofline"]
    assert reasons == ["fabric not recorded: TCC_BUBBLE"]


def test_failing_counter_passes_leave_the_profile(
    workload: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["profile", "--json", "--from", str(workload)]) == 0
    profile = read_strict(ProfileDocument, capsys.readouterr().out)

    def fail(_passes: tuple[tuple[str, ...], ...]) -> list[Any]:
        raise ToolFailed("the profiler aborted", "try again")

    result = counted_roofline(profile, [load([workload])], Ceilings(), fail)
    assert result.kernels == profile.kernels
    assert result.unavailable[-1].reason == "the profiler aborted"


def test_on_the_virtual_device(
    virtual_rocm: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    app, source = tmp_path / "vector_add", ROOT / "examples" / "vector_add.hip"
    subprocess.run([str(virtual_rocm / "bin" / "hipcc"), str(source), "-o", str(app)], check=True)
    found = document(capsys, "--rocm", str(virtual_rocm), "--runs", "1", "--", str(app))
    (kernel,) = found["rooflines"]["kernels"]
    elements = 65536
    assert kernel["flops"] == kernel["flops_by_pipe"]["vector.fp32"] == elements
    assert kernel["levels"][0]["read_bytes"] == pytest.approx(2 * 4 * elements, rel=0.05)
    assert kernel["levels"][0]["written_bytes"] == 4 * elements
    assert found["rooflines"]["virtual"]
    assert found["roofline"]["bound"] == "memory"
