"""The evidence of a search, or of one judged change, as a history that can be shown."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

from rocm_perf_lab.errors import EvidenceError
from rocm_perf_lab.prove.evidence import bundle as bundles
from rocm_perf_lab.prove.evidence import search_log, verify_bundle
from rocm_perf_lab.prove.evidence.decision import Decision
from rocm_perf_lab.prove.evidence.verify import Report as Checked
from rocm_perf_lab.report.contents import Change, Search

UNFINISHED = "unfinished"
_ENDS = ("judged", "refused")  # events that end an attempt
_VERDICTS = {"ACCEPT": "accept", "NO_CHANGE": "no_change", "REJECT": "reject"}


def read_search(folder: Path) -> Search:
    log = search_log.read_log(folder / search_log.NAME)
    changes = tuple(_logged(folder, content) for content in _attempts(log.lines))
    bundled = sorted(folder.glob("*/tools.json"))
    return Search(
        str(folder), changes, any(map(_is_virtual, bundled)), problems=tuple(log.problems)
    )


def _attempts(lines: Sequence[search_log.LogLine]) -> list[Mapping[str, Any]]:
    """What was said last of each attempt; those that were refused before had no bundle."""
    found: dict[str, Mapping[str, Any]] = {}
    for line in lines:
        name = line.content.get("bundle")
        if line.event in _ENDS:
            found[str(name or f"line {line.number}")] = line.content
        elif line.event == "tried" and name:
            found[str(name)] = {"verdict": UNFINISHED, **line.content}
    return list(found.values())


def read_bundle(folder: Path) -> Search:
    """One change alone, without the log of the search that it belongs to."""
    proposal = _json(folder / "proposal.json")
    change = _change(folder.name, proposal, folder, verify_bundle(folder))
    return Search(str(folder), (change,), _is_virtual(folder / "tools.json"))


def _decided(decision: Optional[Decision]) -> tuple[str, str]:
    """Verdict and reason, where the log does not say them."""
    if decision is None:
        return UNFINISHED, "no decision was made"
    verdict = _VERDICTS.get(decision.kernel.verdict, "inconclusive")
    if verdict == "accept" and not decision.accepted:
        verdict = "reject"
    return verdict, "; ".join([*decision.guards, decision.kernel.reason])


def _logged(folder: Path, content: Mapping[str, Any]) -> Change:
    name = str(content.get("bundle") or "")
    place = folder / name
    if not name or place.parent != folder or not place.is_dir():
        return _change(name or "-", content, None, None)
    try:
        return _change(name, content, place, verify_bundle(place))
    except EvidenceError as error:
        checked = Checked(name, "open", problems=[error.cause])
        return _change(name, content, place, checked)


def _change(
    name: str, facts: Mapping[str, Any], folder: Optional[Path], checked: Optional[Checked]
) -> Change:
    kernel = facts.get("kernel")
    verdict, reason = _decided(checked.decision if checked else None)
    return Change(
        name=name,
        kernel=None if kernel is None else str(kernel),
        proposal=str(facts.get("proposal", "a change")),
        verdict=str(facts.get("verdict", verdict)),
        reason=str(facts.get("reason", reason)),
        diff="" if folder is None else _text(folder / bundles.DIFF),
        decision=checked.decision if checked else None,
        intact=checked is None or checked.intact,
        problems=tuple(checked.problems) if checked else (),
    )


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(_text(path))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _is_virtual(tools: Path) -> bool:
    return _json(tools).get("rocm_kind") == "virtual"
