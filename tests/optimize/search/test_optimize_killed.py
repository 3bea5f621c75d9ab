"""``kill -9`` and Ctrl-C while ``rocm-perf optimize`` works: the user's tree stays as it was.

``ROCM_PERF_KILLS=20`` tries more moments than the suite has time for.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from search_support import tree_hash, write_project

from rocm_perf_lab.prove.evidence import read_log, verify_bundle

KILLS = int(os.environ.get("ROCM_PERF_KILLS", "2"))
LONGEST = 12.0  # seconds; profiling, capturing and the first candidates fall into it
ROCM_PERF = (sys.executable, "-m", "rocm_perf_lab.cli.main", "optimize", "poly.hip")


def start(folder: Path, rocm: Path, evidence: Path) -> subprocess.Popen[bytes]:
    words = ("--rocm", str(rocm), "--evidence", str(evidence), "--auto-approve", "--json")
    return subprocess.Popen(
        [*ROCM_PERF, *words, "--", "./poly", "1024"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def check_evidence(folder: Path) -> None:
    log = folder / "search.jsonl"
    assert not log.is_file() or read_log(log).problems == ()
    for bundle in folder.glob("candidate-*"):
        if (bundle / "manifest.json").is_file():
            report = verify_bundle(bundle)
            assert report.intact, report.problems


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_killed_at_any_moment(tmp_path: Path, virtual_rocm: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    write_project(folder)
    before = tree_hash(folder)
    moments = random.Random(20)
    for number in range(KILLS):
        running = start(folder, virtual_rocm, tmp_path / f"evidence-{number}")
        time.sleep(moments.uniform(0.1, LONGEST))
        assert running.poll() is None, running.communicate()
        os.kill(running.pid, signal.SIGKILL)
        running.communicate()
        assert tree_hash(folder) == before, f"killed at moment {number}"
        check_evidence(tmp_path / f"evidence-{number}")


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_ctrl_c_says_so_and_changes_nothing(tmp_path: Path, virtual_rocm: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    write_project(folder)
    before = tree_hash(folder)
    running = start(folder, virtual_rocm, tmp_path / "evidence")
    deadline = time.monotonic() + 300
    while not (tmp_path / "evidence" / "search.jsonl").is_file():
        assert time.monotonic() < deadline
        time.sleep(0.2)
    os.kill(running.pid, signal.SIGINT)
    said = running.communicate(timeout=120)[1].decode()
    assert running.returncode == 130, said
    assert tree_hash(folder) == before
    check_evidence(tmp_path / "evidence")
