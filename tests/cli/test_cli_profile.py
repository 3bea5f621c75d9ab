"""``rocm-perf profile`` as a user meets it: output, exit codes, and the words of every failure."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Optional

import msgspec
import pytest

from fakes.fake_rocm import FakeRocm
from rocm_perf_lab.cli.main import main

HELLO = [sys.executable, "-c", "print('hello from the application')"]


def profile(fake: FakeRocm, *options: str, app: Optional[list[str]] = None) -> int:
    return main(["profile", "--rocm", str(fake.path), *options, "--", *(app or HELLO)])


def test_json_is_one_document_even_with_a_noisy_profiler(
    fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_rocm.behave(noise=True)
    assert profile(fake_rocm, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema_version"] == "1.1"
    assert document["stability"]["runs"] == 3
    assert document["device"]["kind"] == "hardware"
    assert document["command"] == HELLO


def test_drifting_runs_are_called_unstable(
    fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_rocm.behave(durations_ns=[100_000, 150_000, 200_000, 250_000, 300_000])
    assert profile(fake_rocm, "--runs", "5") == 0
    out = capsys.readouterr().out
    assert "Stability: unstable, CV 39.5% over 5 runs" in out
    assert "fix its" in out
    assert "clocks" in out


def test_drift_is_seen_with_kept_recordings_and_stale_files_too(
    fake_rocm: FakeRocm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept"
    fake_rocm.behave(durations_ns=[100_000, 200_000, 300_000])
    assert profile(fake_rocm, "--json", "--keep-trace", str(kept)) == 0
    live = json.loads(capsys.readouterr().out)
    assert live["stability"]["classification"] == "unstable"
    assert main(["profile", "--json", "--from", str(kept)]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["stability"]["samples_ms"] == live["stability"]["samples_ms"]
    assert again["kernels"] == live["kernels"]
    assert again["device"]["kind"] == "recorded"


def test_quiet_prints_one_number(fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]) -> None:
    assert profile(fake_rocm, "--quiet", "--runs", "1") == 0
    assert re.fullmatch(r"0\.300000\n", capsys.readouterr().out)


def test_terminal_output_fits_and_ends_with_the_result(
    fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]
) -> None:
    assert profile(fake_rocm) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) <= 100 for line in lines)
    assert all(" " <= c <= "~" for line in lines for c in line)
    assert lines[-1].startswith("Result: 0.3 ms of kernel time per run")


def test_out_writes_the_same_document(
    fake_rocm: FakeRocm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert profile(fake_rocm, "--json", "--out", str(tmp_path / "new" / "dir")) == 0
    assert (tmp_path / "new" / "dir" / "profile.json").read_text() == capsys.readouterr().out


def test_debug_shows_the_profiler_command_line(
    fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]
) -> None:
    assert profile(fake_rocm, "--debug", "--runs", "1") == 0
    err = capsys.readouterr().err
    assert "+ " in err
    assert "--kernel-trace" in err


def test_hung_application_is_stopped_at_its_limit(
    fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]
) -> None:
    app = [sys.executable, "-c", "import time; time.sleep(600)"]
    assert profile(fake_rocm, "--timeout", "0.5", app=app) == 4
    err = capsys.readouterr().err
    assert "0.5" in err
    assert "next: " in err


def test_application_without_kernels_exits_5(
    fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_rocm.behave(dispatches=0)
    assert profile(fake_rocm) == 5
    captured = capsys.readouterr()
    assert "rocm-perf: error: " in captured.err
    assert "next: " in captured.err
    assert "Result:" not in captured.out


def test_failing_application_exits_4_with_the_end_of_its_stderr(
    fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]
) -> None:
    app = [sys.executable, "-c", "import sys; sys.exit('hipErrorOutOfMemory in step 7')"]
    assert profile(fake_rocm, app=app) == 4
    err = capsys.readouterr().err
    assert "last lines of the application's stderr" in err
    assert "hipErrorOutOfMemory in step 7" in err
    assert "exit code 1" in err


def test_missing_prefix_exits_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", "--rocm", str(tmp_path), "--", "true"]) == 3
    assert "not a ROCm prefix" in capsys.readouterr().err


def test_no_rocprof_gives_wall_time_and_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", "--no-rocprof", "--json", "--", *HELLO]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["stability"]["quantity"] == "wall_time"
    assert document["timing"]["wall_ms"] > 0
    assert document["gpu"] is None
    missing = {entry["field"]: entry["reason"] for entry in document["unavailable"]}
    assert "--no-rocprof" in missing["occupancy"]


def test_older_positional_forms_still_work(
    fake_rocm: FakeRocm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "app"
    script.write_text(f"#!{sys.executable}\nimport sys\nsys.exit(sys.argv[1:] != ['100'])\n")
    script.chmod(0o755)
    rocm = ["--rocm", str(fake_rocm.path), "--runs", "1", "--quiet"]
    assert main(["profile", f"{script} 100", *rocm]) == 0
    assert main(["profile", str(script), "100", *rocm]) == 0


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["profile"], "neither an application nor --from"),
        (["profile", "--from", "x.db", "--", "./app"], "runs nothing"),
        (["profile", "--"], "no application after --"),
        (["profile", "./app", "-n", "5"], "unrecognized arguments"),
        (["profile", "--runs", "0", "--", "./app"], "0 runs measure nothing"),
        (["profile", "--json", "--quiet", "--", "./app"], "not allowed with"),
        (["profile", "./app 'unfinished"], "cannot split"),
        (["nonsense"], "invalid choice"),
    ],
)
def test_wrong_usage_exits_2_with_a_hint(
    argv: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(argv) == 2
    assert words in capsys.readouterr().err


def test_from_a_file_that_is_no_recording(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    junk = tmp_path / "junk_results.db"
    junk.write_bytes(b"not a database" * 100)
    assert main(["profile", "--from", str(junk)]) == 5
    assert str(junk) in capsys.readouterr().err


def test_kernel_filter(fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]) -> None:
    assert profile(fake_rocm, "--kernel", "no such kernel", "--runs", "1") == 5
    assert "recorded kernels: " in capsys.readouterr().err
    assert profile(fake_rocm, "--kernel", "(", "--runs", "1") == 2
    assert "not a regular expression" in capsys.readouterr().err


# --- the document as a reader of version 1.0 sees it --------------------------------------------


class Kernel10(msgspec.Struct):
    name: Optional[str]
    grid: Optional[tuple[int, int, int]]
    block: Optional[tuple[int, int, int]]


class Gpu10(msgspec.Struct):
    architecture: str
    wave_size: int
    compute_units: int
    theoretical_peak_flops: Optional[float] = None


class Stability10(msgspec.Struct):
    runs: int
    mean_ms: float
    stddev_ms: float
    cv: float
    classification: str


class Resources10(msgspec.Struct):
    vgpr_per_thread: Optional[int]
    sgpr_per_wave: Optional[int]
    lds_bytes: Optional[int]


class Occupancy10(msgspec.Struct):
    theoretical: float
    threads_per_block: int
    wave_size: int


class Profile10(msgspec.Struct):
    schema_version: str
    kernel: Kernel10
    gpu: Gpu10
    runtime_ms: float
    stability: Stability10
    resources: Optional[Resources10]
    occupancy: Optional[Occupancy10]
    roofline: Optional[dict[str, float]]


def test_a_reader_of_version_1_0_accepts_it(
    fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str]
) -> None:
    assert profile(fake_rocm, "--json") == 0
    read = msgspec.json.decode(capsys.readouterr().out, type=Profile10)
    assert read.runtime_ms == pytest.approx(0.3)
    assert read.stability.classification == "stable"
