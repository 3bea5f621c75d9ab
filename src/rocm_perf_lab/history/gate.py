"""Is the newest profile slower than those before it? Only those of its own machine and command.

Two things must hold for a regression: an exact rank test of its runs against theirs, and a median
above those of all of them. The first alone would take a machine that is a little slower today for
slower code; with n profiles before it, the second happens by chance in one of n + 1 days.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Optional

from rocm_perf_lab.history.entry import Entry
from rocm_perf_lab.history.trend import change_points
from rocm_perf_lab.prove.compare.judgement import (
    INCONCLUSIVE,
    REGRESSION,
    Judgement,
    not_judged,
)
from rocm_perf_lab.prove.compare.unpaired import MOST_RUNS, judge_runs

_MOST_BEFORE = 10  # profiles; what is older says little about today


@dataclass(frozen=True)
class Slower:
    """A kernel beside a regression: its medians, which are of one run and judged by nobody."""

    kernel: str
    before_ns: float
    now_ns: float


@dataclass(frozen=True)
class Gate:
    newest: Entry
    before: tuple[Entry, ...]  # that it was compared with
    others: int  # entries of other machines, commands or quantities
    judgement: Judgement
    slower: tuple[Slower, ...]


def gate(entries: Sequence[Entry], threshold: float) -> Optional[Gate]:
    """None without any entry."""
    if not entries:
        return None
    newest = entries[-1]
    earlier = [entry for entry in entries[:-1] if entry.line == newest.line]
    before = _since_last_change(earlier, threshold)[-_MOST_BEFORE:]
    judged = _judge(newest, before, threshold)
    others = len(entries) - 1 - len(earlier)
    slower = _slower(newest, before, threshold) if judged.word == REGRESSION else ()
    return Gate(newest, tuple(before), others, judged, slower)


def _since_last_change(entries: Sequence[Entry], threshold: float) -> Sequence[Entry]:
    """What was before a change is of other code."""
    changes = change_points([entry.median_ms for entry in entries], 1, threshold)
    return entries[changes[-1].at :] if changes else entries


def _judge(newest: Entry, before: Sequence[Entry], threshold: float) -> Judgement:
    if not before:
        return not_judged("there is no earlier profile of this machine and command")
    samples = [value for entry in before for value in entry.samples_ms]
    judged = judge_runs(samples[-MOST_RUNS:], newest.samples_ms, 1, threshold)
    if judged.word == REGRESSION and newest.median_ms <= max(e.median_ms for e in before):
        reason = "slower than most profiles before, but one of those was as slow"
        return replace(judged, word=INCONCLUSIVE, reason=reason)
    return judged


def _slower(newest: Entry, before: Sequence[Entry], threshold: float) -> tuple[Slower, ...]:
    found = []
    for name, now in newest.kernels.items():
        known = [entry.kernels[name] for entry in before if name in entry.kernels]
        if known and now > (1 + threshold) * max(known):
            found.append(Slower(name, max(known), now))
    return tuple(sorted(found, key=lambda one: one.before_ns - one.now_ns))
