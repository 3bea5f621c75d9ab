"""Puts what benchmarks/judge.py printed into README.md, as it is, and draws the picture."""

from __future__ import annotations

import datetime
import platform
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy

from benchmarks import judge_plot

PAGE = judge_plot.PAGE
BEGIN, END = "<!-- output of benchmarks.judge -->", "<!-- end of it -->"


def provenance(words: Sequence[str]) -> str:
    command = " ".join(["python -m benchmarks.judge", *words])
    day = datetime.datetime.now(datetime.timezone.utc)
    top = Path(__file__).resolve().parents[1]
    described = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=top, capture_output=True, text=True
    )
    return (
        f"`{command}`, {day:%Y-%m-%d %H:%M} UTC, commit {described.stdout.strip() or 'unknown'}, "
        f"Python {platform.python_version()}, NumPy {numpy.__version__}."
    )


def write(lines: Sequence[str]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    text = "\n".join([before + BEGIN, "", *lines, "", END]) + after
    PAGE.write_text(text, encoding="utf-8")
    judge_plot.draw()
