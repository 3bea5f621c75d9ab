"""When to collect: ``--collection-period`` and ``--selected-regions``, in virtual time.

What the device does belongs to the moment at which the host asked for it, as with rocprofv3,
which decides at the launch whether a dispatch is recorded.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.vrocm.profiler_records import ProcessRecords, integer

NANOSECONDS = {
    "hour": 3_600_000_000_000,
    "min": 60_000_000_000,
    "sec": 1_000_000_000,
    "msec": 1_000_000,
    "usec": 1_000,
    "nsec": 1,
}
_FOR_EVER = 1 << 62


@dataclass(frozen=True)
class Period:
    """Wait, collect, and again; ``repeat`` 0 never stops."""

    delay_ns: int
    duration_ns: int
    repeat: int

    @property
    def length_ns(self) -> int:
        return self.delay_ns + self.duration_ns


def parse_period(value: str, unit: str) -> Period:
    """From ``DELAY:DURATION:REPEAT``; raises ``UsageError`` for anything else."""
    try:
        delay, duration, repeat = value.split(":")
        scale = NANOSECONDS[unit]
        period = Period(round(float(delay) * scale), round(float(duration) * scale), int(repeat))
    except (ValueError, OverflowError):
        period = Period(-1, -1, -1)
    if period.delay_ns < 0 or period.duration_ns <= 0 or period.repeat < 0:
        raise UsageError(
            f"--collection-period {value} is not START_DELAY:COLLECTION_TIME:REPEAT",
            "for example --collection-period 0:5:1",
        )
    return period


@dataclass(frozen=True)
class TimeFilter:
    """What was asked for. Without anything, everything is collected."""

    periods: tuple[Period, ...] = ()
    selected_regions: bool = False

    @property
    def needs_calls(self) -> bool:
        """Whether calls must be recorded to know when the host asked for something."""
        return bool(self.periods) or self.selected_regions

    def windows(self, records: ProcessRecords) -> Optional[list[tuple[int, int]]]:
        """Spans [start, end) in which to collect; None for always."""
        if self.selected_regions:
            return list(_resumed(records))
        if not self.periods:
            return None
        start = integer(records.process, "start_ns", missing=0)
        last = max(
            integer(record, "end_ns")
            for kind in ("end", "dispatch", "fill", "copy", "api")
            for record in (*records.all(kind), {})
        )
        return list(_spans(self.periods, start, last))


def inside(windows: Optional[Sequence[tuple[int, int]]], time_ns: int) -> bool:
    return windows is None or any(start <= time_ns < end for start, end in windows)


def _spans(periods: Sequence[Period], now: int, last: int) -> Iterator[tuple[int, int]]:
    for period in periods:
        cycles = range(period.repeat) if period.repeat else itertools.count()
        for _cycle in cycles:
            if now > last:
                return
            yield now + period.delay_ns, now + period.length_ns
            now += period.length_ns


def _resumed(records: ProcessRecords) -> Iterator[tuple[int, int]]:
    """Collection starts paused; every resume opens a span that the next pause closes."""
    opened: Optional[int] = None
    actions = sorted(
        (integer(record, "time_ns"), str(record.get("action")))
        for record in records.all("profiler")
    )
    for time_ns, action in actions:
        if action == "resume" and opened is None:
            opened = time_ns
        elif action == "pause" and opened is not None:
            yield opened, time_ns
            opened = None
    if opened is not None:
        yield opened, _FOR_EVER
