"""``rocm-perf compare`` as a user and a CI job meet it."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from fakes.fake_rocm import FakeRocm, build_fake_rocm
from rocm_perf_lab.cli.main import main
from rocm_perf_lab.measure.blocks import order_of
from rocm_perf_lab.measure.meter import Command
from rocm_perf_lab.prove.compare.output import compare_printed

ROOT = Path(__file__).resolve().parents[2]
APP = [sys.executable, "-c", "pass"]
COMMAND = shlex.join(APP)
KERNEL = "vector_add(float const*, float const*, float*, int)"
SIX = [100_000, 101_000, 99_000, 100_500, 99_500, 100_200]

SLOWER = """\
#include <hip/hip_runtime.h>
#include <cstdlib>
__global__ void spin(float* out, int n) {
  float value = threadIdx.x;
  for (int i = 0; i < n; ++i) value = value * 1.0001f + 0.5f;
  out[threadIdx.x] = value;
}
__global__ void same(float* out) { out[threadIdx.x] += 1; }
int main(int, char** argv) {
  float* out = nullptr;
  if (hipMalloc(&out, 4096) != hipSuccess) return 1;
  for (int i = 0; i < 10; ++i) {
    spin<<<1, 64>>>(out, std::atoi(argv[1]));
    same<<<1, 64>>>(out);
  }
  return hipDeviceSynchronize();
}
"""


def recorded(fake: FakeRocm, folder: Path, durations: list[int]) -> Path:
    (fake.path / "calls.jsonl").unlink(missing_ok=True)  # the durations begin anew
    fake.behave(durations_ns=durations)
    words = ["profile", "--quiet", "--rocm", str(fake.path), "--runs", str(len(durations))]
    assert main([*words, "--keep-trace", str(folder), "--", *APP]) == 0
    return folder


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Six runs, and six that are a tenth slower."""
    folder = tmp_path_factory.mktemp("recordings")
    fake = build_fake_rocm(folder / "rocm")
    base = recorded(fake, folder / "base", SIX)
    return base, recorded(fake, folder / "head", [round(ns * 1.1) for ns in SIX])


def profile_document(
    recording: Path, to: Path, capsys: pytest.CaptureFixture[str], **changes: Any
) -> Path:
    assert main(["profile", "--json", "--from", str(recording)]) == 0
    document = json.loads(capsys.readouterr().out)
    document.update(changes)
    to.write_text(json.dumps(document))
    return to


def test_equal_commands_are_no_change(
    fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--rocm", str(fake_rocm.path), "--blocks", "8", "--fail-on", "regression"]
    assert main(["compare", *options, COMMAND, COMMAND]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[-1] == "Result: no change of 2% or more"
    assert "Method: 8 blocks of base, head and base again" in out
    assert len(fake_rocm.calls()) == 24


def test_a_slower_command_is_a_regression_with_exit_code_1(
    fake_rocm: FakeRocm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    orders = [role for number in range(1, 9) for role in order_of(9, number)]
    fake_rocm.behave(durations_ns=[110_000 if role == "B" else 100_000 for role in orders])
    options = ["--rocm", str(fake_rocm.path), "--blocks", "8", "--seed", "9", "--json"]
    options += ["--out", str(tmp_path / "out")]
    assert main(["compare", *options, "--fail-on", "regression", COMMAND, COMMAND]) == 1
    found = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, json.loads((ROOT / "docs/schema/compare-1.0.json").read_text()))
    assert found["verdict"] == found["end_to_end"]["verdict"] == "regression"
    (kernel,) = found["kernels"]
    assert (kernel["kernel"], kernel["verdict"]) == (KERNEL, "regression")
    assert kernel["change"] == pytest.approx(0.1, abs=0.001)
    assert (kernel["base_ns"], kernel["head_ns"]) == (100_000, 110_000)
    assert found["kind"] == "commands"
    assert not found["virtual"]
    assert json.loads((tmp_path / "out" / "compare.json").read_text()) == found
    for name in ("end_to_end", "kernel_1"):
        assert main(["judge", "--json", str(tmp_path / "out" / "samples" / f"{name}.json")]) == 1
        assert json.loads(capsys.readouterr().out)["blocks"] == 8


def printing(text: str) -> str:
    return shlex.join([sys.executable, "-c", f"print({text!r})"])


def test_other_output_is_said_before_any_change(
    fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]
) -> None:
    orders = [role for number in range(1, 9) for role in order_of(9, number)]
    fake_rocm.behave(durations_ns=[18_000 if role == "B" else 100_000 for role in orders])
    options = ["--rocm", str(fake_rocm.path), "--blocks", "8", "--seed", "9"]
    sides = [printing("sum 1\nsum 2"), printing("sum 1\nsum 3")]
    assert main(["compare", *options, *sides]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "the outputs differ: line 2 differs: sum 3."
    last = "Result: the outputs differ: line 2 differs: sum 3; improvement: end to end -69.5%, "
    assert lines[-1].startswith(last)
    fake_rocm.behave(durations_ns=[18_000 if role == "B" else 100_000 for role in orders])
    assert main(["compare", *options, "--json", *sides]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["output"], found["output_reason"]) == ("different", "line 2 differs: sum 3")


@pytest.mark.parametrize(
    ("base", "head", "word", "reason"),
    [
        ("print(7)", "print(7)", "same", "the same byte by byte"),
        ("print(7)", "print(7); print(8)", "different", "2 bytes|line 2 differs: 8|4 bytes"),
        ("pass", "pass", "not compared", "there is no output"),
        (
            "import os; print('x'); print(os.getpid())",
            "print('x'); print(1)",
            "same",
            "1 lines are the same; 2 vary in the baseline too",
        ),
        (
            "import os; print('x'); print(os.getpid())",
            "print('y'); print(1)",
            "different",
            "line 1 differs: y",
        ),
    ],
)
def test_what_both_print(base: str, head: str, word: str, reason: str) -> None:
    sides = (Command((sys.executable, "-c", text)) for text in (base, head))
    found = compare_printed(*sides)
    assert found.word == word
    assert re.search(reason, found.reason)


def test_what_does_not_run_is_not_compared() -> None:
    texts = ("print(1)", "raise SystemExit(3)")
    good, bad = (Command((sys.executable, "-c", text)) for text in texts)
    assert compare_printed(bad, good).word == "not compared"
    assert compare_printed(Command(("/nowhere/none",)), good).reason.startswith("BASE does not st")
    assert compare_printed(good, bad).word == "different"


def test_recordings_are_judged_unpaired_and_say_so(
    recordings: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    base, head = map(str, recordings)
    assert main(["compare", base, head]) == 0, "only --fail-on makes it a failure"
    out = capsys.readouterr().out
    assert "Result: regression: end to end +10.0%, vector_add" in out
    assert "an exact rank test of the runs" in out
    assert out.startswith("output not compared: nothing was run")
    assert "the two were recorded one after the other" in " ".join(out.split())
    assert main(["compare", "--fail-on", "regression", base, head]) == 1
    assert main(["compare", "--fail-on", "regression", head, base]) == 0
    assert "Result: improvement: end to end -9" in capsys.readouterr().out
    assert main(["compare", base, base]) == 0
    assert capsys.readouterr().out.endswith("Result: no change of 2% or more\n")
    assert max(map(len, out.splitlines())) <= 100


def test_profiles_keep_the_runs_but_not_their_kernels(
    recordings: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base, head = (
        str(profile_document(path, tmp_path / f"{path.name}.json", capsys)) for path in recordings
    )
    assert main(["compare", "--json", "--fail-on", "regression", base, head]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["end_to_end"]["quantity"] == "kernel_time"
    assert found["end_to_end"]["verdict"] == "regression"
    (kernel,) = found["kernels"]
    assert kernel["verdict"] == "not judged"
    assert kernel["reason"] == "a profile keeps the kernels of one run only"
    assert kernel["change"] == pytest.approx(0.1, abs=0.02)


def test_one_run_cannot_be_judged_and_is_no_failure(
    fake_rocm: FakeRocm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [
        recorded(fake_rocm, tmp_path / name, [duration])
        for name, duration in (("base", 100_000), ("head", 200_000))
    ]
    words = ["compare", "--fail-on", "regression"]
    capsys.readouterr()
    assert main([*words, *map(str, paths)]) == 0
    out = capsys.readouterr().out
    assert "Result: not judged: 1 and 1 runs: even a clear difference could be chance" in out
    assert "+100.0%" in out, "the numbers are shown all the same"
    documents = [
        str(profile_document(path, tmp_path / f"{path.name}.json", capsys)) for path in paths
    ]
    assert main([*words, *documents]) == 0
    out = capsys.readouterr().out
    assert "Result: not judged: 1 and 1 runs" in out
    assert "Needed: at least 5 runs of each" in " ".join(out.split())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "virtual"}, "HEAD is of the virtual device, BASE is not"),
        ({"product": "AMD Instinct MI210", "gfx": "gfx90a"}, "HEAD of AMD Instinct MI210"),
    ],
)
def test_profiles_of_other_devices_are_refused(
    recordings: tuple[Path, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    change: dict[str, str],
    said: str,
) -> None:
    base = profile_document(recordings[0], tmp_path / "base.json", capsys)
    device = {**json.loads(base.read_text())["device"], **change}
    head = profile_document(recordings[0], tmp_path / "head.json", capsys, device=device)
    assert main(["compare", str(base), str(head)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert said in captured.err


def test_markdown_is_a_table_and_kernels_cannot_break_it(
    recordings: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = profile_document(recordings[0], tmp_path / "base.json", capsys)
    document = json.loads(base.read_text())
    document["kernels"][0]["name"] = document["kernel"]["name"] = "f<a|b>`*x*`(int)"
    head = tmp_path / "head.json"
    head.write_text(json.dumps(document))
    assert main(["compare", "--markdown", str(base), str(head)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("### no change of 2% or more\n")
    rows = [line for line in out.splitlines() if line.startswith("|")]
    cells = [len(row.replace("\\|", "").split("|")) for row in rows]
    assert cells == [8] * 5
    assert "| `f<a\\|b>'*x*'(int)` |" in out
    assert "- f\\<a\\|b\\>\\`\\*x\\*\\`(int): not judged: only in HEAD." in out


def test_a_recording_is_read_where_every_file_counts_as_a_program(
    recordings: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = profile_document(recordings[0], tmp_path / "base.json", capsys)
    base.chmod(0o755)
    assert main(["compare", "--json", str(base), str(base)]) == 0
    assert json.loads(capsys.readouterr().out)["kind"] == "profiles"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["none.json", "none.json"], "there is no file none.json"),
        (["'unbalanced", COMMAND], "cannot split ''unbalanced'"),
        (["", COMMAND], "an empty word is nothing to compare"),
        ([str(ROOT / "docs"), COMMAND], "BASE is a recording and HEAD a command"),
        (["--threshold", "0.5", COMMAND, COMMAND], "a threshold of 0.5% is not between"),
        (["--blocks", "0", COMMAND, COMMAND], "0 blocks measure nothing"),
        ([COMMAND, COMMAND, "--", "./app"], "compare takes no application after --"),
    ],
)
def test_what_makes_no_sense_is_said(
    words: list[str], said: str, fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", "--rocm", str(fake_rocm.path), *words]) == 2
    assert said in capsys.readouterr().err


def test_a_document_that_is_no_profile_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "other.json"
    path.write_text('{"schema_version": "1.1", "kernels": []}')
    assert main(["compare", str(path), str(path)]) == 5
    said = capsys.readouterr().err
    assert "other.json is not a profile that this version reads: Object missing required" in said
    assert "field `tool_version`" in " ".join(said.split())


def test_a_failing_command_is_named(
    fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = shlex.join([sys.executable, "-c", "raise SystemExit(3)"])
    assert main(["compare", "--rocm", str(fake_rocm.path), COMMAND, broken]) == 4
    assert "rocm-perf: error: HEAD (" in capsys.readouterr().err


@pytest.mark.weekly
def test_on_the_virtual_device_with_typical_noise(
    virtual_rocm: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One kernel became five percent slower; the series of noise is the same every time."""
    source, app = tmp_path / "app.hip", tmp_path / "app"
    source.write_text(SLOWER)
    subprocess.run([str(virtual_rocm / "bin" / "hipcc"), str(source), "-o", str(app)], check=True)
    monkeypatch.setenv("VROCM_NOISE", f"3:typical:{tmp_path / 'count'}")
    options = ["--rocm", str(virtual_rocm), "--blocks", "12", "--fail-on", "regression", "--json"]
    assert main(["compare", *options, f"{app} 4000", f"{app} 4220"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["virtual"]
    assert found["base"]["device"] == "AMD Instinct MI300X (virtual, noise typical)"
    verdicts = {row["kernel"]: row["verdict"] for row in found["kernels"]}
    assert verdicts["spin(float*, int)"] == "regression"
    assert verdicts["same(float*)"] != "regression"
    (spin,) = (row for row in found["kernels"] if row["kernel"].startswith("spin"))
    assert spin["low"] < 0.05 < spin["high"]
    assert (found["output"], found["output_reason"]) == ("not compared", "there is no output")
    processes = 36 + 3  # three more for what they print
    assert (tmp_path / "count").read_text() == f"{processes}\n"
