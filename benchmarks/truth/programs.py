"""One row of a table, run as a process: the executable that a folder of programs has for it."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from benchmarks.truth.table import Row, Table

LAST_NUMBER = re.compile(r"([0-9.]+(?:[eE][-+]?[0-9]+)?)\s*$")


@dataclass(frozen=True)
class Outcome:
    """``time`` in the table's unit, or None with the reason."""

    time: float | None
    reason: str = ""


def program_of(table: Table, programs: Path | None) -> Path | None:
    """None where the table cannot be run; ``why_absent`` says it."""
    found = programs / table.name / "run" if programs else None
    return found if found and os.access(found, os.X_OK) else None


def why_absent(table: Table, programs: Path | None) -> str:
    if programs is None:
        return "no folder of programs was named (--programs)"
    return f"{programs / table.name / 'run'} is not an executable file"


def run_row(table: Table, row: Row, program: Path, seconds: float) -> Outcome:
    arguments = [f"{name}={row.values[name]}" for name in table.columns]
    try:
        done = subprocess.run(
            [str(program), *arguments],
            capture_output=True,
            text=True,
            timeout=seconds,
            env={**os.environ, **table.environment},
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Outcome(None, f"no answer after {seconds:g} s")
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        return Outcome(None, f"exit {done.returncode}: {said[-1][:200] if said else 'no message'}")
    time = LAST_NUMBER.search(done.stdout)
    if not time or float(time.group(1)) <= 0:
        return Outcome(None, f"no time in its output: {done.stdout.strip()[-100:]!r}")
    return Outcome(float(time.group(1)))
