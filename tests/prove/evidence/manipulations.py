"""Thirty and more ways to falsify a bundle or the log of its search, and what is said of each."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, Callable

from bundles import edited, rehash, write_bundle

from rocm_perf_lab.prove.evidence.manifest import digest

Change = Callable[[Path], None]


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
        "12 blocks are not a declared look",
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
        "14 blocks are not a declared look",
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
        without_log(consistently(in_file("reports/oracle.json", put("different", "verdict")))),
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
