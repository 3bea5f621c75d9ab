"""Fifty and more ways to falsify evidence: each is noticed, and said in words."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any, Callable

import pytest
from bundles import edited, fill, rehash, write_bundle
from manipulations import MANIPULATIONS, chained, in_log

from rocm_perf_lab.errors import EvidenceError
from rocm_perf_lab.prove.evidence import Bundle, SearchLog, verify_bundle, verify_search
from rocm_perf_lab.prove.evidence.manifest import digest
from rocm_perf_lab.prove.evidence.verify import NOT_CHECKABLE


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evidence") / "candidate-0001"
    assert write_bundle(folder).accepted
    assert verify_bundle(folder).intact
    return folder


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
    with pytest.raises(EvidenceError, match="is not evidence"):
        verify_bundle(folder)
