"""What came of one configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Optional, Protocol

from rocm_perf_lab.tune.space import Value

Configuration = Mapping[str, Value]
Status = Literal["ok", "build-failed", "failed", "timeout", "wrong", "no-time"]


@dataclass(frozen=True)
class CodeFacts:
    """Of what the compiler made; known without running it."""

    vgprs: int
    sgprs: int
    lds_bytes: int
    scratch_bytes: int  # of each thread; spilled registers are part of it
    spills: int
    occupancy: Optional[float]  # 0 to 1; 0 cannot be launched; None: nothing known of the target


@dataclass(frozen=True)
class Measurement:
    """``value`` is what is minimised, only where the status is ok."""

    configuration: Configuration
    status: Status
    value: Optional[float] = None
    times: tuple[float, ...] = ()  # of each repeat, same unit
    reason: str = ""  # for people, where it failed
    unstable: bool = False  # repeats that still differ by more than the limit
    second: Optional[float] = None  # of a second objective
    machine: str = ""  # what it was measured on; empty where nobody knows
    code: Optional[CodeFacts] = None  # where it was built and holds GPU code
    parts: Mapping[str, float] = field(default_factory=dict)  # ms of a launch, by its Triton key

    def __post_init__(self) -> None:
        if (self.status == "ok") != (self.value is not None):
            raise ValueError(f"status {self.status} with value {self.value}")


class Evaluator(Protocol):
    """Whoever can say how fast a configuration is."""

    def measure(self, configuration: Configuration, best: Optional[float]) -> Measurement:
        """``best`` so far: repeats that cannot reach it need not be made."""
        ...
