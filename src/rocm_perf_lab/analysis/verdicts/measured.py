"""What verdicts and advice rest on: the measured numbers of one kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Optional

from rocm_perf_lab.analysis.thread_traces.signs import Signs
from rocm_perf_lab.analysis.verdicts.formulas import KernelFacts


@dataclass(frozen=True)
class HotLine:
    """A line of the source where waves spend their time."""

    source: str  # file:line
    share: float  # of the time of the waves
    stall: float  # of the time there


@dataclass(frozen=True)
class TracedWaits:
    """What a thread trace of a kernel adds."""

    source: str
    matrix_busy: Optional[float]  # of the time of the watched SIMDs
    waiting: Mapping[str, float]  # shares of all stall by cause, the largest first
    stall_fraction: float  # of the time of the watched waves
    signs: Optional[Signs] = None
    idle_fraction: float = 0.0  # of the same time: no instruction was tried
    roles: Mapping[str, float] = field(default_factory=dict)  # of the time of some of these waves
    deciding_loads: Optional[float] = None  # of their vector loads
    lines: tuple[HotLine, ...] = ()  # the hottest first

    @property
    def cause(self) -> Optional[str]:
        return next(iter(self.waiting), None)


@dataclass(frozen=True)
class MeasuredKernel:
    facts: KernelFacts
    launches: int
    total_ns: int
    mean_ns: float
    median_ns: float
    share: float  # of the time of all kernels
    runtime_internal: bool = False  # a copy or fill kernel of the HIP runtime itself
    vgpr: Optional[int] = None  # per thread
    lds_bytes: Optional[int] = None
    scratch_bytes: Optional[int] = None
    occupancy_limiter: Optional[str] = None
    next_up: Optional[str] = None  # the least change that lets more waves in, as a sentence
    trace: Optional[TracedWaits] = None

    @property
    def name(self) -> str:
        return self.facts.kernel
