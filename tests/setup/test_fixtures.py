"""Fixtures with figures of recordings: they are what the script draws, small, and tell no names."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fakes.composed_run import durations
from fakes.composed_waves import shares
from fakes.recordings import FIGURES, recording, recordings
from rocm_perf_lab.redaction import redacted_text

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(path for path in FIGURES.rglob("*") if path.is_file() and path.suffix != ".md")
_MOST_BYTES = 500_000
# A place on somebody's machine, an address, or a name that a machine gave itself.
_TELLING = re.compile(
    r"/(?:home|root|users|mnt|tmp|opt|data|workspace)\b|\d+\.\d+\.\d+\.\d+|@|hostname|PATH=", re.I
)


def text_of(path: Path) -> str:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")


def test_they_are_drawn_from_the_recordings() -> None:
    recording("mi300x-batched-gemm-trace")
    script = ROOT / "scripts" / "write-fixtures.py"
    done = subprocess.run(
        [sys.executable, str(script), "--check", str(recordings())],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_they_are_small() -> None:
    assert 100_000 < sum(path.stat().st_size for path in FILES) < _MOST_BYTES


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(FIGURES)))
def test_they_tell_nothing_of_a_machine(path: Path) -> None:
    text = text_of(path)
    assert _TELLING.findall(text) == []
    assert redacted_text(text) == text


def test_every_folder_says_where_it_is_from() -> None:
    page = (FIGURES / "README.md").read_text(encoding="utf-8")
    for path in FILES:
        parts = path.relative_to(FIGURES).parts
        assert f"| {parts[0]} |" in page or f"| {parts[0]}/{parts[1]} |" in page


def test_composed_durations_have_the_figures_asked_for() -> None:
    kernel = {"dispatches": 9, "min_ns": 3, "median_ns": 7, "max_ns": 30, "total_ns": 90}
    found = sorted(durations(kernel))
    assert (found[0], found[4], found[-1], sum(found), len(found)) == (3, 7, 30, 90, 9)


def test_shares_add_up() -> None:
    assert shares(11, 4) == [3, 3, 3, 2]
    assert shares(0, 3) == [0, 0, 0]
