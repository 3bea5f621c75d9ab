"""Kept profiles as a person reads them: plain ASCII, last line ``Result:``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Optional, Union

from rocm_perf_lab.history.document import (
    ChangeModel,
    EntryModel,
    GateModel,
    HistoryDocument,
    JudgementModel,
    LineModel,
    SeriesModel,
)
from rocm_perf_lab.reporters import terminal
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.kernel_names import short_name

_COMMIT = 10  # characters of it
_SHOWN = 20
_NAME, _MOST_BARS, _TIME = 40, 30, 9  # columns
_BARS = ".:-=+*#"  # seven steps from the least to the most


def render_entries(document: HistoryDocument) -> str:
    shown = document.entries[-_SHOWN:]
    hidden = len(document.entries) - len(shown)
    lines = [f"({hidden} older ones: --json has them)"] if hidden else []
    for heading, entries in groupby(shown, _heading):
        lines += [heading, *(_entry(entry) for entry in entries)]
    count = len(document.entries)
    return _page(lines, f"{count} profile{'' if count == 1 else 's'}")


def _heading(about: Union[EntryModel, LineModel]) -> str:
    what = "kernel time" if about.quantity == "kernel_time" else "wall time"
    return tt.wrap(f"{about.command}: {what} on {about.machine}")


def _entry(entry: EntryModel, mark: str = "  ") -> str:
    commit = _commit(entry.commit, entry.dirty)
    time = tt.duration(entry.median_ms * 1e6)
    flags = f"  {entry.flags}" if entry.flags else ""
    runs = f"{entry.runs} run{'' if entry.runs == 1 else 's'}"
    text = f"{entry.added[:16]}  {commit:<{_COMMIT + 1}}  {time:>9}  {runs}{flags}"
    return tt.wrap(text, f"{mark}{entry.number:>4}  ", " " * 8)


def _commit(commit: Optional[str], dirty: bool = False) -> str:
    return f"{commit[:_COMMIT]}{'+' if dirty else ''}" if commit else "-"


def render_trend(document: HistoryDocument) -> str:
    texts = [text for line in document.lines for text in _line(line)]
    changes = [c for line in document.lines for series in line.series for c in series.changes]
    slower = sum(change.judgement.verdict == "regression" for change in changes)
    faster = len(changes) - slower
    return _page(
        texts, f"{slower} change{'' if slower == 1 else 's'} for the worse, {faster} for the better"
    )


def _line(line: LineModel) -> list[str]:
    names = [series.kernel for series in line.series if series.kernel is not None]
    texts = [_heading(line)]
    width = min(_NAME, terminal.width() - _MOST_BARS - _TIME - 4)
    for series in line.series[:_SHOWN]:
        name = _name(series, names, width)
        texts.append(f"  {name:<{width}} {_picture(series.values)}  {_last(series)}")
        texts += [tt.wrap(change_text(change), "      ", "        ") for change in series.changes]
    return texts


def _name(series: SeriesModel, names: Sequence[str], width: int) -> str:
    return "all of it" if series.kernel is None else short_name(series.kernel, names, width)


def _last(series: SeriesModel) -> str:
    scale = 1e6 if series.unit == "ms" else 1.0
    return tt.duration(series.values[-1] * scale)


def _picture(values: Sequence[float]) -> str:
    """A character for each entry, the newest last."""
    shown = values[-_MOST_BARS:]
    least, most = min(shown), max(shown)
    if most <= least:
        return "-" * len(shown)
    steps = [int((value - least) / (most - least) * (len(_BARS) - 1) + 0.5) for value in shown]
    return "".join(_BARS[step] for step in steps)


def change_text(change: ChangeModel) -> str:
    where = f"entry {change.entry}, commit {_commit(change.commit)}"
    return f"{change.judgement.verdict} from {where}: {_interval(change.judgement)}"


def _interval(judged: JudgementModel) -> str:
    if judged.change is None or judged.low is None or judged.high is None:
        return judged.reason
    text = f"{judged.change:+.1%} ({judged.low:+.1%} to {judged.high:+.1%})"
    return text if judged.verdict in ("regression", "improvement") else f"{text}: {judged.reason}"


def render_gate(document: HistoryDocument) -> str:
    if document.gate is None:
        return tt.closing("Result: the history is empty") + "\n"
    found = document.gate
    judged = found.judgement
    lines = [_heading(found.newest), _entry(found.newest, "Newest: "), _compared(found)]
    for one in found.slower[:_SHOWN]:
        times = f"{tt.duration(one.before_ns)} -> {tt.duration(one.now_ns)}"
        lines.append(tt.wrap(f"slower: {one.kernel} {times}", "  ", "    "))
    if judged.needed:
        lines.append(tt.wrap(f"needed: {judged.needed}"))
    return _page(lines, f"{judged.verdict}, {_interval(judged)}")


def _compared(found: GateModel) -> str:
    count = len(found.compared_with)
    others = f"; {found.others} of other machines or commands left out" if found.others else ""
    return tt.wrap(f"Compared with {count} profile{'' if count == 1 else 's'} before it{others}")


def _page(lines: Sequence[str], result: str) -> str:
    page = [*lines, *([""] if lines else []), tt.closing(f"Result: {result}")]
    return "\n".join(page) + "\n"
