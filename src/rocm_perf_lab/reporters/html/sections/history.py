"""The attempts of a search with verdict and difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.prove.judge.verdict import at_least
from rocm_perf_lab.report.contents import Change, Search

_CLASSES = {"+": "add", "-": "cut"}
_MOST_LINES = 400


@dataclass(frozen=True)
class DiffLine:
    text: str
    kind: str  # class of the page: add, cut or nothing


@dataclass(frozen=True)
class ChangeView:
    name: str
    kernel: str
    proposal: str
    verdict: str
    mood: str  # class of the page: good, bad or nothing
    is_accepted: bool
    claim: str
    reason: str
    output: str
    diff: tuple[DiffLine, ...]
    left_out: int
    problems: tuple[str, ...]


@dataclass(frozen=True)
class SearchView:
    anchor: str
    folder: str
    is_virtual: bool
    text: str
    chart: Optional[str]
    changes: tuple[ChangeView, ...]
    problems: tuple[str, ...]


def search_view(search: Search, anchor: str, chart: Optional[str]) -> SearchView:
    kept = sum(change.verdict == "accept" for change in search.changes)
    count = len(search.changes)
    text = f"{count} attempt{'s' if count != 1 else ''}, {kept} accepted."
    changes = tuple(map(_view, search.changes))
    return SearchView(
        anchor, search.folder, search.is_virtual, text, chart, changes, search.problems
    )


def _view(change: Change) -> ChangeView:
    decision = change.decision
    claim = "" if decision is None else f"{decision.kernel.effect:.3f}x measured"
    if decision is not None and decision.accepted and decision.kernel.claim is not None:
        claim = f"at least {at_least(decision.kernel.claim)}"
    lines = change.diff.splitlines()
    return ChangeView(
        name=change.name,
        kernel=change.kernel or "-",
        proposal=change.proposal,
        verdict=change.verdict.replace("_", " "),
        mood={"accept": "good", "reject": "bad"}.get(change.verdict, ""),
        is_accepted=change.verdict == "accept",
        claim=claim,
        reason=change.reason,
        output="" if decision is None else decision.oracle.verdict.replace("_", " "),
        diff=tuple(DiffLine(line, _CLASSES.get(line[:1], "")) for line in lines[:_MOST_LINES]),
        left_out=max(len(lines) - _MOST_LINES, 0),
        problems=change.problems,
    )
