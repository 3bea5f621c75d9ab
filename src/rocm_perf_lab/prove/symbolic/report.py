"""What a symbolic proof says."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SymbolicReport:
    """``reason`` names the first thing that could not be matched; empty when proven. ``stores`` and
    ``loops`` are those of the changed kernel that the proof is about; 0 without one."""

    proven: bool
    reason: str
    assumptions: tuple[str, ...]
    stores: int
    loops: int
