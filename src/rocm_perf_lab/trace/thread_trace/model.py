"""What a thread trace holds: the code with its costs, the waves that were watched, occupancy.

Times and costs are shader clock cycles. Times of different shader engines have different origins.
``latency`` of an instruction is its stall plus its issue (gfx9) or execution (gfx10 and later):
the stall is a part of it. ``idle`` is the time before the first attempt to issue, outside latency.
What a load takes is not in its own row but in the wait for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Optional

from rocm_perf_lab.trace.model import IntColumn


@dataclass(frozen=True)
class CodeLine:
    """One instruction, summed over all watched waves."""

    text: str  # "s_waitcnt vmcnt(0)"
    line: int  # by which the steps and waits of waves name it
    source: str  # "file:line", then " -> " and the call for each inlining; "" if not known
    code_object: int
    address: int
    hits: int
    latency: int
    stall: int
    idle: int

    @property
    def opcode(self) -> str:
        return self.text.partition(" ")[0]


@dataclass(frozen=True)
class Steps:
    """The instructions that one wave executed, in order: one entry per column."""

    time: IntColumn  # of the first attempt to issue
    category: IntColumn
    stall: IntColumn
    duration: IntColumn  # stall included
    line: IntColumn  # ``CodeLine.line``

    def __len__(self) -> int:
        return len(self.time)


@dataclass(frozen=True)
class Wait:
    """A wait of a wave, and the lines of the memory instructions that it waited for."""

    line: int
    waited_for: tuple[int, ...]


@dataclass(frozen=True)
class TracedWave:
    engine: int
    cu: int
    simd: int
    slot: int
    begin: int
    end: int
    steps: Steps
    waits: tuple[Wait, ...] = ()  # in the order of execution


@dataclass(frozen=True)
class Occupancy:
    """Begins and ends of waves on all CUs of the traced shader engines: one entry per column."""

    engine: IntColumn
    time: IntColumn
    cu: IntColumn
    simd: IntColumn
    slot: IntColumn
    begins: IntColumn  # 1 or 0
    kernel: IntColumn

    def __len__(self) -> int:
        return len(self.time)


@dataclass(frozen=True)
class ThreadTrace:
    """One dispatch. A statistics table holds ``code`` only."""

    source: str  # where it was read, for people
    kernels: tuple[str, ...]  # symbols of the functions whose code is listed
    code: tuple[CodeLine, ...]
    waves: tuple[TracedWave, ...] = ()
    occupancy: Optional[Occupancy] = None
    clock_mhz: Mapping[int, float] = field(default_factory=dict)  # by shader engine
    warnings: tuple[str, ...] = ()
