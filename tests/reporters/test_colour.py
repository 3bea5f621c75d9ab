"""Colours: on a terminal, as people wish, and without changing a character of the text."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from rocm_perf_lab.reporters import terminal
from rocm_perf_lab.reporters.colour import painted

ESCAPES = re.compile(r"\033\[\d+m")
WISHES = ("TERM", "COLUMNS")
PAGE = """\
[ok]   GPU: gfx942
[fail] rocprofv3: not there

kernel  base  head  verdict
gemm    1 us  2 us  regression
copy    1 us  1 us  no change

Result: regression: gemm +100.0%
"""


@pytest.fixture(autouse=True)
def no_wishes(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in WISHES:
        monkeypatch.delenv(name, raising=False)


def test_verdicts_are_coloured_and_nothing_else_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = painted(PAGE, sys.stdout)
    assert ESCAPES.sub("", shown) == PAGE
    for part in ("[\033[32mok\033[0m]", "[\033[31mfail\033[0m]", "  \033[33mno change\033[0m\n"):
        assert part in shown
    assert "\033[1mResult:\033[0m \033[31mregression\033[0m: gemm" in shown


@pytest.mark.parametrize(
    ("answer", "tone"),
    [
        ("ACCEPT (faster)", 32),
        ("accepted, at least 1.100x", 32),
        ("not accepted", 31),
        ("NO CHANGE (none was faster)", 33),
        ("intact", 32),
        ("NOT INTACT (1 problem)", 31),
        ("profile can run", 32),
        ("profile cannot run: 2 problems", 31),
        ("B is slower: 0.900x", 31),
        ("equal, bit by bit: the same", 32),
        ("unverified: nothing was compared", 33),
    ],
)
def test_tones(answer: str, tone: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLICOLOR_FORCE", "1")
    shown = painted(f"Result: {answer}\n", sys.stdout)
    assert re.search(rf"Result:\033\[0m (B is )?\033\[{tone}m", shown)


@pytest.mark.parametrize(
    ("wishes", "coloured"),
    [
        ({}, True),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, True),
        ({"TERM": "dumb"}, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, True),
    ],
)
def test_wishes_on_a_terminal(
    wishes: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    for name, value in wishes.items():
        monkeypatch.setenv(name, value)
    assert terminal.has_colours(sys.stdout) is coloured


def test_piped_text_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: False, raising=False)
    assert painted(PAGE, sys.stdout) == PAGE
    monkeypatch.setenv("FORCE_COLOR", "0")
    assert painted(PAGE, sys.stdout) == PAGE


def test_a_real_terminal(tmp_path: Path) -> None:
    """doctor with a prefix that is not there, on a terminal of 64 columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 64, 0, 0))
    program = [sys.executable, "-m", "rocm_perf_lab.cli.main", "doctor", "--rocm", str(tmp_path)]
    environment = {**os.environ, "TERM": "xterm"}
    with subprocess.Popen(program, stdout=theirs, stderr=theirs, env=environment) as doctor:
        os.close(theirs)
        shown = _all_of(ours)
    assert doctor.returncode == 3
    lines = ESCAPES.sub("", shown).splitlines()
    assert "\033[31mprofile cannot run\033[0m" in shown
    assert [line for line in lines if len(line) > 64 and "/" not in line] == []
    assert max(map(len, lines)) > 50


def _all_of(terminal_end: int) -> str:
    shown = b""
    with open(terminal_end, "rb", buffering=0) as stream:
        while True:
            try:
                part = stream.read(4096)
            except OSError:  # what Linux says when the other end is closed
                break
            if not part:
                break
            shown += part
    return shown.decode().replace("\r\n", "\n")
