"""Follows pages of docs/ step by step on the virtual ROCm; a test compares with what they show.

    python scripts/follow-guide.py [--weekly] [--write]

In a block ``console`` a line that begins with "$ " is a command, what follows is its output; "..."
stands for whatever is there. A block ``diff FILE`` is a change of that file. Words have to be the
same, numbers within ``TOLERANCE``: the timing model is still being calibrated.
``--write`` puts the real output in place of what differs, for a person to read and to shorten.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rocm_perf_lab.vrocm.prefix import ensure_prefix

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "USER_GUIDE.md"
PAGES = (PAGE, ROOT / "docs" / "isolate-replay.md")
TOLERANCE = 0.02
WEEKLY = "weekly"
_BLOCK = re.compile(r"^```(console|diff)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
_NUMBER = r"[-+]?\d+(?:\.\d+)?(?:e[-+]\d+)?"


@dataclass(frozen=True)
class Step:
    """A command with the output that is shown, or a change of ``file``."""

    text: str
    shown: str = ""
    file: str = ""
    weekly: bool = False


def steps(page: str) -> Iterator[Step]:
    for kind, word, text in _BLOCK.findall(page):
        if kind == "diff":
            yield Step(text, file=word)
        else:
            for command, shown in _COMMAND.findall(text):
                yield Step(command, shown, weekly=word == WEEKLY)


def same(shown: str, real: str) -> bool:
    """Line breaks and the width of columns do not count."""
    pieces = re.split(rf"(\s*\.\.\.\s*|(?<![\w.]){_NUMBER}|\s+)", shown.strip())
    pattern = "".join(map(_pattern, filter(None, pieces)))
    found = re.fullmatch(pattern, real.strip(), re.DOTALL)
    numbers = re.findall(rf"(?<![\w.]){_NUMBER}", shown.strip())
    return found is not None and all(
        abs(float(new) - float(old)) <= TOLERANCE * abs(float(old))
        for old, new in zip(numbers, found.groups())
    )


def _pattern(piece: str) -> str:
    if piece.strip() == "...":
        return ".*?"
    if piece.isspace():
        return r"\s+"
    return f"({_NUMBER})" if re.fullmatch(_NUMBER, piece) else re.escape(piece)


def changed(text: str, change: str) -> str:
    """Without the lines that the change removes, with those that it adds."""
    lines = change.splitlines(keepends=True)
    old = "".join(line[1:] for line in lines if line[0] != "+")
    new = "".join(line[1:] for line in lines if line[0] != "-")
    if text.count(old) != 1:
        raise SystemExit(f"{text.count(old)} places look like:\n{old}")
    return text.replace(old, new)


def environment(prefix: Path, programs: Path) -> dict[str, str]:
    """What ``eval "$(rocm-perf vrocm env)"`` leaves, with the rocm-perf of these sources."""
    programs.mkdir()
    program = programs / "rocm-perf"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m rocm_perf_lab.cli.main "$@"\n')
    program.chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{programs}:{prefix / 'bin'}:{os.environ['PATH']}",
        "ROCM_PATH": str(prefix),
        "NO_COLOR": "1",
        "COLUMNS": "100",
    }


def follow(
    page: str, prefix: Path, folder: Path, weekly: bool = False
) -> Iterator[tuple[Step, str]]:
    """Every command, and what it printed."""
    variables = environment(prefix, folder / "bin")
    for step in steps(page):
        if step.weekly and not weekly:
            continue
        if step.file:
            file = folder / step.file
            file.write_text(changed(file.read_text(), step.text))
            continue
        command = ["bash", "-c", step.text]
        done = subprocess.run(
            command, cwd=folder, env=variables, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"$ {step.text}\n{done.stdout}{done.stderr}")
        yield step, done.stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weekly", action="store_true", help="what takes minutes, too")
    parser.add_argument("--write", action="store_true", help="real output into the page")
    arguments = parser.parse_args()
    differ = sum(checked(page, arguments.weekly, arguments.write) for page in PAGES)
    return int(differ > 0 and not arguments.write)


def checked(path: Path, weekly: bool, write: bool) -> int:
    """How many steps print something else than the page shows."""
    page, differ = path.read_text("utf-8"), 0
    with tempfile.TemporaryDirectory() as folder:
        for step, real in follow(page, ensure_prefix(print), Path(folder), weekly):
            if not same(step.shown, real):
                differ += 1
                print(f"$ {step.text}\n{real}")
                page = page.replace(f"$ {step.text}\n{step.shown}", f"$ {step.text}\n{real}", 1)
    if write:
        path.write_text(page, "utf-8")
    return differ


if __name__ == "__main__":
    sys.exit(main())
