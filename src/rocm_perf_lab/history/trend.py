"""What changed when: places in a series where what comes before and behind differs surely.

Each entry counts once for a kernel, with its median. An exact rank test compares the entries before
a place with those behind it; the error is shared among all places and kernels that are looked at.
So a change needs entries on both sides: some six where one series is looked at, more with many.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.history.entry import Entry
from rocm_perf_lab.prove.compare.judgement import IMPROVEMENT, REGRESSION, Judgement
from rocm_perf_lab.prove.compare.unpaired import MOST_RUNS, judge_runs
from rocm_perf_lab.trace.model import names_virtual_device


@dataclass(frozen=True)
class ChangePoint:
    at: int  # the first entry of what is new, from 0 in its series
    judgement: Judgement


@dataclass(frozen=True)
class Series:
    """``kernel`` None: the runs as a whole, in ms; kernels are in ns."""

    kernel: Optional[str]
    entries: tuple[Entry, ...]
    values: tuple[float, ...]
    changes: tuple[ChangePoint, ...]


@dataclass(frozen=True)
class Line:
    """Entries of one machine, command and quantity."""

    machine: str
    command: str
    quantity: str
    series: tuple[Series, ...]  # the whole first, then kernels by what they take last

    @property
    def is_virtual(self) -> bool:
        return names_virtual_device(self.machine) or self.machine.endswith(", virtual)")


def lines_of(
    entries: Sequence[Entry], threshold: float, kernel: Optional[str] = None
) -> list[Line]:
    """``kernel`` is a regular expression: only these are looked at beside the whole."""
    by_line: dict[tuple[str, str, str], list[Entry]] = {}
    for entry in entries:
        by_line.setdefault(entry.line, []).append(entry)
    pattern = re.compile(kernel or "")
    return [Line(*key, _all_series(found, threshold, pattern)) for key, found in by_line.items()]


def _all_series(
    entries: Sequence[Entry], threshold: float, pattern: re.Pattern[str]
) -> tuple[Series, ...]:
    every = dict.fromkeys(name for entry in entries for name in entry.kernels)
    names = [name for name in every if pattern.search(name)]
    last = {name: e.kernels[name] for e in entries for name in names if name in e.kernels}
    names.sort(key=lambda name: -last[name])
    subjects = 1 + len(names)
    whole = Series(
        None,
        tuple(entries),
        tuple(entry.median_ms for entry in entries),
        tuple(change_points([entry.median_ms for entry in entries], subjects, threshold)),
    )
    return (whole, *(_series(name, entries, subjects, threshold) for name in names))


def _series(name: str, entries: Sequence[Entry], subjects: int, threshold: float) -> Series:
    having = [entry for entry in entries if name in entry.kernels]
    values = [entry.kernels[name] for entry in having]
    changes = change_points(values, subjects, threshold)
    return Series(name, tuple(having), tuple(values), tuple(changes))


def change_points(values: Sequence[float], subjects: int, threshold: float) -> list[ChangePoint]:
    """The surest place first, then each side of it again; in the order of the series."""
    return _between(values, 0, len(values), max(1, len(values) - 1) * subjects, threshold)


def _between(
    values: Sequence[float], first: int, end: int, looks: int, threshold: float
) -> list[ChangePoint]:
    found = [
        ChangePoint(place, judged)
        for place in range(first + 2, end - 1)
        if (judged := _at(values[first:place], values[place:end], looks, threshold)).word
        in (REGRESSION, IMPROVEMENT)
    ]
    if not found:
        return []
    surest = min(found, key=lambda change: (_doubt(change.judgement), change.at))
    before = _between(values, first, surest.at, looks, threshold)
    return [*before, surest, *_between(values, surest.at, end, looks, threshold)]


def _at(before: Sequence[float], behind: Sequence[float], looks: int, least: float) -> Judgement:
    return judge_runs(before[-MOST_RUNS:], behind[:MOST_RUNS], looks, least)


def _doubt(judged: Judgement) -> float:
    tails = (judged.p_slower, judged.p_faster)
    return min(tail for tail in tails if tail is not None)
