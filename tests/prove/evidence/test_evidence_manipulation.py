"""Twenty and more ways to falsify a bundle: each is noticed, and said in words."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any, Callable

import pytest
from bundles import edited, fill, rehash, write_bundle

from rocm_perf_lab.errors import EvidenceError
from rocm_perf_lab.prove.evidence import Bundle, SearchLog, verify_bundle, verify_search
from rocm_perf_lab.prove.evidence.manifest import digest
from rocm_perf_lab.prove.evidence.verify import NOT_CHECKABLE

Change = Callable[[Path], None]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evidence") / "candidate-0001"
    assert write_bundle(folder).accepted
    assert verify_bundle(folder).intact
    return folder


def consistently(change: Change) -> Change:
    def both(folder: Path) -> None:
        change(folder)
        rehash(folder)

    return both


def in_file(name: str, change: Callable[[Any], Any]) -> Change:
    return lambda folder: edited(folder, name, change)


def put(content: Any, *path: Any) -> Callable[[Any], None]:
    """Sets content at a path of keys."""

    def change(document: Any) -> None:
        for key in path[:-1]:
            document = document[key]
        document[path[-1]] = content

    return change


def scaled_sample(document: Any) -> None:
    document["blocks"][3]["B"] = [time * 0.9 for time in document["blocks"][3]["B"]]


def swapped_confirmation(document: Any) -> None:
    document["blocks"], document["confirmation"] = document["confirmation"], document["blocks"]


def dropped_blocks(document: Any) -> None:
    del document["blocks"][:2]


def dropped_confirmation(document: Any) -> None:
    del document["confirmation"]


def swapped_roles(document: Any) -> None:
    for block in document["blocks"]:
        block["A"], block["B"] = block["B"], block["A"]


def copied_confirmation(document: Any) -> None:
    document["confirmation"] = document["blocks"]


def without_log(change: Change) -> Change:
    """The forger takes the search's log away, too."""

    def both(folder: Path) -> None:
        change(folder)
        (folder.parent / "search.jsonl").unlink()

    return both


def in_log(change: Callable[[list[str]], list[str]]) -> Change:
    """The lines of the log, as they are."""

    def changed(folder: Path) -> None:
        path = folder.parent / "search.jsonl"
        path.write_text("".join(change(path.read_text().splitlines(keepends=True))))

    return changed


def chained(change: Callable[[list[Any]], None]) -> Change:
    """The log with other lines, whose hashes all follow again: what a careful forger does."""

    def changed(folder: Path) -> None:
        path = folder.parent / "search.jsonl"
        lines = [json.loads(text) for text in path.read_text().splitlines()]
        change(lines)
        last, texts = "0" * 64, []
        for number, line in enumerate(lines):
            if line["event"] == "closed":
                line.update(lines=number, head=last)
            line.update(number=number, before=last)
            texts.append(json.dumps(line, sort_keys=True))
            last = digest(texts[-1].encode())
        path.write_text("\n".join(texts) + "\n")

    return changed


def replaced(name: str, data: bytes) -> Change:
    return lambda folder: (folder / name).write_bytes(data) and None


def renamed(folder: Path) -> None:
    """The bundle takes the place of another one."""
    other = folder.parent / "refused-0001"
    shutil.move(str(other), str(folder.parent / "elsewhere"))
    shutil.copytree(folder, other)
    shutil.rmtree(folder)
    shutil.move(str(folder.parent / "elsewhere"), str(folder))


def removed_refused(folder: Path) -> None:
    shutil.rmtree(folder.parent / "refused-0001")


def moved_decision(folder: Path) -> None:
    """The decision of a bundle that was accepted in another search, and its hash."""
    other = folder.parent.parent / "other" / "candidate-0009"
    write_bundle(other)
    shutil.copy(other / "decision.json", folder / "decision.json")
    rehash(folder)


def foreign_bundle(folder: Path) -> None:
    """All of a bundle of another search, under this one's name."""
    other = folder.parent.parent / "other" / folder.name
    write_bundle(other)
    shutil.rmtree(folder)
    shutil.copytree(other, folder)


def without_candidate(lines: list[Any]) -> None:
    lines[:] = [line for line in lines if line.get("bundle") != "refused-0001"]
    lines[-1]["candidates"] -= 1
    del lines[-1]["bundles"]["refused-0001"]


def removed_everywhere(folder: Path) -> None:
    removed_refused(folder)
    chained(without_candidate)(folder)


def replaced_by_link(folder: Path) -> None:
    (folder / "code" / "baseline.co").unlink()
    (folder / "code" / "baseline.co").symlink_to("candidate.co")


MANIPULATIONS: dict[str, tuple[Change, str]] = {
    "a sample is changed": (in_file("samples.json", scaled_sample), "samples.json has other bytes"),
    "a sample and its hash": (
        without_log(consistently(in_file("samples.json", scaled_sample))),
        "kernel.* but .* from the samples",
    ),
    "the verdict is changed": (
        in_file("decision.json", put("REJECT", "kernel", "verdict")),
        "decision.json has other bytes",
    ),
    "the verdict and its hash": (
        without_log(consistently(in_file("decision.json", put("NO_CHANGE", "kernel", "verdict")))),
        "kernel.verdict is NO_CHANGE in decision.json, but ACCEPT from the samples",
    ),
    "a larger claim": (
        without_log(consistently(in_file("decision.json", put(1.5, "kernel", "claim")))),
        "kernel.claim is 1.5 in decision.json",
    ),
    "a smaller p": (
        without_log(consistently(in_file("decision.json", put(1e-12, "kernel", "p")))),
        "kernel.p is 1e-12",
    ),
    "accepted without reason": (
        without_log(consistently(in_file("decision.json", put("different", "oracle", "verdict")))),
        "accepted is True in decision.json, but False from the samples",
    ),
    "a hash is changed": (
        in_file("manifest.json", put("0" * 64, "files", 0, "sha256")),
        "has other bytes than were kept",
    ),
    "a file is missing": (
        lambda folder: (folder / "code" / "baseline.co").unlink(),
        "code/baseline.co is missing",
    ),
    "the samples are missing": (
        lambda folder: (folder / "samples.json").unlink(),
        "samples.json is missing",
    ),
    "a file is put in": (
        lambda folder: (folder / "extra.txt").write_text("x") and None,
        "extra.txt was put in",
    ),
    "fewer candidates": (
        consistently(in_file("decision.json", put(1, "candidates"))),
        "1 candidates are said to be tried, the search logged 3",
    ),
    "fewer candidates, no log": (
        without_log(consistently(in_file("decision.json", put(1, "candidates")))),
        "kernel.candidates is 3 in decision.json, but 1 from the samples",
    ),
    "blocks are dropped": (
        without_log(
            consistently(in_file("samples.json", lambda d: put(d["blocks"][2:], "blocks")(d)))
        ),
        "12 blocks are no look that was declared",
    ),
    "the order is changed": (
        without_log(consistently(in_file("order.json", lambda orders: orders[::-1]))),
        "order.json is not the order that the seed gives",
    ),
    "the confirmation is swapped": (
        without_log(consistently(in_file("samples.json", swapped_confirmation))),
        "from the samples",
    ),
    "the confirmation is no fresh one": (
        without_log(consistently(in_file("samples.json", copied_confirmation))),
        "they are not fresh",
    ),
    "the confirmation is taken out": (
        without_log(
            consistently(in_file("samples.json", lambda d: d.pop("confirmation") and None))
        ),
        "kernel.confirmed is True in decision.json, but None",
    ),
    "baseline and candidate are swapped": (
        without_log(consistently(in_file("samples.json", swapped_roles))),
        "kernel.verdict is ACCEPT in decision.json, but INCONCLUSIVE",
    ),
    "a weaker rule": (
        without_log(consistently(in_file("decision.json", put(0.1, "rule", "alpha")))),
        "the rule is weaker than ours: alpha",
    ),
    "a look that was not declared": (
        without_log(consistently(in_file("decision.json", put(10, "looks", 0, "blocks")))),
        "14 blocks are no look that was declared",
    ),
    "another diff": (
        without_log(consistently(lambda folder: (folder / "change.diff").write_text("") and None)),
        "change.diff is not the difference of the sources",
    ),
    "another source": (
        without_log(
            consistently(
                lambda folder: (folder / "sources/candidate/kernel.hip").write_text("x\n") and None
            )
        ),
        "change.diff is not the difference of the sources",
    ),
    "the application's samples are taken out": (
        lambda folder: (folder / "application_samples.json").unlink(),
        "the decision cannot be made again: cannot read",
    ),
    "a line of the log is dropped": (
        in_log(lambda lines: lines[1:]),
        "line 1 of search.jsonl does not follow",
    ),
    "the log is emptied": (
        in_log(lambda lines: []),
        "search.jsonl knows nothing of candidate-0001",
    ),
    "the log is missing": (without_log(lambda folder: None), "search.jsonl is missing: "),
    "the log is cut before the judgement": (
        in_log(lambda lines: lines[:-4]),
        "search.jsonl knows nothing of candidate-0001",
    ),
    "the log is cut in the middle": (
        in_log(lambda lines: lines[:3]),
        "search.jsonl knows nothing of candidate-0001",
    ),
    "the log loses its second line": (
        in_log(lambda lines: [lines[0], *lines[2:]]),
        "line 2 of search.jsonl does not follow",
    ),
    "lines change places": (
        in_log(lambda lines: [lines[0], lines[2], lines[1], *lines[3:]]),
        "does not follow the one before it",
    ),
    "a line is added after the close": (
        in_log(lambda lines: [*lines, '{"event": "kept"}\n']),
        "stands behind the closing record",
    ),
    "junk is added after the close": (
        in_log(lambda lines: [*lines, "junk\n"]),
        "stands behind the closing record",
    ),
    "a consistent line is added after the close": (
        chained(lambda lines: lines.append({"event": "tried", "bundle": "x"})),
        "stands behind the closing record",
    ),
    "a second close": (
        chained(lambda lines: lines.append(dict(lines[-1]))),
        "stands behind the closing record",
    ),
    "the close counts fewer candidates": (
        chained(lambda lines: lines[-1].update(candidates=1)),
        "was closed with 1 candidates, it names 3",
    ),
    "a candidate is taken out of folder, log and close": (
        removed_everywhere,
        "3 candidates are said to be tried, the search logged 2",
    ),
    "a refusal becomes an acceptance": (
        chained(lambda lines: lines[-3].update(verdict="reject")),
        "the search logged reject, the decision says otherwise",
    ),
    "the folder of another candidate is removed": (
        removed_refused,
        "refused-0001 was there when the search was closed, and is no more",
    ),
    "the folder of another candidate is changed": (
        lambda folder: (folder.parent / "refused-0001/manifest.json").write_text("{}") and None,
        "refused-0001 is not the one that the search was closed with",
    ),
    "a candidate is put in": (
        lambda folder: shutil.copytree(folder, folder.parent / "candidate-0007") and None,
        "candidate-0007 was put in after the search was closed",
    ),
    "folders change their names": (
        renamed,
        "candidate-0001 is not the one that the search was closed with",
    ),
    "the accepted version is another": (
        lambda folder: (folder.parent / "accepted-01/kernel.hip").write_text("y") and None,
        "accepted-01/kernel.hip is another file than was accepted",
    ),
    "the accepted version is gone": (
        lambda folder: (folder.parent / "accepted-01/kernel.hip").unlink(),
        "accepted-01/kernel.hip was accepted, and is missing",
    ),
    "code is swapped": (
        consistently(replaced("code/candidate.co", b"\x7fELF other")),
        "code/candidate.co is another file than the decision was made of",
    ),
    "code is swapped, no log": (
        without_log(consistently(replaced("code/baseline.co", b"\x7fELF other"))),
        "code/baseline.co is another file than the decision was made of",
    ),
    "a report is edited, no log": (
        without_log(consistently(in_file("reports/replay.json", put(9.0, "speedup")))),
        "reports/replay.json is another file than the decision was made of",
    ),
    "a failed stage in an accepted bundle": (
        without_log(
            consistently(in_file("reports/oracle.json", put("different", "verdict")))
        ),
        "reports/oracle.json says different, but the change was accepted",
    ),
    "a failed part of a stage": (
        without_log(
            consistently(in_file("reports/oracle.json", put("fail", "stages", 0, "verdict")))
        ),
        "reports/oracle.json says fail, but the change was accepted",
    ),
    "a refusal of a guard": (
        without_log(consistently(in_file("reports/artifact.json", put(["x"], "refusals")))),
        "reports/artifact.json says refused, but the change was accepted",
    ),
    "the decision is moved here": (moved_decision, "the decision is that of candidate-0009"),
    "the bundle is of another search": (foreign_bundle, "the bundle is that of another search"),
    "everything is consistent, the log is not": (
        consistently(in_file("tools.json", put("9.9.9", "hipcc"))),
        "the bundle is not the one that the search logged",
    ),
    "a file from elsewhere is listed": (
        in_file("manifest.json", put("../../x", "files", 0, "path")),
        "../../x is listed, but lies outside",
    ),
    "a file becomes a link": (replaced_by_link, "code/baseline.co is missing"),
    "the bundle is opened again": (
        in_file("manifest.json", put("open", "state")),
        "the bundle is not the one that the search logged",
    ),
    "the oracle's report is gone": (
        without_log(
            consistently(in_file("decision.json", put("reports/none.json", "oracle", "report")))
        ),
        "the oracle's report reports/none.json is missing",
    ),
}


@pytest.mark.parametrize("name", MANIPULATIONS)
def test_it_is_noticed(original: Path, tmp_path: Path, name: str) -> None:
    change, message = MANIPULATIONS[name]
    folder = tmp_path / "search" / original.name
    shutil.copytree(original.parent, folder.parent)
    change(folder)
    problems = "\n".join(verify_bundle(folder).problems)
    assert re.search(message, problems), problems


@pytest.mark.parametrize("name", MANIPULATIONS)
def test_the_search_as_a_whole_notices_it_too(original: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "search" / original.name
    shutil.copytree(original.parent, folder.parent)
    MANIPULATIONS[name][0](folder)
    if (folder.parent / "search.jsonl").exists():
        assert verify_search(folder.parent).verdict == "not intact"


def test_a_closed_search_is_intact_as_a_whole(original: Path) -> None:
    for report in (verify_search(original.parent), verify_bundle(original)):
        assert (report.verdict, report.problems, report.missing) == ("intact", [], [])
    refused = verify_bundle(original.parent / "refused-0001")
    assert (refused.verdict, refused.state) == ("intact", "open")


def test_a_search_that_was_not_closed_is_incomplete(original: Path, tmp_path: Path) -> None:
    """It was interrupted, or its end was cut off: nobody can know, so that it is not intact."""
    folder = tmp_path / "search" / original.name
    shutil.copytree(original.parent, folder.parent)
    in_log(lambda lines: lines[:-1])(folder)
    for report in (verify_search(folder.parent), verify_bundle(folder)):
        assert (report.verdict, report.problems) == ("incomplete", [])
        assert report.missing[0].startswith("the search was not closed")


def test_what_an_earlier_version_did_not_keep_is_said(original: Path, tmp_path: Path) -> None:
    folder = tmp_path / "search" / original.name
    shutil.copytree(original.parent, folder.parent)

    def without(*names: str) -> Callable[[Any], None]:
        return lambda content: [content.pop(name) for name in names] and None

    edited(folder, "decision.json", without("bundle", "search", "files", "stages"))
    edited(folder, "manifest.json", without("bundle", "search"))
    rehash(folder)

    def as_before(lines: list[Any]) -> None:
        del lines[-1]
        lines[-2]["manifest_sha256"] = digest((folder / "manifest.json").read_bytes())
        for line in lines:
            line.pop("sha256", None)

    chained(as_before)(folder)
    report = verify_bundle(folder)
    assert (report.verdict, report.problems) == ("incomplete", [])
    said = "\n".join(report.missing)
    for part in ("names neither its files", "does not name its search", "was not closed"):
        assert part in said


def test_what_belongs_to_no_search_needs_no_log(tmp_path: Path) -> None:
    fill(Bundle(tmp_path / "finalist"), 0.05, 1, 12, True)
    (tmp_path / "finalist" / "proposal.json").unlink()
    edited(tmp_path / "finalist", "manifest.json", lambda d: d["files"].pop(0) and None)
    edited(
        tmp_path / "finalist",
        "decision.json",
        lambda d: d["files"].pop("proposal.json") and None,
    )
    rehash(tmp_path / "finalist")
    report = verify_bundle(tmp_path / "finalist")
    assert (report.verdict, report.problems) == ("intact", [])
    assert "the bundle belongs to no search: one candidate was judged" in report.notes


def test_nothing_is_added_to_a_closed_log(original: Path, tmp_path: Path) -> None:
    shutil.copytree(original.parent, tmp_path / "search")
    log = SearchLog(tmp_path / "search")
    for add in (lambda: log.append("tried"), log.close):
        with pytest.raises(EvidenceError, match="is closed"):
            add()


def test_what_nobody_can_check_is_named() -> None:
    """Who invents all of it makes evidence that verifies: that is said, not passed over."""
    assert any(text.startswith("versions of tools") for text in NOT_CHECKABLE)


def test_damaged_manifests_are_refused_in_words(original: Path, tmp_path: Path) -> None:
    folder = tmp_path / "search" / original.name
    shutil.copytree(original.parent, folder.parent)
    for text in ("", "{", "[]", json.dumps({"schema_version": "9"}), "\x00"):
        (folder / "manifest.json").write_text(text)
        with pytest.raises(EvidenceError, match="is damaged"):
            verify_bundle(folder)
    (folder / "manifest.json").unlink()
    with pytest.raises(EvidenceError, match="is no evidence"):
        verify_bundle(folder)
