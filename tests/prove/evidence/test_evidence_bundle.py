"""Bundles: what is in them, who may read them, and what a sudden end leaves behind."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from benchmarks.noise_models import simulated
from bundles import write_bundle

from rocm_perf_lab.cli.main import main
from rocm_perf_lab.errors import EvidenceError, UsageError
from rocm_perf_lab.prove.evidence import Bundle, OracleSays, SearchLog, read_log, verify_bundle
from rocm_perf_lab.prove.judge import JudgePlan, JudgeRule

ROOT = Path(__file__).resolve().parents[3]


def test_the_decision_is_reproduced_bit_by_bit(tmp_path: Path) -> None:
    for number, gain in enumerate((0.05, 0.0, -0.05)):
        folder = tmp_path / str(number) / "candidate-0001"
        decision = write_bundle(folder, gain)
        report = verify_bundle(folder)
        assert report.problems == []
        assert report.decision == decision
        assert decision.accepted == (gain > 0)
        assert "the decision, from the samples" in report.checked
        assert "the log of the search" in report.checked


def test_only_the_owner_may_read_it_and_it_holds_no_secret(tmp_path: Path) -> None:
    folder = tmp_path / "search" / "candidate-0001"
    write_bundle(folder)
    for path in (folder, *folder.rglob("*"), folder.parent / "search.jsonl"):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path
    assert "hunter2" not in (folder / "command.json").read_text()


def test_what_was_kept_is_never_changed(tmp_path: Path) -> None:
    bundle = Bundle(tmp_path / "b")
    bundle.add("a.txt", b"1")
    for name in ("a.txt", "manifest.json", "../x", "/x", ""):
        with pytest.raises(EvidenceError):
            bundle.add(name, b"2")
    with pytest.raises(FileExistsError):
        Bundle(tmp_path / "b")
    assert (tmp_path / "b" / "a.txt").read_bytes() == b"1"


def test_a_decision_is_made_at_a_declared_look_only(tmp_path: Path) -> None:

    bundle = Bundle(tmp_path / "b")
    samples = simulated("quiet", 13, 0.1, np.random.default_rng(1), dispatches=2)
    with pytest.raises(UsageError, match="13 blocks are not a declared look"):
        bundle.close(samples, oracle=OracleSays(verdict="equal"), candidates=1)
    assert verify_bundle(tmp_path / "b").intact


@pytest.mark.parametrize("oracle", ["different", "unverified"])
def test_faster_is_not_enough(tmp_path: Path, oracle: str) -> None:

    samples = simulated("quiet", 12, 0.1, np.random.default_rng(1), dispatches=2)
    decision = Bundle(tmp_path / "b").close(
        samples, oracle=OracleSays(verdict=oracle), candidates=1, plan=JudgePlan.once(12)
    )
    assert decision.kernel.verdict == "ACCEPT"
    assert not decision.accepted


def killed_at(step: int, folder: Path) -> bool:
    """Writes a bundle in a child that is killed before its n-th call that touches the disk."""
    child = os.fork()
    if child == 0:
        left, sync = step, os.fsync
        for name in ("replace", "fsync", "write", "mkdir", "open"):

            def counted(
                *words: object, _call: object = getattr(os, name), **named: object
            ) -> object:
                nonlocal left
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                if _call is not sync:  # a kill loses nothing that the kernel has; syncing is slow
                    return _call(*words, **named)  # type: ignore[operator]
                return None

            setattr(os, name, counted)
        try:
            write_bundle(folder, blocks=2, more=False)
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def left_behind(folder: Path) -> tuple[tuple[str, int], ...]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return tuple((str(path.relative_to(folder)), path.stat().st_size) for path in files)


@pytest.mark.slow
def test_kill_at_any_point_leaves_valid_evidence(tmp_path: Path) -> None:
    step, states, seen = 0, set(), set()
    while True:
        step += 1
        folder = tmp_path / str(step) / "candidate-0001"
        if not killed_at(step, folder):
            break
        found = left_behind(folder.parent)
        if found in seen:  # many calls change nothing that a kill would leave
            continue
        seen.add(found)
        if (folder.parent / "search.jsonl").exists():
            assert read_log(folder.parent / "search.jsonl").problems == ()
        if (folder / "manifest.json").exists():
            report = verify_bundle(folder)
            assert report.problems == [], (step, report.problems)
            states.add(report.state)
    assert step > 150
    assert len(seen) > 40
    assert states == {"open", "complete"}


def test_a_bundle_that_was_not_judged_says_what_the_search_did(tmp_path: Path) -> None:
    log = SearchLog(tmp_path)
    log.append("tried", bundle="candidate-0001")
    bundle = Bundle(tmp_path / "candidate-0001", log.identity)
    bundle.add_json("tools.json", {})
    assert verify_bundle(bundle.folder).verdict == "incomplete"
    log.append("refused", bundle="candidate-0001", reason="0.98x by replay")
    assert verify_bundle(bundle.folder).verdict == "incomplete"
    log.close()
    report = verify_bundle(bundle.folder)
    assert report.verdict == "intact"
    assert "the search went on without judging it: 0.98x by replay" in report.notes
    assert "the log of the search" in report.checked


def test_the_application_needs_no_confirmation(tmp_path: Path) -> None:
    samples, fresh = (
        simulated("typical", 14, 0.05, np.random.default_rng(seed), dispatches=4) for seed in (1, 2)
    )
    bundle = Bundle(tmp_path / "confirming")
    bundle.add_json("reports/output.json", {"verdict": "equal"})
    decision = bundle.close(
        samples,
        oracle=OracleSays(verdict="equal", report="reports/output.json"),
        candidates=1,
        plan=JudgePlan.once(14, JudgeRule(confirm=True)),
        confirmation=fresh,
        application=samples,
    )
    assert decision.kernel.verdict == "ACCEPT"
    assert decision.application is not None
    assert decision.application.verdict == "ACCEPT"
    assert verify_bundle(tmp_path / "confirming").intact


def test_a_torn_line_is_no_damage_and_the_log_goes_on(tmp_path: Path) -> None:
    log = SearchLog(tmp_path)
    log.append("tried", candidate=0)
    with (tmp_path / "search.jsonl").open("ab") as file:
        file.write(b'{"event": "tri')
    SearchLog(tmp_path).append("tried", candidate=1)
    found = read_log(tmp_path / "search.jsonl")
    assert [line.content["candidate"] for line in found.lines] == [0, 1]
    assert (found.torn, found.problems) == (1, ())


def test_the_verb(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "search" / "candidate-0001"
    write_bundle(folder)
    assert main(["evidence", "show", str(folder)]) == 0
    assert "Result: accepted, at least 1.0" in capsys.readouterr().out
    assert main(["evidence", "verify", str(folder)]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[-1] == "Result: intact"
    assert "Not checked  versions of tools and the device" in out
    assert main(["evidence", "verify", "--json", str(folder)]) == 0
    schema = json.loads((ROOT / "docs" / "schema" / "evidence-1.0.json").read_text())
    jsonschema.validate(json.loads(capsys.readouterr().out), schema)
    (folder / "extra").write_text("x")
    assert main(["evidence", "show", str(folder)]) == 1
    out = capsys.readouterr().out
    assert "PROBLEM      extra was put in" in out
    assert out.splitlines()[-1] == "Result: NOT INTACT (1 problem)"
    assert main(["evidence", "verify", str(folder.parent)]) == 1
    assert "PROBLEM      candidate-0001: extra was put in" in capsys.readouterr().out
    assert main(["evidence", "verify", str(tmp_path)]) == 5
    assert "is not evidence" in capsys.readouterr().err
