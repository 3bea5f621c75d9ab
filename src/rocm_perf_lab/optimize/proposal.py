"""What an engine, rules or a language model, hands to the gate: one kernel's new body."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional

from rocm_perf_lab.optimize.guards.denylist import Allowances


@dataclass(frozen=True)
class Proposal:
    """Nothing in it is trusted; the gate decides from the body alone."""

    kernel: str  # qualified name
    body: bytes  # with its braces
    title: str  # what was changed: "unroll the loop at line 31 by 4"
    reason: str  # why it should pay, one sentence with the numbers it rests on
    launch_bounds: Optional[int] = None  # threads of a block to promise, with --allow only
    rules: tuple[str, ...] = ()  # names of the rules in the order they were applied
    allowed: Allowances = field(default_factory=Allowances)
