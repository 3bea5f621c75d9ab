"""When we are killed, what we started ends too, and what we left is removed by the next start."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from fakes.fake_rocm import FakeRocm
from rocm_perf_lab.cli.main import main
from rocm_perf_lab.trace.files.temporary import temporary_folder


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def until(happened, what: str) -> None:
    deadline = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def test_the_application_ends_and_the_next_start_tidies_up(
    fake_rocm: FakeRocm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pids, temporary = tmp_path / "pids", tmp_path / "temporary"
    temporary.mkdir()
    script = 'trap "" TERM; sleep 60 & echo $$ $! > "$0".new; mv "$0".new "$0"; wait; sleep 60'
    words = ["profile", "--rocm", str(fake_rocm.path), "--runs", "1", "--", "sh", "-c", script]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    command = [sys.executable, "-m", "rocm_perf_lab.cli.main", *words, str(pids)]
    ours = subprocess.Popen(command, env=environment, stdout=-3, stderr=-3)
    until(pids.exists, "the application did not start")
    started = [int(word) for word in pids.read_text().split()]
    assert all(map(is_running, started))
    os.kill(ours.pid, signal.SIGKILL)
    ours.wait()
    until(lambda: not any(map(is_running, started)), "the application runs on")
    assert len(list(temporary.iterdir())) == 1
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    assert main([*words[:6], "true"]) == 0
    assert list(temporary.iterdir()) == []


def test_a_folder_in_use_and_foreign_ones_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "rocm-perf-own-link").symlink_to(elsewhere)
    (tmp_path / "rocm-perf-unlocked").mkdir()
    (tmp_path / "rocm-perf-own-abandoned").mkdir()
    with temporary_folder("first") as first, temporary_folder("second") as second:
        assert first != second
        assert first.is_dir()
        assert second.is_dir()
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"elsewhere", "rocm-perf-own-link", "rocm-perf-unlocked"}


def test_a_folder_that_another_process_removes_before_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    make, made = tempfile.mkdtemp, []

    def removed_once(prefix: str) -> str:
        made.append(make(prefix=prefix))
        if len(made) == 1:
            Path(made[0]).rmdir()
        return made[-1]

    monkeypatch.setattr("tempfile.mkdtemp", removed_once)
    with temporary_folder("mine") as folder:
        assert folder == Path(made[1]).resolve()
        assert folder.is_dir()
