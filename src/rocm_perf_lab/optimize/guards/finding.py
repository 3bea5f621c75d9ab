"""What a rule of a guard found in a body."""

from __future__ import annotations

from dataclasses import dataclass

from rocm_perf_lab.optimize.source.model import Span


@dataclass(frozen=True)
class Finding:
    reason: str
    message: str
    span: Span
