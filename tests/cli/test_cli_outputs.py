"""Where results go: places that cannot be written to, streams that are closed, full or left."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any, Optional

import pytest

from fakes.fake_rocm import FakeRocm
from rocm_perf_lab import errors
from rocm_perf_lab.cli.main import main

FULL = "/dev/full"
WORDS = 'i=0; while [ $i -lt 30000 ]; do echo "line $i of the application"; i=$((i+1)); done'
needs_full = pytest.mark.skipif(not os.path.exists(FULL), reason="this system has no /dev/full")


def rocm_perf(*words: str, **how: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "rocm_perf_lab.cli.main", *words]
    return subprocess.run(command, text=True, check=False, timeout=60, **how)


def profiled(fake: FakeRocm, *options: str, app: tuple[str, ...] = ("echo", "hello")) -> list[str]:
    return ["profile", "--rocm", str(fake.path), "--runs", "1", *options, "--", *app]


def said(done: subprocess.CompletedProcess[str], code: int) -> str:
    assert done.returncode == code, done.stderr
    assert "internal error" not in done.stderr
    assert "the application failed" not in done.stderr
    return done.stderr


@pytest.mark.parametrize(
    ("verb", "option"),
    [
        ("profile", "--out"),
        ("profile", "--keep-trace"),
        ("explain", "--out"),
        ("explain", "--keep-trace"),
        ("isolate", "--out"),
        ("optimize", "--evidence"),
    ],
)
@pytest.mark.parametrize("place", ["/proc/nowhere", "{file}/below"])
def test_a_place_is_checked_before_anything_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], verb: str, option: str, place: str
) -> None:
    ran, file = tmp_path / "ran", tmp_path / "file"
    file.touch()
    where = place.format(file=file)
    source = ["k.hip"] if verb == "optimize" else []
    assert main([verb, *source, option, where, "--", "/bin/touch", str(ran)]) == 2
    err = capsys.readouterr().err
    assert f"cannot write to {where}: " in err
    assert option in err
    assert not ran.exists()


def test_a_file_where_a_folder_should_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.touch()
    assert main(["profile", "--out", str(file), "--", "true"]) == 2
    assert "it is a file, and a folder is written" in capsys.readouterr().err
    assert main(["autotune", "--simulate", "x", "-o", str(tmp_path)]) == 2
    assert "it is a folder, and a file is written" in capsys.readouterr().err


def test_a_folder_under_the_name_of_a_result(
    fake_rocm: FakeRocm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "profile.json").mkdir()
    assert main(profiled(fake_rocm, "--out", str(tmp_path))) == 2
    assert "profile.json" in capsys.readouterr().err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tmp_path.chmod(0o500)
    assert main(["profile", "--out", str(tmp_path / "new"), "--", "true"]) == 2
    assert "Permission denied" in capsys.readouterr().err


def test_checking_a_place_leaves_nothing_there(tmp_path: Path) -> None:
    assert main(["profile", "--out", str(tmp_path / "a" / "b"), "--", "/no/such/app"]) != 0
    assert list(tmp_path.iterdir()) == []


def test_standard_output_is_closed(fake_rocm: FakeRocm) -> None:
    words = " ".join(f"'{word}'" for word in profiled(fake_rocm))
    program = f'exec "$0" -m rocm_perf_lab.cli.main {words} >&-'
    done = subprocess.run(
        ["/bin/sh", "-c", program, sys.executable], stderr=subprocess.PIPE, text=True, check=False
    )
    assert "standard output is closed" in said(done, 2)
    assert fake_rocm.calls() == []


@pytest.mark.parametrize("closed", ["2>&-", "<&- 2>&-"])
def test_the_other_streams_may_be_closed(fake_rocm: FakeRocm, closed: str) -> None:
    words = " ".join(f"'{word}'" for word in profiled(fake_rocm, "--json"))
    program = f'exec "$0" -m rocm_perf_lab.cli.main {words} {closed}'
    done = subprocess.run(
        ["/bin/sh", "-c", program, sys.executable], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert json.loads(done.stdout)["schema_version"] == "1.1"


@needs_full
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_standard_output_is_full(fake_rocm: FakeRocm, options: tuple[str, ...]) -> None:
    with open(FULL, "w") as full:
        done = rocm_perf(*profiled(fake_rocm, *options), stdout=full, stderr=subprocess.PIPE)
    assert "standard output: No space left on device" in said(done, 3)


@needs_full
def test_help_into_a_full_place() -> None:
    with open(FULL, "w") as full:
        assert "No space left" in said(rocm_perf("--help", stdout=full, stderr=-1), 3)


@needs_full
def test_standard_error_is_full(fake_rocm: FakeRocm) -> None:
    with open(FULL, "w") as full:
        words = profiled(fake_rocm, app=("sh", "-c", "echo words >&2 || true"))
        done = rocm_perf(*words, stdout=subprocess.PIPE, stderr=full)
        assert done.returncode == 0
        assert "Result:" in done.stdout
        assert rocm_perf("profile", stdout=subprocess.PIPE, stderr=full).returncode == 2


def started(words: list[str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "rocm_perf_lab.cli.main", *words]
    return subprocess.Popen(command, stdout=-1, stderr=-1, text=True)


def test_the_reader_of_the_application_leaves(fake_rocm: FakeRocm) -> None:
    with started(profiled(fake_rocm, app=("sh", "-c", WORDS))) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stderr.readline()
        process.stderr.close()
        out = process.stdout.read()
    assert process.returncode == 3
    assert out == ""


def test_the_reader_of_the_result_leaves(fake_rocm: FakeRocm) -> None:
    with started(profiled(fake_rocm, app=("sh", "-c", "exec sleep 0.5"))) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        err = process.stderr.read()
    assert process.returncode == 3
    assert "nobody reads standard output any more" in err
    assert "the application failed" not in err


def limited(size: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize(
    ("size", "reason"), [(8 * 1024, "File too large"), (100 * 1024, "disk I/O error")]
)
def test_no_room_for_the_recording(
    fake_rocm: FakeRocm, tmp_path: Path, size: int, reason: str
) -> None:
    fake_rocm.behave(dispatches=1000)
    done = rocm_perf(
        *profiled(fake_rocm),
        capture_output=True,
        preexec_fn=lambda: limited(size),
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert f"{reason}" in said(done, 3)


def test_no_room_for_a_document(fake_rocm: FakeRocm, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    assert main(profiled(fake_rocm, "--keep-trace", str(kept))) == 0
    done = rocm_perf(
        *("profile", "--from", str(kept), "--out", str(tmp_path / "out")),
        capture_output=True,
        preexec_fn=lambda: limited(1024),
    )
    assert "File too large" in said(done, 3)
    assert not (tmp_path / "out" / "profile.json").exists()


def error_document(argv: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, Any]:
    code = main(argv)
    captured = capsys.readouterr()
    assert captured.err.startswith("rocm-perf: ")  # for people, as ever
    return code, json.loads(captured.out)


@pytest.mark.parametrize(
    ("argv", "kind", "code"),
    [
        (["profile", "--json", "--timeout", "nan", "--", "true"], "UsageError", 2),
        (["profile", "--json"], "UsageError", 2),
        (["profile", "--json", "--from", "/no/such/file"], "RecordingError", 5),
        (["explain", "--json", "--from", "/no/such/file"], "RecordingError", 5),
        (["profile", "--json", "--rocm", "/no/prefix", "--", "true"], "ToolMissing", 3),
        (["judge", "--json", "/no/such/file"], "SamplesError", 5),
    ],
)
def test_errors_are_json_where_json_was_asked_for(
    capsys: pytest.CaptureFixture[str], argv: list[str], kind: str, code: int
) -> None:
    got, document = error_document(argv, capsys)
    assert got == code
    assert document["schema_version"] == "1.0"
    error = document["error"]
    assert (error["kind"], error["exit_code"]) == (kind, code)
    assert error["cause"]


def test_a_defect_of_ours_is_json_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_text: Optional[str]) -> None:
        raise RuntimeError("oops")

    monkeypatch.setattr("rocm_perf_lab.collect.doctor.checks.diagnose", broken)
    got, document = error_document(["doctor", "--json"], capsys)
    assert got == errors.EXIT_INTERNAL == document["error"]["exit_code"]
    assert "oops" in document["error"]["cause"]


def test_every_exit_code_is_listed() -> None:
    codes = {value for name, value in vars(errors).items() if name.startswith("EXIT_")
             and isinstance(value, int)}  # fmt: skip
    codes |= {
        kind.exit_code
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.PerfLabError)
    }
    assert codes == set(errors.EXIT_CODES)
    readme = (Path(__file__).resolve().parents[2] / "README.md").read_text()
    shown = rocm_perf("--help", capture_output=True).stdout
    for code, meaning in errors.EXIT_CODES.items():
        assert f"| {code} | {meaning} |" in readme
        assert f"{code:>5}  {meaning}" in shown
