"""What an optimizer is asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional, Protocol

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.optimize.attempt import Attempt
from rocm_perf_lab.optimize.guards.regression import Thresholds


class Listener(Protocol):
    """Hears what an optimizer does while it does it."""

    def doing(self, what: str) -> None: ...

    def attempted(self, attempt: Attempt) -> None: ...


class _Silent:
    def doing(self, what: str) -> None:
        pass

    def attempted(self, attempt: Attempt) -> None:
        pass


SILENT: Listener = _Silent()


@dataclass(frozen=True)
class OptimizeRequest:
    """The application, its sources, and how far to go. Nothing in it is run through a shell."""

    argv: tuple[str, ...]  # as the user starts it; the program itself is rebuilt
    sources: tuple[Path, ...] = ()  # with the kernels; none: as the program's line tables say
    build: Optional[tuple[str, ...]] = None  # with {source} and {output}; else hipcc
    flags: Optional[tuple[str, ...]] = None  # of hipcc; else those of the baseline
    rocm: Optional[Path] = None
    kernel: Optional[str] = None  # only this one
    max_iters: int = 5
    min_improvement: float = 0.02
    budget_s: Optional[float] = None
    allowed: frozenset[str] = frozenset()  # "reassociate", "launch-bounds", "unseen"
    thresholds: Thresholds = field(default_factory=lambda: Thresholds(growth_waiver=True))
    evidence: Optional[Path] = None  # a new folder; else one in the user's state folder
    timeout_s: float = 60.0  # of one run of the application
    seed: int = 0
    hot_lines: bool = False  # thread traces; hipcc is asked for line tables, which change no code
    listener: Listener = SILENT

    def __post_init__(self) -> None:
        if not self.argv:
            raise UsageError("no application was given", "rocm-perf optimize SOURCE -- ./app args")
        if self.max_iters < 1:
            raise UsageError(f"{self.max_iters} iterations change nothing", "--max-iters 1 or more")
        if not 0.0 <= self.min_improvement < 10.0:
            raise UsageError(f"{self.min_improvement} is not a least gain", "0.02 asks for 2 %")
        if self.budget_s is not None and self.budget_s <= 0:
            raise UsageError("the budget must be longer than 0 s", "--budget SECONDS")
