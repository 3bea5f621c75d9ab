"""What every guard answers: nothing, or why a candidate goes no further."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Optional


class Stage(Enum):
    """Where a candidate can fail, in the order in which it has to pass."""

    REPLY = "reply"  # the text of a proposer is no kernel
    TRUST = "G0"  # a file that is not the candidate's was changed
    SCOPE = "G1"  # more than one kernel's body changed
    DENYLIST = "G2"  # the body uses what a kernel does not need
    BUILD = "build"  # it does not compile
    ARTIFACT = "G3"  # its machine code is not that of such a change
    LAUNCH = "G4"  # the application launches something else
    ORACLE = "G5"  # its output is different, or nothing proves it equal
    PLAUSIBILITY = "G6"  # faster than the hardware or the program allows
    REGRESSION = "regression"  # it pays with more than it gains
    JUDGE = "G7"  # it is not faster
    CONFIRMATION = "G8"  # it was not faster, or not equal, the second time


class Outcome(Enum):
    REFUSED = "refused"
    HELD = "held"  # a person has to look at it before anything is written


@dataclass(frozen=True)
class Location:
    """A place in a source file; lines and columns count from 1, columns in bytes."""

    path: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"

    @staticmethod
    def of(path: str, data: bytes, offset: int) -> Location:
        before = data[:offset]
        return Location(path, before.count(b"\n") + 1, offset - (before.rfind(b"\n") + 1) + 1)


@dataclass(frozen=True)
class Refusal:
    """``reason`` is a word for programs, ``message`` a sentence for people."""

    stage: Stage
    reason: str
    message: str
    location: Optional[Location] = None
    outcome: Outcome = Outcome.REFUSED

    def __str__(self) -> str:
        where = f"{self.location}: " if self.location else ""
        return f"{where}{self.stage.value} {self.reason}: {self.message}"

    def to_json(self) -> dict[str, object]:
        return {
            "stage": self.stage.value,
            "reason": self.reason,
            "message": self.message,
            "location": None if self.location is None else str(self.location),
            "outcome": self.outcome.value,
        }
