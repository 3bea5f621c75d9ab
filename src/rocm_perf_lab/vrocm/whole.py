"""Whether a prefix still has every file that its build wrote, as long as it was.

Disks fill, copies break off, cleaners remove what looks unused: a truncated library ends programs
with errors that name something else. The lengths of 300 files take a few milliseconds to compare.
"""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import Optional

from rocm_perf_lab.errors import ToolMissing

LIST = Path(".info") / "files.json"


def write_list(prefix: Path) -> None:
    """Lengths of all files; of links only that they are there, they may lead out of the prefix."""
    files = sorted(path for path in prefix.rglob("*") if path.is_symlink() or path.is_file())
    lengths = {
        path.relative_to(prefix).as_posix(): None if path.is_symlink() else path.stat().st_size
        for path in files
    }
    (prefix / LIST).write_text(json.dumps(lengths, indent=0) + "\n")


def check_whole(prefix: Path) -> None:
    """Raises where something is missing or cut off. A folder without a list is not checked."""
    try:
        lengths = json.loads((prefix / LIST).read_text("utf-8"))
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise PrefixDamaged(prefix, f"{LIST} cannot be read") from error
    found = (_problem(prefix, name, length) for name, length in lengths.items())
    problems = [problem for problem in found if problem is not None]
    if problems:
        others = len(problems) - 1
        more = f", and {others} more file{'s' if others > 1 else ''}" if others else ""
        raise PrefixDamaged(prefix, f"{problems[0]}{more}")


class PrefixDamaged(ToolMissing):
    """Files of a virtual ROCm are missing or cut off."""

    def __init__(self, prefix: Path, problem: str) -> None:
        super().__init__(
            f"the virtual ROCm in {prefix} is damaged: {problem}",
            f"rocm-perf vrocm rebuild --prefix {shlex.quote(str(prefix))}",
        )


def _problem(prefix: Path, name: str, length: Optional[int]) -> Optional[str]:
    path = prefix / name
    try:
        found = os.lstat(path).st_size
    except OSError:
        folder = next((one for one in reversed(path.parents) if not one.exists()), None)
        return f"{name if folder is None else folder.relative_to(prefix)} is missing"
    if length is None or found == length:
        return None
    return f"{name} has {found} of {length} bytes"
