"""``rocm-perf profile --critical-path`` as a user meets it, on recordings and under a profiler."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from fakes.fake_rocm import FakeRocm
from fakes.recordings import Known
from fakes.task_recordings import Recording
from rocm_perf_lab.cli.main import main
from rocm_perf_lab.trace.csv.writer import write_csv
from rocm_perf_lab.trace.rocpd.writer import write_rocpd

ROOT = Path(__file__).resolve().parents[2]
APP = [sys.executable, "-c", "pass"]


def two_streams() -> Recording:
    """A long kernel on one stream, a short one beside it, and one that an event lets wait."""
    record = Recording()
    record.kernel("long", 1000, 9000, stream=1, stack_id=record.launch(0, stream=1))
    record.kernel("short", 1100, 2100, stream=2, stack_id=record.launch(100, stream=2))
    record.call("hipEventRecord", 200, 210, event="0x9000", stream="0x5001")
    record.call("hipStreamWaitEvent", 220, 230, stream="0x5002", event="0x9000")
    record.kernel("last", 9000, 10_000, stream=2, stack_id=record.launch(300, stream=2))
    record.call("hipStreamSynchronize", 400, 10_500, stream="0x5002")
    record.kernel("after", 14_500, 15_000, stream=1, stack_id=record.launch(13_500, stream=1))
    return record


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "traces" / "1_results.db"
    path.parent.mkdir()
    write_rocpd(two_streams().trace(), path)
    return path


def document(capsys: pytest.CaptureFixture[str], *argv: str) -> dict[str, Any]:
    assert main(["profile", "--json", *argv]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def path_of(capsys: pytest.CaptureFixture[str], *argv: str) -> dict[str, Any]:
    found: dict[str, Any] = document(capsys, "--critical-path", *argv)["critical_path"]
    return found


def test_json_of_a_recording(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = path_of(capsys, "--from", str(database))
    assert (path["critical_path_ns"], path["span_ns"]) == (9500, 14_000)
    assert (path["dominant_symbol"], path["fraction"]) == ("long", 8000 / 9500)
    assert path["span_fraction"] == 8000 / 14_000
    assert path["ceiling"] == pytest.approx(14 / 6)
    assert path["plan"] == ["long", "last", "after"]
    assert path["bound"] == "kernel"
    assert path["idle"] == {
        "launch_ns": 1000,
        "host_ns": 3000,
        "synchronisation_ns": 500,
        "dependency_ns": 0,
        "unknown_ns": 0,
    }
    slack = {kernel["name"]: kernel["least_slack_ns"] for kernel in path["kernels"]}
    assert slack == {"long": 0, "last": 0, "after": 0, "short": 6900}
    (gap,) = path["gaps"]
    assert (gap["begin_ns"], gap["length_ns"], gap["kind"]) == (9000, 4500, "host")
    assert gap["before"] == "after"
    causes = {d["cause"]: (d["count"], d["on_path"]) for d in path["dependencies"]}
    assert causes["event"] == (1, 1)
    assert causes["blocking_call"] == (1, 1)


def test_terminal_of_a_recording(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", "--focus-critical", "--from", str(database)]) == 0
    out = capsys.readouterr().out
    lines = [line.split() for line in out.splitlines()]
    assert "Critical path: 9.500 us of work in 14 us from first start to last end" in out
    assert "kernels 67.9%, host code of the application 21.4%" in " ".join(out.split())
    assert ["long", "8", "us", "57.1%", "2.33x", "1", "of", "1", "0", "ns"] in lines
    assert "No kernel has 70% of the time. Of the kernels, work on long, then last" in out
    assert ["4.500", "us", "32.1%", "host-bound", "after"] in lines
    assert ["long", "2", "times", "faster", "14", "us", "10", "us", "1.40x"] in lines
    assert max(map(len, out.splitlines())) <= 100


def test_a_dominant_kernel_is_named_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = Recording()
    for begin in range(0, 10_000, 1000):
        record.kernel("large", begin, begin + 800)
        record.kernel("small", begin + 800, begin + 1000)
    write_rocpd(record.trace(), tmp_path / "1_results.db")
    assert main(["profile", "--critical-path", "--from", str(tmp_path)]) == 0
    assert "large dominates: 80.0% of the time, at most 5.00x to gain." in capsys.readouterr().out


def test_questions_of_the_user(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--what-if", "^long$=4", "--what-if", "la|af=2", "--what-if", "short=10"]
    path = document(capsys, *asked, "--from", str(database))["critical_path"]
    answers = {answer["change"]: answer for answer in path["what_if"]}
    assert list(answers) == ["^long$=4", "la|af=2", "short=10", "all of these"]
    assert answers["^long$=4"]["after_ns"] == 8000
    assert answers["la|af=2"]["factors"] == {"last": 2.0, "after": 2.0}
    assert answers["la|af=2"]["after_ns"] == 14_000 - 500 - 250
    assert answers["short=10"]["after_ns"] == answers["short=10"]["before_ns"] == 14_000
    assert answers["all of these"]["after_ns"] == 14_000 - 6000 - 500 - 250


def test_a_question_about_no_kernel_leaves_the_rest(
    database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = document(capsys, "--what-if", "gemm=2", "--from", str(database))
    assert found["critical_path"]["what_if"] == []
    (entry,) = [e for e in found["unavailable"] if e["field"] == "critical_path.what_if"]
    assert entry["reason"] == "no kernel matches --what-if 'gemm=2'"
    assert entry["next"] == "recorded kernels: long, last, after, short"


@pytest.mark.parametrize(
    ("asked", "cause"),
    [
        ("gemm", "--what-if 'gemm' names no kernel and factor"),
        ("=2", "--what-if '=2' names no kernel and factor"),
        ("gemm=fast", "--what-if 'gemm=fast': 'fast' is not a number"),
        ("gemm=0", "--what-if 'gemm=0': no kernel gets 0 times faster"),
        ("gemm=inf", "--what-if 'gemm=inf': no kernel gets inf times faster"),
        ("(gemm=2", "--what-if '(gemm=2': '(gemm' is not a regular expression"),
    ],
)
def test_a_question_that_makes_no_sense_is_a_usage_error(
    asked: str, cause: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["profile", "--what-if", asked, "--", *APP]) == 2
    err = capsys.readouterr().err
    assert cause in err
    assert "next: write it as --what-if 'gemm=2'" in err


def test_only_matching_kernels_are_listed_but_the_path_is_the_whole_one(
    database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = path_of(capsys, "--kernel", "short", "--from", str(database))
    assert [kernel["name"] for kernel in path["kernels"]] == ["short"]
    assert (path["critical_path_ns"], path["dominant_symbol"]) == (9500, "long")


def test_out_writes_the_graph(
    database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["profile", "--critical-path", "--from", str(database), "--out", str(out)]) == 0
    for name, version in (("profile", "1.1"), ("dag", "1.0")):
        schema = json.loads((ROOT / "docs" / "schema" / f"{name}-{version}.json").read_text())
        jsonschema.validate(json.loads((out / f"{name}.json").read_text()), schema)
    dag = json.loads((out / "dag.json").read_text())
    nodes = {node["id"]: node for node in dag["nodes"]}
    names = [
        dag["kernels"][nodes[n]["kernel"]] for n in dag["path"] if nodes[n]["kernel"] is not None
    ]
    assert names == ["long", "last", "after"]
    assert dag["node_count"] == len(nodes) == 6
    assert dag["left_out"] is None
    (event,) = [edge for edge in dag["edges"] if edge["cause"] == "event"]
    assert event["binding"]
    assert event["confidence"] == 1.0
    assert nodes[event["target"]]["what"] == "hipStreamWaitEvent"
    assert nodes[event["source"]] == {
        "id": event["source"],
        "kind": "dispatch",
        "kernel": dag["kernels"].index("long"),
        "what": None,
        "device": "gfx942:0",
        "stream": 1,
        "begin_ns": 0,
        "end_ns": 8000,
        "slack_ns": 0,
        "on_path": True,
    }
    assert sum(sum(gap["parts"].values()) for gap in dag["gaps"]) == 4500
    assert {edge["source"] for edge in dag["edges"]} | set(dag["path"]) <= nodes.keys()


def test_of_several_runs_the_one_with_the_median_span_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for run, length in enumerate((900, 300, 500), start=1):
        record = Recording(pid=run)
        record.kernel("k", 0, length)
        folder = tmp_path / f"run_{run}"
        folder.mkdir()
        write_rocpd(record.trace(), folder / "1_results.db")
    path = path_of(capsys, "--from", str(tmp_path))
    assert (path["run"], path["runs"], path["span_ns"]) == (2, 3, 500)
    assert main(["profile", "--critical-path", "--from", str(tmp_path)]) == 0
    assert "(run 3 of 3, the median span)" in capsys.readouterr().out


def test_without_calls_it_is_said_what_the_path_rests_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = Recording()
    record.kernel("a", 0, 100_000, stream=1)
    record.kernel("b", 100_200, 150_000, stream=2)
    write_rocpd(record.trace(), tmp_path / "1_results.db")
    found = document(capsys, "--critical-path", "--from", str(tmp_path))
    (entry,) = [e for e in found["unavailable"] if e["field"] == "critical_path.idle"]
    assert "no API calls were recorded" in entry["reason"]
    assert "--runtime-trace" in entry["next"]
    (note,) = found["critical_path"]["notes"]
    assert note.startswith("dependencies inferred from timestamps alone: 1, confidence at least")
    assert found["critical_path"]["idle"]["unknown_ns"] == 200


def test_what_calls_without_arguments_mean_is_guessed(
    database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """CSV files hold no arguments: here the times tell the same."""
    write_csv(two_streams().trace(), tmp_path / "csv" / "1")
    guessed = path_of(capsys, "--from", str(tmp_path / "csv"))
    known = path_of(capsys, "--from", str(database))
    for same in ("critical_path_ns", "idle", "kernels", "gaps", "plan", "what_if"):
        assert guessed[same] == known[same], same
    causes = {d["cause"]: d["on_path"] for d in guessed["dependencies"]}
    assert causes["inferred"] == 2  # last after long, and the wait after last
    assert "event" not in causes
    assert 0.5 <= guessed["confidence"] < known["confidence"] == 1.0
    inferred, silent = guessed["notes"]
    assert inferred.startswith("dependencies inferred from timestamps alone: 2, confidence at")
    assert silent.startswith("3 calls that order work were recorded without their arguments")


def test_counter_passes_have_no_critical_path(
    known: Known, capsys: pytest.CaptureFixture[str]
) -> None:
    counted = known("rocprofv3-csv/gfx1151-prefill/prefill_stall_counter_collection.csv")
    found = document(capsys, "--critical-path", "--from", str(counted))
    assert found["critical_path"] is None
    (entry,) = [e for e in found["unavailable"] if e["field"] == "critical_path"]
    assert "only counter passes were recorded" in entry["reason"]


def test_without_the_profiler_there_is_a_reason(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "--critical-path", "--no-rocprof", "--runs", "1", "--", *APP)
    assert found["critical_path"] is None
    (entry,) = [e for e in found["unavailable"] if e["field"] == "critical_path"]
    assert entry["next"] == "run without --no-rocprof"


def test_without_the_option_it_was_not_asked_for(
    database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = document(capsys, "--from", str(database))
    assert found["critical_path"] is None
    (entry,) = (e for e in found["unavailable"] if e["field"].startswith("critical_path"))
    assert (entry["reason"], entry["next"]) == ("it was not asked for", "--critical-path")


def test_a_live_path_records_calls_and_copies(
    fake_rocm: FakeRocm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept"
    options = ["--rocm", str(fake_rocm.path), "--runs", "2", "--keep-trace", str(kept)]
    live = path_of(capsys, *options, "--", *APP)
    for call in fake_rocm.calls():
        assert {"--kernel-trace", "--hip-runtime-trace", "--memory-copy-trace"} <= {*call["argv"]}
    assert live["span_ns"] == 590_000  # from the start of the copy, 90 us before the first kernel
    # The fake profiler records no waits, and its copy names no launching call.
    (note,) = live["notes"]
    assert note.startswith("API calls were recorded in part only: no call that waits, and none")
    assert (live["bound"], live["kernel_ns"]) == ("kernel", 300_000)
    assert path_of(capsys, "--from", str(kept)) == live


def test_the_recorded_gemm_waits_for_its_host(
    known: Known, capsys: pytest.CaptureFixture[str]
) -> None:
    path = path_of(capsys, "--from", str(known("mi300x-batched-gemm-trace")))
    assert (path["span_ns"], path["bound"]) == (15_719_660, "host")
    assert path["critical_path_ns"] + sum(path["idle"].values()) == path["span_ns"]
    assert "gemm" in path["dominant_symbol"].lower()
    assert path["gaps"][0]["kind"] == "host"
    assert path["gaps"][0]["share"] > 0.7


def test_on_the_virtual_device(
    virtual_rocm: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two streams: series decides, smooth runs beside it, combine waits for both."""
    app, source = tmp_path / "pipeline", ROOT / "examples" / "pipeline.hip"
    subprocess.run([str(virtual_rocm / "bin" / "hipcc"), str(source), "-o", str(app)], check=True)
    options = [
        "--rocm",
        str(virtual_rocm),
        "--runs",
        "1",
        "--out",
        str(tmp_path),
        "--what-if",
        "smooth=2",
    ]
    path = path_of(capsys, *options, "--", str(app))
    kernels = {kernel["name"].partition("(")[0]: kernel for kernel in path["kernels"]}
    assert path["dominant_symbol"].startswith("series(")
    assert kernels["series"]["dispatches_on_path"] == 4
    assert kernels["combine"]["dispatches_on_path"] == 4
    assert kernels["smooth"]["dispatches_on_path"] == 0
    assert kernels["smooth"]["least_slack_ns"] > 0
    assert path["confidence"] == 1.0
    assert path["notes"] == []
    (answer,) = path["what_if"]
    assert answer["after_ns"] == answer["before_ns"] == path["span_ns"]
    causes = {d["cause"]: d["count"] for d in path["dependencies"]}
    assert causes["event"] == 4
    dag = json.loads((tmp_path / "dag.json").read_text())
    assert dag["virtual"]
    assert sum(node["kind"] == "dispatch" for node in dag["nodes"]) == 12
