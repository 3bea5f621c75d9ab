"""The terminal on which a result is read: its width, colours and characters are decided here."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator
from contextvars import ContextVar
from typing import TextIO

NARROWEST, WIDEST = 60, 200
PIPED = 100  # columns where nobody knows any: files, pipes, logs of CI
_FOR_A_FILE: ContextVar[bool] = ContextVar("for_a_file", default=False)


def width() -> int:
    """Columns of a line at most: COLUMNS, else those of standard output's terminal."""
    if _FOR_A_FILE.get():
        return PIPED
    columns = shutil.get_terminal_size((PIPED, 24)).columns
    return min(max(columns, NARROWEST), WIDEST)


def prose_width() -> int:
    """Sentences longer than this are hard to read, however wide the terminal is."""
    return min(width(), PIPED)


def roomy(columns: int) -> int:
    """More columns for a name where there are more than in a file."""
    return columns * max(width(), PIPED) // PIPED


def is_watched() -> bool:
    """Does a person see the result at once, or does a program read it?"""
    return not _FOR_A_FILE.get() and sys.stdout.isatty()


def has_colours(stream: TextIO) -> bool:
    """NO_COLOR wins over the two customary ways to ask for colours."""
    if os.environ.get("NO_COLOR"):
        return False
    if any(
        os.environ.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")
    ):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def draws(stream: TextIO, characters: str) -> bool:
    """Can it show these, or is ASCII all that it has?"""
    try:
        characters.encode(stream.encoding or "ascii")
    except (UnicodeError, LookupError):
        return False
    return os.environ.get("TERM") != "dumb"


@contextlib.contextmanager
def for_a_file() -> Iterator[None]:
    """What is written into a file is the same on every terminal."""
    token = _FOR_A_FILE.set(True)
    try:
        yield
    finally:
        _FOR_A_FILE.reset(token)
