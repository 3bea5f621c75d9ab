"""What ``--from`` names: which runs it holds, and what was run."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from rocm_perf_lab.analysis.profile import RunInput


def runs_of(paths: Iterable[Path]) -> list[Path]:
    """A folder written by --keep-trace holds one folder per run; anything else is one run."""
    found: list[Path] = []
    for path in paths:
        inner = sorted(path.glob("run_*")) if path.is_dir() else []
        found.extend(inner or [path])
    return found


def common_command(runs: Iterable[RunInput]) -> Optional[list[str]]:
    """The recorded command line as one word: how it was split is not in the recording."""
    commands = {p.command for run in runs for p in run.trace.processes if p.command}
    return [commands.pop()] if len(commands) == 1 else None
