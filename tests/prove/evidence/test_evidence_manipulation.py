"""Twenty and more ways to falsify a bundle: each is noticed, and said in words."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any, Callable

import pytest
from bundles import edited, rehash, write_bundle

from rocm_perf_lab.errors import EvidenceError
from rocm_perf_lab.prove.evidence import verify_bundle
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


def dropped_line(folder: Path) -> None:
    path = folder.parent / "search.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[1:]))


def replaced_by_link(folder: Path) -> None:
    (folder / "code" / "base.hsaco").unlink()
    (folder / "code" / "base.hsaco").symlink_to("candidate.hsaco")


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
        lambda folder: (folder / "code" / "base.hsaco").unlink(),
        "code/base.hsaco is missing",
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
    "a line of the log is dropped": (dropped_line, "line 1 of search.jsonl does not follow"),
    "a bundle of another search": (
        lambda folder: (folder.parent / "search.jsonl").write_text("") and None,
        "search.jsonl knows nothing of this bundle",
    ),
    "everything is consistent, the log is not": (
        consistently(in_file("tools.json", put("9.9.9", "hipcc"))),
        "the bundle is not the one that the search logged",
    ),
    "a file from elsewhere is listed": (
        in_file("manifest.json", put("../../x", "files", 0, "path")),
        "../../x is listed, but lies outside",
    ),
    "a file becomes a link": (replaced_by_link, "code/base.hsaco is missing"),
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


def test_a_faked_tool_version_is_named_as_not_checkable(original: Path, tmp_path: Path) -> None:
    """Without the log nobody can know: that is said, not passed over."""
    folder = tmp_path / "search" / original.name
    shutil.copytree(original.parent, folder.parent)
    without_log(consistently(in_file("tools.json", put("9.9.9", "hipcc"))))(folder)
    report = verify_bundle(folder)
    assert report.intact
    assert any(text.startswith("versions of tools") for text in NOT_CHECKABLE)
    assert "no search.jsonl beside it" in report.notes[-1]


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
