"""Colours for verdicts. They are added to finished text: no character of it changes."""

from __future__ import annotations

import re
from functools import cache
from typing import TextIO

from rocm_perf_lab.reporters import terminal

_GREEN, _RED, _YELLOW, _BOLD = "32", "31", "33", "1"
_TONES = {
    _GREEN: (
        "accepted",
        "accept",
        "improvement",
        "equal",
        "within tolerance",
        "faster",
        "intact",
        "profile can run",
        "ok",
    ),
    _RED: (
        "not accepted",
        "reject",
        "regression",
        "different",
        "slower",
        "not intact",
        "profile cannot run",
        "fail",
        "error",
        "internal error",
    ),
    _YELLOW: ("no change", "inconclusive", "not judged", "unverified", "incomplete", "warn"),
}
_TONE = {word: tone for tone, words in _TONES.items() for word in words}


def painted(text: str, stream: TextIO) -> str:
    """As it is, or with colours where the stream shows them."""
    if not terminal.has_colours(stream):
        return text
    for place in _places():
        text = place.sub(_coloured, text)
    return re.sub(r"^Result:", _paint("Result:", _BOLD), text, flags=re.MULTILINE)


@cache
def _places() -> tuple[re.Pattern[str], ...]:
    """Compiled only where colours are shown: who reads a file need not wait for them."""
    words = "|".join(sorted(map(re.escape, _TONE), key=len, reverse=True))
    return (
        re.compile(
            rf"^(?P<before>Result: (?:B is )?)(?P<word>{words})\b", re.MULTILINE | re.IGNORECASE
        ),
        re.compile(rf"^(?P<before>\[)(?P<word>{words})(?=\])", re.MULTILINE),  # of doctor
        re.compile(rf"(?P<before>  )(?P<word>{words})$", re.MULTILINE),  # the end of a table's row
        re.compile(rf"^(?P<before>rocm-perf: )(?P<word>{words})(?=: )", re.MULTILINE),
    )


def _coloured(match: re.Match[str]) -> str:
    word = match["word"]
    return match["before"] + _paint(word, _TONE[word.lower()])


def _paint(text: str, tone: str) -> str:
    return f"\033[{tone}m{text}\033[0m"
