"""What a symbolic proof says."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SymbolicReport:
    """``reason`` names the first thing that could not be matched; empty when proven."""

    proven: bool
    reason: str
    assumptions: tuple[str, ...]
    stores: int
    loops: int
