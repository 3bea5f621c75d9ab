"""The log of a search against the folders beside it: nothing cut, taken out or put in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

from rocm_perf_lab.prove.evidence import search_log
from rocm_perf_lab.prove.evidence.decision import Decision
from rocm_perf_lab.prove.evidence.manifest import Manifest, digest, is_inside
from rocm_perf_lab.prove.evidence.search_log import LogLine, ReadLog

NOT_CLOSED = "the search was not closed: it was interrupted, or the end of its log was cut off"
_ENDS = ("judged", "refused", "answered", "no reply")


@dataclass
class Found:
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    checked: list[str] = field(default_factory=list)
    closed: bool = False


def check_bundle_in_log(folder: Path, manifest: Manifest, decision: Optional[Decision]) -> Found:
    found = Found()
    path = folder.parent / search_log.NAME
    if not path.is_file():
        _without_log(folder, manifest, decision, found)
        return found
    log = search_log.read_log(path)
    _check_search(folder.parent, log, found)
    if manifest.search is not None and manifest.search != log.identity:
        found.problems.append("the bundle is that of another search")
    if manifest.search is not None and manifest.bundle != folder.name:
        found.problems.append(f"the bundle was {manifest.bundle}, and is {folder.name} now")
    if manifest.search is None and _is_of_search(folder, decision):
        found.missing.append(
            "the bundle does not name its search (it is of an earlier version): it may be one of"
            " another search"
        )
    _check_lines(folder, manifest, decision, log, found)
    return found


def check_search(folder: Path) -> Found:
    """The log itself and the folders that it names; the bundles are checked one by one."""
    found = Found()
    log = search_log.read_log(folder / search_log.NAME)
    _check_search(folder, log, found)
    return found


def _without_log(
    folder: Path, manifest: Manifest, decision: Optional[Decision], found: Found
) -> None:
    if manifest.search is not None or _is_of_search(folder, decision):
        found.problems.append(
            f"{search_log.NAME} is missing: the bundle is that of a search, whose log says how many"
            " candidates there were and what the bundle was when it was closed"
        )
    elif manifest.state == "open":
        found.missing.append(f"no decision, and no {search_log.NAME} that tells the outcome")
    else:
        found.notes.append("the bundle belongs to no search: one candidate was judged")


def _is_of_search(folder: Path, decision: Optional[Decision]) -> bool:
    """By what a search writes, also where it does not name itself."""
    if decision is not None and (decision.search is not None or decision.candidates > 1):
        return True
    try:
        proposal = json.loads((folder / "proposal.json").read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(proposal, dict) and "kernel" in proposal


def _check_search(folder: Path, log: ReadLog, found: Found) -> None:
    found.problems += log.problems
    if log.torn:
        found.notes.append(f"{log.torn} torn line of {search_log.NAME}")
    found.problems += _accepted_problems(folder, log.lines)
    found.closed = log.closing is not None
    if log.closing is None:
        found.missing.append(NOT_CLOSED)
        found.problems += _unclosed_problems(folder, log)
        return
    found.problems += _closed_problems(folder, log.closing.content.get("bundles"))
    found.checked.append("the closing record of the search, and every folder that it names")


def _closed_problems(folder: Path, named: object) -> Iterator[str]:
    if not isinstance(named, dict):
        yield f"the closing record of {search_log.NAME} names no bundles"
        return
    there = {path.name: path for path in search_log.bundle_folders(folder)}
    for name in sorted({*named, *there}):
        if name not in there:
            yield f"{name} was there when the search was closed, and is no more"
        elif name not in named:
            yield f"{name} was put in after the search was closed"
        elif search_log.manifest_hash(there[name]) != named[name]:
            yield f"{name} is not the one that the search was closed with"


def _unclosed_problems(folder: Path, log: ReadLog) -> Iterator[str]:
    """A bundle whose end was logged is there, and one that is there was begun in the log. Only the
    last one may be missing on either side: the search ended while it was made."""
    begun = [name for line in log.lines if (name := _bundle(line))]
    ended = {_bundle(line) for line in log.lines if line.event in _ENDS}
    there = {path.name for path in search_log.bundle_folders(folder)}
    for name in dict.fromkeys(begun):
        if name in ended and name not in there:
            yield f"{name} is in {search_log.NAME}, but its folder is missing"
    for name in sorted(there - set(begun)):
        yield f"{search_log.NAME} knows nothing of {name}"


def _accepted_problems(folder: Path, lines: Sequence[LogLine]) -> Iterator[str]:
    """Versions that were kept are the files that were accepted."""
    for line in lines:
        kept = line.content.get("sha256")
        name = line.content.get("folder")
        if line.event != "kept" or not isinstance(kept, dict) or not isinstance(name, str):
            continue
        for file, expected in kept.items():
            path = folder / name / file
            if not is_inside(f"{name}/{file}") or not path.is_file():
                yield f"{name}/{file} was accepted, and is missing"
            elif digest(path.read_bytes()) != expected:
                yield f"{name}/{file} is another file than was accepted"


def _check_lines(
    folder: Path, manifest: Manifest, decision: Optional[Decision], log: ReadLog, found: Found
) -> None:
    """What the log says of this bundle."""
    tried = 0
    last_tried: Optional[str] = None
    for line in log.lines:
        if line.event == "tried":
            tried, last_tried = tried + 1, _bundle(line)
        if _bundle(line) != folder.name or line.event not in _ENDS:
            continue
        if line.event == "judged":
            _check_judged(folder, line.content, tried, decision, found)
        elif manifest.state == "complete":
            found.problems.append(f"{search_log.NAME} says that the bundle was not judged")
        elif line.event == "refused":
            reason = line.content.get("reason", "no reason is given")
            found.notes.append(f"the search went on without judging it: {reason}")
        found.checked.append("the log of the search")
        return
    if log.closing is None and last_tried == folder.name:
        found.notes.append("the search ended before it logged the end of this bundle")
    elif manifest.state == "complete" or log.closing is not None:
        found.problems.append(f"{search_log.NAME} knows nothing of the end of {folder.name}")


def _check_judged(
    folder: Path, said: Mapping[str, Any], tried: int, decision: Optional[Decision], found: Found
) -> None:
    if said.get("manifest_sha256") != search_log.manifest_hash(folder):
        found.problems.append("the bundle is not the one that the search logged")
    if decision is not None and decision.candidates != tried:
        found.problems.append(
            f"{decision.candidates} candidates are said to be tried, the search logged {tried}"
        )
    accepted = said.get("verdict")
    if (
        decision is not None
        and accepted is not None
        and decision.accepted != (accepted == "accept")
    ):
        found.problems.append(f"the search logged {accepted}, the decision says otherwise")


def _bundle(line: LogLine) -> Optional[str]:
    name = line.content.get("bundle")
    return name if isinstance(name, str) else None
