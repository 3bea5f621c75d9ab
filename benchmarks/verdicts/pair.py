"""A program of the corpus in two forms, and what was changed between them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parents[2] / "tests" / "labelled" / "programs"


@dataclass(frozen=True)
class Pair:
    program: str
    letter: str
    mend: str  # as ``explain --json`` names it in advice[].mend
    changed: str  # for people

    @property
    def name(self) -> str:
        return f"{self.program}-{self.letter}"


def pair(name: str, mend: str, changed: str) -> Pair:
    program, _, letter = name.partition("-")
    return Pair(program, letter, mend, changed)
