"""One proposal on its way through the stages, with what is known of it so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from rocm_perf_lab.optimize.attempt import Attempt
from rocm_perf_lab.optimize.gate.equality import Proof
from rocm_perf_lab.optimize.gate.kernel_case import Replayed
from rocm_perf_lab.optimize.guards.denylist import Allowances
from rocm_perf_lab.optimize.refusal import Refusal
from rocm_perf_lab.optimize.source.model import Kernel, TranslationUnit
from rocm_perf_lab.prove.evidence import Bundle


@dataclass(frozen=True)
class Candidate:
    """``contents``: all files that differ from the user's, this change among them."""

    title: str
    reason: str
    contents: Mapping[str, bytes]
    rules: tuple[str, ...] = ()
    allowed: Allowances = field(default_factory=Allowances)


@dataclass(frozen=True)
class Screened:
    """It passed the stages that need no run of the application, or ``attempt`` says where not."""

    candidate: Candidate
    bundle: Bundle
    attempt: Optional[Attempt] = None
    unit: Optional[TranslationUnit] = None
    kernel: Optional[Kernel] = None
    code: Optional[Path] = None
    replayed: Optional[Replayed] = None
    proof: Optional[Proof] = None  # that it computes the same

    @property
    def speedup(self) -> float:
        """Over the captured code; 0 for what did not get there."""
        return 0.0 if self.attempt is not None or self.replayed is None else self.replayed.speedup


class Refused(Exception):
    """Ends the way of a candidate from within a stage."""

    def __init__(self, refusal: Refusal, compiler: str = "") -> None:
        super().__init__(str(refusal))
        self.refusal = refusal
        self.compiler = compiler
