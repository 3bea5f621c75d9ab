"""What is minimised: device time, the whole application's time, or a number the program prints."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.measure.process_times import ProcessTimes

_PRINTED = "stdout:"
_NS_PER_MS = 1e6


@dataclass(frozen=True)
class Objective:
    """``kernel`` narrows device time to kernels whose name contains it."""

    name: str = "runtime"
    kernel: Optional[str] = None
    pattern: Optional[re.Pattern[str]] = None  # of a printed number

    @property
    def unit(self) -> str:
        return "" if self.pattern else "ms"

    def of_process(self, times: ProcessTimes) -> Optional[float]:
        """Milliseconds, or None when nothing of it was recorded."""
        if self.name == "application":
            span = times.critical_path_ns
            return span / _NS_PER_MS if span else None
        total = sum(
            sum(durations)
            for name, durations in times.kernels.items()
            if self.kernel is None or self.kernel in name
        )
        return total / _NS_PER_MS if total else None

    def of_output(self, text: str) -> Optional[float]:
        """The last number that the pattern finds; it has to be larger than 0."""
        assert self.pattern is not None
        found = self.pattern.findall(text)
        try:
            value = float(found[-1])
        except (IndexError, ValueError, TypeError):
            return None
        return value if 0 < value < float("inf") else None


def unit_of(text: str) -> str:
    """Of the first objective in an expression that was read before."""
    return "" if text.startswith(_PRINTED) else "ms"


def read_objectives(text: str, kernel: Optional[str] = None) -> tuple[Objective, ...]:
    """One, or two with a comma between them; a comma may also be part of an expression."""
    parts = re.split(r",(?=runtime\b|application\b|stdout:)", text)
    if len(parts) > 2:
        raise UsageError(f"'{text}' has {len(parts)} objectives", "at most two are made small")
    return tuple(read_objective(part, kernel) for part in parts)


def read_objective(text: str, kernel: Optional[str] = None) -> Objective:
    if text in ("runtime", "application"):
        return Objective(text, kernel)
    if not text.startswith(_PRINTED):
        raise UsageError(
            f"no objective '{text}'", "runtime, application, or stdout:REGEX with one group"
        )
    try:
        pattern = re.compile(text[len(_PRINTED) :])
    except re.error as error:
        raise UsageError(f"'{text}' is not a regular expression: {error}") from None
    if pattern.groups != 1:
        raise UsageError(f"'{text}' has {pattern.groups} groups", r"such as stdout:time=([0-9.]+)")
    return Objective(text, None, pattern)
