"""When to collect: ``--collection-period`` and ``--selected-regions``, in virtual time.

What the device does belongs to the moment at which the host asked for it, as with rocprofv3,
which decides at the launch whether a dispatch is recorded.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.vrocm.recording.records import ProcessRecords, integer

NANOSECONDS = {
    "hour": 3_600_000_000_000,
    "min": 60_000_000_000,
    "sec": 1_000_000_000,
    "msec": 1_000_000,
    "usec": 1_000,
    "nsec": 1,
}


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

    def collects(self, records: ProcessRecords) -> Callable[[int], bool]:
        """Whether something that the host asked for at this time is collected."""
        if self.selected_regions:
            return _Regions.of(records).__contains__
        if not self.periods:
            return lambda _time: True
        return partial(_in_periods, self.periods, integer(records.process, "start_ns", missing=0))


def _in_periods(periods: Sequence[Period], start_ns: int, time_ns: int) -> bool:
    """Periods follow each other; the last cycle of one is followed by the first of the next."""
    since = time_ns - start_ns
    for period in periods:
        if period.repeat == 0 or since < period.repeat * period.length_ns:
            return since >= 0 and since % period.length_ns >= period.delay_ns
        since -= period.repeat * period.length_ns
    return False


@dataclass(frozen=True)
class _Regions:
    """The times at which collection is switched on, off, on, ... It starts switched off."""

    switches: tuple[int, ...]

    @classmethod
    def of(cls, records: ProcessRecords) -> _Regions:
        switches: list[int] = []
        actions = sorted(
            (integer(record, "time_ns"), str(record.get("action")))
            for record in records.all("profiler")
        )
        for time_ns, action in actions:
            if action == ("pause" if len(switches) % 2 else "resume"):
                switches.append(time_ns)
        return cls(tuple(switches))

    def __contains__(self, time_ns: int) -> bool:
        return bisect_right(self.switches, time_ns) % 2 == 1
