"""Checking a bundle offline: every hash, every number, and what cannot be checked at all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Optional

from rocm_perf_lab.errors import EvidenceError, PerfLabError
from rocm_perf_lab.measure.blocks import order_of
from rocm_perf_lab.prove.evidence import bundle as bundles
from rocm_perf_lab.prove.evidence import decision as decisions
from rocm_perf_lab.prove.evidence import search_log, stages, verify_log
from rocm_perf_lab.prove.evidence.decision import Decision
from rocm_perf_lab.prove.evidence.durable import BESIDE
from rocm_perf_lab.prove.evidence.manifest import NAME, Manifest, digest, is_inside, read_manifest
from rocm_perf_lab.prove.judge import DEFAULT_RULE
from rocm_perf_lab.prove.judge.samples_file import read_samples
from rocm_perf_lab.strict_json import plain, read_strict

EvidenceVerdict = Literal["intact", "incomplete", "not intact"]

NOT_CHECKABLE = (
    "that the times were measured, and on this device: samples that were invented together with"
    " everything else look the same",
    "versions of tools and the device: they are what the bundle says",
    "the output's equality: the oracle's report is kept, its memory is not",
    "that the code objects were built from the sources: build them again to see",
)


@dataclass
class Report:
    folder: str
    state: str
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    checked: list[str] = field(default_factory=list)
    decision: Optional[Decision] = None

    missing: list[str] = field(default_factory=list)  # what would be needed to check all

    @property
    def intact(self) -> bool:
        """Nothing contradicts. Whether all is there to say so is in the verdict."""
        return not self.problems

    @property
    def verdict(self) -> EvidenceVerdict:
        if self.problems:
            return "not intact"
        return "incomplete" if self.missing else "intact"


def verify(folder: Path) -> Report:
    """One bundle, or a search with all of its bundles."""
    if (folder / search_log.NAME).is_file() and not (folder / NAME).exists():
        return verify_search(folder)
    return verify_bundle(folder)


def verify_search(folder: Path) -> Report:
    found = verify_log.check_search(folder)
    report = Report(str(folder), "complete" if found.closed else "open")
    report.problems, report.notes = [*found.problems], [*found.notes]
    report.missing, report.checked = [*found.missing], [*found.checked]
    bundles = search_log.bundle_folders(folder)
    for bundle in bundles:
        try:
            one = verify_bundle(bundle)
        except EvidenceError as error:
            report.problems.append(f"{bundle.name}: {error.cause}")
            continue
        for all_of_it, part in ((report.problems, one.problems), (report.missing, one.missing)):
            known = {*found.problems, *found.missing}
            all_of_it += [f"{bundle.name}: {text}" for text in part if text not in known]
    report.checked.append(f"{len(bundles)} bundles, each by itself")
    return report


def verify_bundle(folder: Path) -> Report:
    """Raises EvidenceError when there is no bundle; everything else is in the report."""
    manifest = read_manifest(folder)
    report = Report(str(folder), manifest.state)
    _check_files(folder, manifest, report)
    _check_sources(folder, report)
    if manifest.state == "complete":
        _check_decision(folder, manifest, report)
    else:
        report.notes.append("the bundle was not closed: there is no decision")
    found = verify_log.check_bundle_in_log(folder, manifest, report.decision)
    report.problems += found.problems
    report.notes += found.notes
    report.missing += found.missing
    report.checked += found.checked
    return report


def _check_files(folder: Path, manifest: Manifest, report: Report) -> None:
    listed = {entry.path: entry for entry in manifest.files}
    if len(listed) < len(manifest.files):
        report.problems.append("a file is listed twice")
    for name, entry in listed.items():
        if not is_inside(name):
            report.problems.append(f"{name} is listed, but lies outside")
            continue
        data = _bytes(folder / name)
        if data is None:
            report.problems.append(f"{name} is missing")
        elif digest(data) != entry.sha256 or len(data) != entry.bytes:
            report.problems.append(f"{name} has other bytes than were kept")
    allowed = {NAME, *listed}
    if manifest.pending is not None:
        if manifest.state == "complete":
            report.problems.append("a closed bundle has a pending file")
        data = _bytes(folder / manifest.pending.path)
        if data is not None and digest(data) != manifest.pending.sha256:
            report.problems.append(f"{manifest.pending.path} has other bytes than were kept")
        report.notes.append(f"the bundle ended while {manifest.pending.path} was written")
        allowed.add(manifest.pending.path)
    for name in _names(folder):
        unfinished = name.endswith(BESIDE) and manifest.state == "open"
        if name not in allowed and not unfinished:
            report.problems.append(f"{name} was put in")
    report.checked.append(f"{len(listed)} files by their SHA-256")


def _check_sources(folder: Path, report: Report) -> None:
    diff = _bytes(folder / bundles.DIFF)
    if diff is None:
        return
    sides = []
    for side in ("base", "candidate"):
        root = folder / "sources" / side
        names = list(_names(root))
        sides.append({name: _text(root / name) for name in names})
    if bundles.difference(sides[0], sides[1]).encode("utf-8") != diff:
        report.problems.append(f"{bundles.DIFF} is not the difference of the sources")
    report.checked.append("the difference of the sources")


def _check_decision(folder: Path, manifest: Manifest, report: Report) -> None:
    try:
        stored = read_strict(Decision, (folder / decisions.NAME).read_bytes())
        report.decision = stored
        again = _decided_again(folder, stored)
    except (OSError, PerfLabError, TypeError, ValueError) as error:
        cause = getattr(error, "cause", None) or str(error).splitlines()[0]
        report.problems.append(f"the decision cannot be made again: {cause}")
        return
    for name, old, new in _differences(stored, again):
        report.problems.append(f"{name} is {old} in {decisions.NAME}, but {new} from the samples")
    report.checked.append("the decision, from the samples")
    _check_rule(stored, report)
    _check_confirmation(folder, report)
    _check_order(folder, stored, report)
    report.problems += _stage_problems(folder, manifest, stored)
    if stored.files is None or stored.stages is None:
        report.missing.append(
            "the decision names neither its files nor the verdicts of its stages (it is of an"
            " earlier version): swapped code and reports would not be seen without the log"
        )
        return
    report.problems += _file_problems(folder, manifest, stored)
    report.checked.append("code, reports and sources, by the hashes that the decision names")


def _stage_problems(folder: Path, manifest: Manifest, stored: Decision) -> Iterator[str]:
    """What the reports say, against what the decision says that they do."""
    said: dict[str, str] = {}
    for entry in manifest.files:
        if stages.is_report(entry.path):
            data = _bytes(folder / entry.path)
            said[entry.path] = stages.DAMAGED if data is None else stages.said_by(entry.path, data)
    for name, word in said.items():
        if stored.accepted and stages.speaks_against(word):
            yield f"{name} says {word}, but the change was accepted"
        named = None if stored.stages is None else stored.stages.get(name, "nothing")
        if named is not None and named != word:
            yield f"{name} says {word}, the decision was made of {named}"
    oracle = stored.oracle
    if oracle.report is None:
        if stored.accepted:
            yield "the change was accepted without a report of the oracle"
    elif oracle.report not in said:
        yield f"the oracle's report {oracle.report} is missing"
    elif said[oracle.report] != oracle.verdict:
        yield f"{oracle.report} says {said[oracle.report]}, the decision {oracle.verdict}"


def _file_problems(folder: Path, manifest: Manifest, stored: Decision) -> Iterator[str]:
    named = dict(stored.files or {})
    listed = {one.path: one.sha256 for one in manifest.files if one.path != decisions.NAME}
    for name in sorted({*named, *listed}):
        if name not in listed:
            yield f"{name} was there when it was decided, and is no more"
        elif name not in named:
            yield f"{name} was put in after the decision"
        elif named[name] != listed[name]:
            yield f"{name} is another file than the decision was made of"
    for name in stored.stages or {}:
        if name not in listed:
            yield f"{name} is a stage of the decision, and missing"
    if manifest.search is not None and stored.bundle != folder.name:
        yield f"the decision is that of {stored.bundle}, not of {folder.name}"
    if stored.search != manifest.search:
        yield "the decision is that of another search"


def _decided_again(folder: Path, stored: Decision) -> Decision:
    found = read_samples(folder / bundles.SAMPLES)
    application = None
    if stored.application is not None or (folder / bundles.APPLICATION).exists():
        application = read_samples(folder / bundles.APPLICATION).samples
    return decisions.decide(
        found.samples,
        plan=decisions.plan_of(stored),
        candidates=stored.candidates,
        oracle=stored.oracle,
        guards=stored.guards,
        confirmation=found.confirmation,
        application=application,
        order_seed=stored.order_seed,
        rests_on=decisions.RestsOn(stored.bundle, stored.search, stored.files, stored.stages),
    )


def _differences(stored: Decision, again: Decision) -> Iterator[tuple[str, object, object]]:
    old, new = plain(stored), plain(again)
    for name in old:
        if not isinstance(old[name], dict) or not isinstance(new[name], dict):
            if old[name] != new[name]:
                yield name, old[name], new[name]
            continue
        for part in old[name]:
            if old[name][part] != new[name].get(part):
                yield f"{name}.{part}", old[name][part], new[name].get(part)


def _check_rule(stored: Decision, report: Report) -> None:
    rule = decisions.plan_of(stored).rule
    weaker = [
        name
        for name in ("alpha", "interval_miss", "confirmation_alpha", "most_outliers")
        if getattr(rule, name) > getattr(DEFAULT_RULE, name)
    ]
    if weaker or rule.min_gain < DEFAULT_RULE.min_gain:
        names = ", ".join(weaker or ["min_gain"])
        report.problems.append(f"the rule is weaker than ours: {names}")


def _check_confirmation(folder: Path, report: Report) -> None:
    """Fresh blocks are no blocks that were there before, unless the device has no noise at all."""
    found = read_samples(folder / bundles.SAMPLES)
    blocks = found.samples.blocks
    if found.confirmation is None or len(set(blocks)) < len(blocks):
        return
    if set(found.confirmation.blocks) & set(blocks):
        report.problems.append("the confirmation holds blocks of the samples: they are not fresh")
    report.checked.append("the confirmation, for blocks that are not fresh")


def _check_order(folder: Path, stored: Decision, report: Report) -> None:
    """The order of the processes follows from the seed; a block that was taken out shifts it."""
    data = _bytes(folder / "order.json")
    if data is None or stored.order_seed is None:
        report.notes.append("the order of the processes was not kept")
        return
    kept = json.loads(data)
    blocks = report.decision.kernel.blocks if report.decision else 0
    expected = [list(order_of(stored.order_seed, number)) for number in range(1, blocks + 1)]
    if kept[:blocks] != expected:
        report.problems.append("order.json is not the order that the seed gives")
    report.checked.append("the order of the processes, from the seed")


def _names(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_dir():
            yield path.relative_to(folder).as_posix()


def _bytes(path: Path) -> Optional[bytes]:
    """Links are not followed: a bundle holds its files itself."""
    try:
        return None if path.is_symlink() else path.read_bytes()
    except OSError:
        return None


def _text(path: Path) -> str:
    return (_bytes(path) or b"").decode("utf-8", "replace")
