"""``rocm-perf explain`` as a user meets it, on recordings and under a profiler."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from fakes.fake_rocm import FakeRocm
from fakes.recordings import Known
from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.analysis.documents.verdicts.explanation import explanation_of
from rocm_perf_lab.analysis.documents.verdicts.measured import timing_of
from rocm_perf_lab.analysis.documents.verdicts.models import judge_profile
from rocm_perf_lab.analysis.rooflines.flops import flop_counters
from rocm_perf_lab.analysis.rooflines.memory_traffic import traffic_counters
from rocm_perf_lab.analysis.verdicts.metrics import metric_counters
from rocm_perf_lab.analysis.verdicts.rules import (
    LATENCY,
    MEMORY_BANDWIDTH,
    UNDER_OCCUPIED,
)
from rocm_perf_lab.cli.main import main
from rocm_perf_lab.strict_json import read_strict, replace
from rocm_perf_lab.trace.load import load

ROOT = Path(__file__).resolve().parents[2]
APP = [sys.executable, "-c", "pass"]
GROUPS = (*flop_counters("gfx942"), *traffic_counters("gfx942"), *metric_counters("gfx942"))
COUNTERS = dict.fromkeys((name for group in GROUPS for name in group), 0.0)
COPIES = {
    "SQ_BUSY_CU_CYCLES": 12.0e6,  # of 42,000 cycles on 304 compute units
    "SQ_INSTS_VALU_FMA_F32": 1000.0,
    "TCC_EA0_RDREQ": 1.2e6,
    "SQ_WAVE_CYCLES": 1e6,
    "SQ_WAIT_ANY": 9e5,
    "SQ_ACTIVE_INST_VALU": 1e4,
    "SQ_THREAD_CYCLES_VALU": 64e4,
    "GRBM_GUI_ACTIVE": 8 * 4e4,
    "TCP_TCC_READ_REQ": 1e6,
    "TA_TOTAL_WAVEFRONTS": 2e4,
    "TCC_REQ": 1e6,
    "TCC_HIT": 1e5,
    "TCC_MISS": 9e5,
}


def workload(folder: Path, **changed: float) -> Path:
    """Two launches of 20 us on an MI300X that read 76.8 MB each: 72 % of the bandwidth."""
    folder.mkdir()
    (folder / "sysinfo.csv").write_text(
        "command,gpu_model,gpu_arch,cu_per_gpu,max_sclk,num_xcd\n"
        "./app,MI300X_A1,gfx942,304,2100,8\n"
    )
    counters = {**COUNTERS, **COPIES, **changed}
    names, values = ",".join(counters), ",".join(map(str, counters.values()))
    shape = "Dispatch_ID,Kernel_Name,GPU_ID,Grid_Size,Workgroup_Size"
    times = "Start_Timestamp,End_Timestamp"
    size = "311296,256"
    (folder / "pmc_perf.csv").write_text(
        f"{shape},{names},{times}\n0,copy,0,{size},{values},0,90000\n"
        f"1,copy,0,{size},{values},90000,180000\n"
    )
    (folder / "timestamps.csv").write_text(
        f"{shape},{times}\n0,copy,0,{size},1000,21000\n1,copy,0,{size},21000,41000\n"
    )
    return folder


def document(capsys: pytest.CaptureFixture[str], *argv: str) -> dict[str, Any]:
    assert main(["explain", "--json", *argv]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def page(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert main(["explain", *argv]) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 100
    assert text.splitlines()[-1].startswith("Result: ")
    return text


def test_a_recording_with_counters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "--from", str(workload(tmp_path / "w")))
    (kernel,) = found["kernels"]
    reached = 1.2e6 * 64 / 20e-6 / 5.3e12
    assert kernel["metrics"]["l2_hits"] == pytest.approx(0.1)
    assert kernel["metrics"]["wait_share"] == pytest.approx(0.9)
    assert kernel["bottleneck"]["primary"] == MEMORY_BANDWIDTH
    assert kernel["bottleneck"]["runner_up"] == LATENCY
    (decisive,) = [e for e in kernel["bottleneck"]["evidence"] if e["decides"]]
    assert decisive["name"] == "memory_reached"
    assert decisive["value"] == pytest.approx(reached)
    assert kernel["headroom"] == {"fraction": pytest.approx(1 - reached), "bound": "hbm"}
    assert kernel["criticality"] == 1.0
    assert kernel["optimisation_score"] == pytest.approx(1 - reached)
    assert found["gain"]["kernel"] == pytest.approx(1 / reached)
    first = found["advice"][0]
    assert first["mend"] == "coalesce"
    assert first["why"].startswith("one memory instruction of a wave touches 50 pieces of 64 bytes")
    assert first["kernel_gain"] > 1 / reached  # fewer bytes gain more than the same bytes faster
    expected = [item["expected"] for item in found["advice"]]
    assert expected == sorted(expected, reverse=True)  # a bound may be higher where less is known


def test_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = page(capsys, "--from", str(workload(tmp_path / "w")))
    for sentence in (
        "copy takes 100.0% of the critical path: 2 launches of 20 us.",
        "It is memory-bandwidth bound: the memory system delivers nearly what it can",
        "72.5% of the roof of HBM, Infinity Cache or L2 is reached",
        "It reaches 72.5% of the roof of HBM; headroom 27.5%.",
        "1. Let neighbouring work-items access neighbouring addresses",
        "Note: the gain is for the bytes that are moved now; moving fewer of them gains more",
        "Result: copy is memory-bandwidth bound, at most 1.38x end to end",
    ):
        assert sentence in text


def test_coalesced_accesses_get_other_advice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = workload(tmp_path / "w", TA_TOTAL_WAVEFRONTS=5e5)
    advice = document(capsys, "--from", str(folder))["advice"]
    assert not any("neighbouring addresses" in item["what"] for item in advice)
    assert advice[0]["why"] == (
        "the memory system is at 72% of its roof, and L2 answers 10% of the requests"
    )


def test_live_and_recorded_say_the_same(
    fake_rocm: FakeRocm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept"
    options = ["--rocm", str(fake_rocm.path), "--runs", "2", "--keep-trace", str(kept)]
    live = document(capsys, *options, "--out", str(tmp_path / "out"), "--", *APP)
    kinds = ["--pmc" in call["argv"] for call in fake_rocm.calls()]
    assert kinds == [False, False, True, True, True, True]
    assert "--hip-runtime-trace" in fake_rocm.calls()[0]["argv"]
    recorded = document(capsys, "--from", str(kept))
    for field in ("kernels", "gain", "advice", "time", "limit"):
        assert recorded[field] == live[field]
    assert json.loads((tmp_path / "out" / "explain.json").read_text()) == live
    schema = json.loads((ROOT / "docs" / "schema" / "explain-1.0.json").read_text())
    jsonschema.validate(live, schema)


def test_without_counters_it_is_less_sure_and_says_so(
    fake_rocm: FakeRocm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept"
    options = ["--rocm", str(fake_rocm.path), "--runs", "1", "--keep-trace", str(kept)]
    assert main(["profile", *options, "--quiet", "--", *APP]) == 0
    capsys.readouterr()
    text = page(capsys, "--from", str(kept))
    assert "Not available: roofline: no hardware counters were recorded." in text
    assert "missing" in text
    assert "The kernel is near no known ceiling." in text


def test_failing_counter_passes_leave_an_answer(
    fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_rocm.behave(missing_counters=["TCC_BUBBLE", "SQ_WAIT_ANY"])
    found = document(capsys, "--rocm", str(fake_rocm.path), "--runs", "1", "--", *APP)
    reasons = [entry["reason"] for entry in found["unavailable"]]
    assert "fabric not recorded: TCC_BUBBLE" in reasons
    assert any("wait_share" in note for note in found["notes"] + reasons)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "neither an application nor --from was given"),
        (["--from", "x", "--", "./app"], "--from explains recordings and runs nothing"),
        (["--clock-mhz", "0", "--", "./app"], "--clock-mhz 0 is no ceiling"),
    ],
)
def test_wrong_usage(argv: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", *argv]) == 2
    assert message in capsys.readouterr().err


def test_a_thread_trace_alone_tells_its_cause(
    known: Known, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = known("mi300x-batched-gemm-trace/ui_output_agent_5600_dispatch_1")
    text = page(capsys, "--from", str(folder))
    assert "Of all stall" in text
    assert "The matrix units" not in text  # a fill has none to work with


def test_recorded_copies_on_mi300x(known: Known, capsys: pytest.CaptureFixture[str]) -> None:
    """8 MiB are too few to come near the bandwidth: the copy waits, at 12 % of it."""
    folder = known("veccopy-counters/MI300X_A1/kernel")
    (kernel,) = document(capsys, "--from", str(folder))["kernels"]
    assert kernel["bottleneck"]["primary"] == LATENCY
    assert kernel["headroom"]["bound"] == "hbm"
    assert kernel["headroom"]["fraction"] == pytest.approx(0.875, abs=0.01)


def test_recorded_products_on_mi300x(known: Known, capsys: pytest.CaptureFixture[str]) -> None:
    """A batched product of small matrices: each variant reaches half of the bandwidth or more."""
    for name, share in (("bmm1", 0.56), ("bmm3", 0.62)):
        folder = known(f"mi300x-batched-gemm-counters/{name}")
        kernel = document(capsys, "--from", str(folder))["kernels"][0]
        assert kernel["bottleneck"]["primary"] == LATENCY
        (reached,) = [
            item["value"]
            for item in kernel["bottleneck"]["evidence"]
            if item["name"] == "memory_of_measured"
        ]
        assert reached == pytest.approx(share, abs=0.01)  # far from the 85 % of a measured roof
        assert kernel["headroom"]["bound"] == "hbm"


def test_a_recorded_run_that_waits_for_its_host(
    known: Known, capsys: pytest.CaptureFixture[str]
) -> None:
    found = document(capsys, "--from", str(known("mi300x-batched-gemm-trace")))
    assert found["limit"] == "host"
    assert found["time"]["host"] == pytest.approx(0.75, abs=0.01)
    assert found["advice"][0]["what"].startswith("Let the GPU run ahead")
    assert found["kernels"][0]["bottleneck"]["primary"] == UNDER_OCCUPIED
    assert found["kernels"][0]["bottleneck"]["confidence"] < 0.5
    assert found["advice"][1]["why"].startswith("512 registers per lane allow 12.5% of the wave")


def test_a_path_that_leaves_the_work_out_is_not_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["profile", "--json", "--critical-path", "--from", str(workload(tmp_path / "w"))]
    assert main(argv) == 0
    profile = read_strict(ProfileDocument, capsys.readouterr().out)
    assert profile.critical_path is not None
    assert timing_of(profile).trusted_path is not None
    empty = replace(profile.critical_path, kernel_ns=19_000)  # of 40 us of work
    profile = replace(profile, critical_path=empty)
    assert timing_of(profile).trusted_path is None
    found = explanation_of(profile, judge_profile(profile, load([tmp_path / "w"])))
    assert found.time.basis == "kernel time"
    assert any("the critical path is not used" in note for note in found.notes)


def test_a_path_that_calls_explain_is_used_although_it_holds_little_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Kernels that run beside their own launching are rightly left out of it."""
    argv = ["profile", "--json", "--critical-path", "--from", str(workload(tmp_path / "w"))]
    assert main(argv) == 0
    profile = read_strict(ProfileDocument, capsys.readouterr().out)
    assert profile.critical_path is not None
    for unknown_ns, trusted in ((4_000, True), (4_001, False)):  # of 40 us
        idle = replace(
            profile.critical_path.idle, launch_ns=39_000 - unknown_ns, unknown_ns=unknown_ns
        )
        launching = replace(profile.critical_path, kernel_ns=1_000, idle=idle)
        changed = replace(profile, critical_path=launching)
        assert (timing_of(changed).trusted_path is not None) is trusted


def test_an_unknown_device_gets_no_label(known: Known, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "--from", str(known("rocprofv3-csv/gfx1151-prefill")))
    assert found["kernels"][0]["bottleneck"] is None
    assert found["advice"] == []
    (reason,) = [e["reason"] for e in found["unavailable"] if e["field"] == "bottleneck"]
    assert "wait_share" in reason


def test_a_full_profile_names_bottlenecks(
    fake_rocm: FakeRocm, capfd: pytest.CaptureFixture[str]
) -> None:
    argv = ["profile", "--rocm", str(fake_rocm.path), "--runs", "1", "--full"]
    assert main([*argv, "--json", "--", *APP]) == 0
    full = json.loads(capfd.readouterr().out)["analysis"]["kernels"]
    assert main(["explain", "--json", *argv[1:5], "--", *APP]) == 0
    explained = json.loads(capfd.readouterr().out)["kernels"]
    for field in ("bottleneck", "headroom", "optimisation_score"):
        assert [kernel[field] for kernel in full] == [kernel[field] for kernel in explained]
    assert main([*argv, "--", *APP]) == 0
    assert f"Bottleneck of {full[0]['kernel']}: " in capfd.readouterr().out


def test_thread_traces_alone_tell_who_waits(
    known: Known, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = known("mi300x-batched-gemm-trace/ui_output_agent_5600_dispatch_1")
    assert main(["profile", "--deep-analysis", "--json", "--from", str(folder)]) == 0
    (kernel,) = json.loads(capsys.readouterr().out)["kernels"]
    waits = kernel["att"]["wait_share"]
    assert (kernel["bottleneck"] is not None) == (waits >= 0.5)
    assert kernel["headroom"] is None
