"""A search from end to end on the virtual device: found, proven, judged, written, and verified."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
from search_support import (
    HEADER,
    LOOP,
    PROGRAM,
    SUM_IN_REGISTER,
    Heard,
    Swap,
    tree_hash,
    write_project,
)

from rocm_perf_lab.cli.main import main
from rocm_perf_lab.measure.blocks import B, BlockRequest, BlockTimes, order_of
from rocm_perf_lab.measure.process_times import MachineIdentity, ProcessTimes
from rocm_perf_lab.optimize.document import OptimizeDocument
from rocm_perf_lab.optimize.gate import trial
from rocm_perf_lab.optimize.request import OptimizeRequest
from rocm_perf_lab.optimize.search.rules_engine import optimize
from rocm_perf_lab.prove.evidence import read_log, verify_bundle, verify_search
from rocm_perf_lab.reporters.decisions.optimize import render_optimize
from rocm_perf_lab.reporters.json_document import to_json

SCHEMA = Path(__file__).parents[3] / "docs" / "schema" / "optimize-1.0.json"
POLY = "poly(float const*, float*, int, int)"
REASON = "the sum stays in a register; memory was read and written each time"
REGISTER = Swap("keep the sum in a register", LOOP, SUM_IN_REGISTER, REASON)
WRONG = Swap("half of it", "HALF", "0.25f")
NOWHERE = Swap("nothing", "not there", "")


def request_for(source: Path, rocm: Path, evidence: Path, **more: object) -> OptimizeRequest:
    return OptimizeRequest(
        argv=("./poly", "1024"),
        sources=(source,),
        rocm=rocm,
        evidence=evidence,
        **more,  # type: ignore[arg-type]
    )


def simulated_blocks(request: BlockRequest) -> Iterator[BlockTimes]:
    """Instead of three processes a block: the candidate takes 0.6 of the time."""
    noise, usual = random.Random(request.seed), {B: 6000}
    for number in range(1, request.blocks + 1):
        order = order_of(request.seed, number)
        times = {role: int(usual.get(role, 10000) * noise.uniform(1, 1.02)) for role in order}
        processes = {
            role: ProcessTimes({POLY: (ns,)}, ns + 5000, MachineIdentity(None, None, True))
            for role, ns in times.items()
        }
        yield BlockTimes(number, order, processes)


@pytest.mark.slow
@pytest.mark.timeout(1200)  # some hundred processes, on a machine that may be busy
@pytest.mark.parametrize("real", [False, pytest.param(True, marks=pytest.mark.weekly)])
def test_a_gain_is_found_proven_and_written(
    real: bool, tmp_path: Path, virtual_rocm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not real:  # test_llm_optimize goes to the end with processes in every run of the tests
        monkeypatch.setattr(trial, "measure_blocks", simulated_blocks)
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    source = write_project(folder)
    asked: list[str] = []

    def agrees(diff: str, kept: Path) -> bool:
        assert source.read_text() == PROGRAM, "nothing is written before consent"
        assert kept.read_text() != PROGRAM
        asked.append(diff)
        return True

    heard = Heard()
    request = request_for(source, virtual_rocm, tmp_path / "kept", max_iters=1, listener=heard)
    document = optimize(request, agrees, rules=[WRONG, NOWHERE, REGISTER])

    remark = f"  // {REASON[0].upper()}{REASON[1:]}\n"
    assert source.read_text() == PROGRAM.replace(LOOP, remark + SUM_IN_REGISTER)
    assert sorted(path.name for path in folder.iterdir()) == ["part.h", "poly.hip"]
    assert (folder / "part.h").read_text() == HEADER
    assert document.verdict == "accept"
    assert document.written
    assert document.output == str(source)
    assert asked == [document.diff]
    assert document.diff.startswith("--- base/poly.hip\n+++ candidate/poly.hip\n")
    _check_numbers(document)
    _check_evidence(tmp_path / "kept", document)
    jsonschema.validate(json.loads(to_json(document)), json.loads(SCHEMA.read_text()))
    assert "Result: ACCEPT (poly is at least" in render_optimize(document)
    assert len(heard.attempts) == len(document.attempts)


def _check_numbers(document: OptimizeDocument) -> None:
    speedup = document.speedup
    assert speedup.kernel_low is not None
    assert speedup.kernel is not None
    assert 1.2 < speedup.kernel_low <= speedup.kernel
    assert speedup.application is not None
    assert speedup.application > 1.0
    ends = {(a.proposal, a.stage, a.verdict) for a in document.attempts}
    assert ("half of it", "G5", "reject") in ends
    assert ("keep the sum in a register", "G8", "accept") in ends
    assert ("keep the sum in a register; half of it", "G5", "reject") in ends
    assert [(one.rule, one.why) for one in document.not_applied] == [
        ("nothing", "'not there' is not there")
    ]


def _check_evidence(folder: Path, document: OptimizeDocument) -> None:
    for attempt in document.attempts:
        assert attempt.bundle is not None
        report = verify_bundle(folder / attempt.bundle)
        assert report.intact, report.problems
        if attempt.verdict == "accept":
            assert report.decision is not None
            assert report.decision.accepted
            assert report.decision.kernel.claim == document.speedup.kernel_low
            assert report.decision.rule["confirm"]  # the original was the best version
            assert report.decision.kernel.confirmed
            assert main(["evidence", "verify", str(folder / attempt.bundle)]) == 0
    events = [line.event for line in read_log(folder / "search.jsonl").lines]
    assert events[0] == "began"
    assert events[-2:] == ["written", "closed"]
    assert verify_search(folder).verdict == "intact"
    assert events.index("kept") < events.index("written")


@pytest.mark.weekly
def test_a_dry_run_judges_and_writes_nothing(
    tmp_path: Path, virtual_rocm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    source = write_project(folder)
    before = tree_hash(folder)
    request = request_for(source, virtual_rocm, tmp_path / "kept", max_iters=1)
    document = optimize(request, lambda _diff, _kept: True, rules=[REGISTER], dry_run=True)
    assert tree_hash(folder) == before
    assert document.verdict == "no_change"
    assert (document.output, document.written, document.diff) == (None, False, "")
    (attempt,) = document.attempts
    assert attempt.stage == "G7"
    assert attempt.reason.endswith("by replay; a dry run judges nothing")
    assert attempt.speedup is not None
    assert attempt.speedup > 1.2
