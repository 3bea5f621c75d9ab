"""The benchmark of this room runs, on a database that is too small to say anything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)


def test_every_measurement_gives_a_line(tmp_path: Path) -> None:
    result = run(
        "benchmarks.trace_load", "--rows", "2000", "--keep", str(tmp_path / "b_results.db")
    )
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[0].startswith("2,000 dispatches")
    assert [line[:32].strip() for line in lines[2:8]] == [
        "bare SELECT SUM(end - start)",
        "view top_kernels",
        "five columns through sqlite3",
        "load for a profile",
        "load and kernel statistics",
        "load with links to API calls",
    ]
    assert any(line.startswith("kept   peak below") for line in lines)


def test_an_unknown_benchmark_is_named() -> None:
    result = run("benchmarks", "nonesuch")
    assert result.returncode == 2
    assert "no benchmark nonesuch" in result.stderr
    assert "trace_load" in result.stderr
