"""Profiles over time in words: each line of a history, and what changed when, with its evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.history.trend import ChangePoint, Line, Series
from rocm_perf_lab.prove.compare.judgement import REGRESSION
from rocm_perf_lab.report.contents import History
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.kernel_names import shorten

MOST_SERIES = 12
WHOLE = "whole run"
_COLUMNS = ("entries", "first", "newest", "change")
_COMMIT = 10  # characters of it
_NAME_WIDTH = 60


@dataclass(frozen=True)
class ChangeView:
    kernel: str
    short: str  # as the table shows it
    verdict: str
    mood: str  # class of the page: good or bad
    where: str
    change: str
    evidence: str


@dataclass(frozen=True)
class EndsView:
    """A kernel at both ends of a line."""

    name: str
    short: str
    cells: tuple[str, ...]  # one per column


@dataclass(frozen=True)
class LineView:
    title: str
    machine: str
    is_virtual: bool
    chart: Optional[str]  # None: one entry, which the table has
    columns: tuple[str, ...]
    rows: tuple[EndsView, ...]
    left_out: int
    changes: tuple[ChangeView, ...]


@dataclass(frozen=True)
class HistoryView:
    anchor: str
    is_virtual: bool
    text: str
    lines: tuple[LineView, ...]


def history_view(history: History, anchor: str, charts: tuple[Optional[str], ...]) -> HistoryView:
    changes = [change for line in history.lines for s in line.series for change in s.changes]
    worse = sum(change.judgement.word == REGRESSION for change in changes)
    text = (
        f"{history.entries} profiles of {history.name}: {worse} change{'' if worse == 1 else 's'} "
        f"for the worse, {len(changes) - worse} for the better. Times are compared within a "
        "machine, command and kind of time only."
    )
    lines = tuple(_line(line, chart) for line, chart in zip(history.lines, charts))
    return HistoryView(anchor, history.is_virtual, text, lines)


def _line(line: Line, chart: Optional[str]) -> LineView:
    what = "kernel time" if line.quantity == "kernel_time" else "wall time"
    return LineView(
        f"{line.command}: {what}",
        line.machine,
        line.is_virtual,
        chart,
        _COLUMNS,
        tuple(map(_ends, line.series[:MOST_SERIES])),
        max(len(line.series) - MOST_SERIES, 0),
        tuple(_change(series, change) for series in line.series for change in series.changes),
    )


def name_of(series: Series) -> str:
    return WHOLE if series.kernel is None else series.kernel


def nanoseconds(series: Series) -> list[float]:
    scale = 1e6 if series.kernel is None else 1.0
    return [value * scale for value in series.values]


def commit_of(series: Series, at: int) -> str:
    origin = series.entries[at].origin
    return f"{origin.commit[:_COMMIT]}{'+' if origin.dirty else ''}" if origin.commit else "-"


def _ends(series: Series) -> EndsView:
    times = nanoseconds(series)
    between = f"{times[-1] / times[0] - 1:+.1%}" if times[0] else tt.ABSENT
    ends = (tt.duration(times[0]), tt.duration(times[-1]))
    name = name_of(series)
    return EndsView(name, shorten(name, _NAME_WIDTH), (str(len(times)), *ends, between))


def interval_of(change: ChangePoint) -> str:
    judged = change.judgement
    if judged.change is None or judged.low is None or judged.high is None:
        return tt.ABSENT
    return f"{judged.change:+.1%} ({judged.low:+.1%} to {judged.high:+.1%})"


def _change(series: Series, change: ChangePoint) -> ChangeView:
    judged = change.judgement
    tail = judged.p_slower if judged.word == REGRESSION else judged.p_faster
    by_chance = "" if tail is None else f"by chance: p = {tail:.2g}; "
    return ChangeView(
        kernel=name_of(series),
        short=shorten(name_of(series), _NAME_WIDTH),
        verdict=judged.word,
        mood="bad" if judged.word == REGRESSION else "good",
        where=f"entry {series.entries[change.at].number}, commit {commit_of(series, change.at)}",
        change=interval_of(change),
        evidence=f"{by_chance}{judged.reason}",
    )
