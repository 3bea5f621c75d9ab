"""The outcome of a step, and of all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Optional

Status = Literal["holds", "fails", "not here", "not run"]
HOLDS: Status = "holds"
FAILS: Status = "fails"
NOT_HERE: Status = "not here"  # something that this machine does not have
NOT_RUN: Status = "not run"  # a step that it needs did not hold


@dataclass(frozen=True)
class StepResult:
    name: str
    verb: str
    says: str  # what holds, or would
    status: Status
    reason: Optional[str]  # of every status but "holds"
    command: str  # as a person types it in the folder of work
    log: Optional[str]  # what it wrote, where that was kept
    next_step: Optional[str]
    seconds: float


@dataclass(frozen=True)
class Selftest:
    prefix: str
    rocm_kind: str  # "rocm", or "virtual" for a device that does not exist
    device: str
    target: str
    folder: Optional[str]  # of work, where it was kept
    steps: tuple[StepResult, ...]

    def count(self, status: Status) -> int:
        return sum(step.status == status for step in self.steps)

    @property
    def holds(self) -> bool:
        """Nothing fails, and something was looked at, where that was asked for."""
        return self.count(FAILS) == 0 and (self.count(HOLDS) > 0 or not self.steps)
