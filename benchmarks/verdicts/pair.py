"""A program of the corpus in two forms, and what was changed between them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parents[2] / "tests" / "labelled" / "programs"


@dataclass(frozen=True)
class Pair:
    name: str  # what it computes
    program: str  # the file
    letter: str  # of the pair in it
    mend: str  # as ``explain --json`` names it in advice[].mend
    changed: str  # for people


def program(name: str, *pairs: tuple[str, str, str]) -> tuple[Pair, ...]:
    """The pairs of a file, in the order of their letters: a name, a mend and what it changed."""
    return tuple(
        Pair(pair, name, letter, mend, changed)
        for letter, (pair, mend, changed) in zip("abcdefgh", pairs)
    )
