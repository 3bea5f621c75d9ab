"""What the oracle cannot know it says; what it is told it uses."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from oracle_support import Workshop, needs_replay, sign

from rocm_perf_lab.box import run_boxed
from rocm_perf_lab.cli.main import main
from rocm_perf_lab.collect.process import run_process
from rocm_perf_lab.prove.oracle import OracleReport, OracleRequest, check_equal
from rocm_perf_lab.prove.oracle.oracle import opened_oracle
from rocm_perf_lab.prove.oracle.reference import given
from rocm_perf_lab.replay.capture import opened_capture

pytestmark = needs_replay

SCHEMA = Path(__file__).resolve().parents[3] / "docs" / "schema" / "verify-1.0.json"


def asked(
    workshop: Workshop, kernel: str, candidate: str, *, dispatch: int = 0, **options: Any
) -> OracleReport:
    with opened_capture(workshop.capture(kernel, dispatch)) as capture:
        name = f"{kernel}_{candidate}"
        request = OracleRequest(capture, workshop.candidates, workshop.rocm, name, **options)
        return check_equal(request)


def test_without_types_only_bits_count(workshop: Workshop) -> None:
    report = asked(workshop, "plain", "same")
    assert (report.verdict, report.tier) == ("equal", "bit_exact")
    assert {one.source for one in report.arguments} == {"unknown"}
    assert any(one.startswith("no input has a known type: only the order") for one in report.notes)
    assert any("but for the order of its words" in one for one in report.not_varied)
    report = asked(workshop, "plain", "nearly")
    assert (report.verdict, report.stage) == ("different", "captured memory")


def test_types_that_the_user_gives(workshop: Workshop, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["verify", str(workshop.capture("plain")), "--hsaco", str(workshop.candidates)]
    words += ["--kernel", "plain_nearly", "--rocm", str(workshop.rocm.path), "--json"]
    assert main([*words, "--dtype", "0=f32", "--dtype", "1=f32"]) == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    assert (document["verdict"], document["tier"]) == ("equal", "error_budget")
    assert {one["source"] for one in document["dispatch"]["arguments"]} == {"user"}
    assert main([*words, "--dtype", "0=f32", "--dtype", "1=f32", "--exact"]) == 1
    assert json.loads(capsys.readouterr().out)["verdict"] == "different"


def test_narrow_types_may_be_rounded_once(workshop: Workshop) -> None:
    report = asked(workshop, "halves", "other_order")
    assert report.verdict == "equal", report.reason
    report = asked(workshop, "halves", "summed_in_half")
    assert report.verdict == "different", report.reason


def test_a_baseline_that_varies_itself(workshop: Workshop) -> None:
    # One lane of a wave adds: the compiler makes a loop for more of them.
    report = asked(workshop, "total", "by_waves", allow_unseen=True)
    assert (report.verdict, report.tier) == ("equal", "error_budget"), report.reason
    assert "the captured code itself depends on the order of waves" in report.notes
    report = asked(workshop, "total", "without_the_last")
    assert report.verdict == "different"


def test_where_the_captured_code_races_chance_is_no_answer(workshop: Workshop) -> None:
    report = asked(workshop, "strided", "from_behind")
    assert report.verdict == "equal", report.reason
    (said,) = [note for note in report.notes if "it races" in note]
    assert "trials dropped, because of the captured code" in said


def test_nothing_written_is_never_equal(workshop: Workshop) -> None:
    report = asked(workshop, "nothing", "same")
    assert (report.verdict, report.stage) == ("unverified", "captured code")
    assert "no output" in report.reason


def test_a_launch_that_repeats_another_is_judged_by_what_it_writes_over_other_memory(
    workshop: Workshop,
) -> None:
    """Benchmarks launch a kernel again and again: all but the first change nothing."""
    with opened_capture(workshop.capture("scale", 1)) as capture:
        assert not capture.changes
        code = workshop.candidates
        with opened_oracle(OracleRequest(capture, code, workshop.rocm)) as oracle:
            right = oracle.check(code, "scale_right_vectorised")
            assert right.verdict == "equal", right.reason
            uses = {one.argument: one.use for one in right.arguments}
            assert uses == {"argument 0": "output", "argument 1": "input"}
            for wrong in ("scale_wrong_nothing_done", "scale_wrong_last_block_dropped"):
                report = oracle.check(code, wrong)
                assert (report.verdict, report.stage) == ("different", "poisoned output"), wrong


def test_an_oracle_that_zeros_would_pass_is_too_weak(workshop: Workshop) -> None:
    report = asked(workshop, "underflow", "zeros")
    assert (report.verdict, report.stage) == ("unverified", "strength")
    assert "zeros" in report.reason


def test_a_given_reference_is_what_errors_are_measured_against(workshop: Workshop) -> None:
    precise = {"reference": given(workshop.candidates, "row_sums_reference")}
    report = asked(workshop, "row_sums", "right_double_sum", **precise)
    assert report.verdict == "equal", report.reason
    assert report.reference == f"{workshop.candidates}, given as the more precise one"
    # The same code as the reference: nothing is over budget, and its own error is none.
    assert {stage.max_ulp for stage in report.stages if stage.different} <= {0.0, None}
    report = asked(workshop, "row_sums", "wrong_half_sum", **precise)
    assert report.verdict == "different"


def test_memory_that_does_not_replay_proves_nothing(workshop: Workshop, tmp_path: Path) -> None:
    """A capture whose memory afterwards is not what its code leaves."""
    copy = tmp_path / "capture"
    shutil.copytree(workshop.capture("scale"), copy)
    (after,) = (copy / "after").glob("*.bin")
    content = bytearray(after.read_bytes())
    content[403] ^= 0x40
    after.write_bytes(content)
    sign(copy)
    with opened_capture(copy) as capture:
        request = OracleRequest(capture, workshop.candidates, workshop.rocm, "scale_right_unrolled")
        report = check_equal(request)
    assert (report.verdict, report.stage) == ("unverified", "captured code")
    assert "does not replay" in report.reason


def test_the_verb_for_people(workshop: Workshop, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["verify", str(workshop.capture("scale")), "--hsaco", str(workshop.candidates)]
    words += ["--rocm", str(workshop.rocm.path), "--kernel"]
    assert main([*words, "scale_right_vectorised"]) == 0
    out = capsys.readouterr().out
    assert "argument 0: output, 4000 bytes, f32 by signature" in out
    last = out.splitlines()[-1]
    assert re.fullmatch(
        r"Result: equal in \d+ trials bit by bit, all code of the change executed", last
    ), last
    assert "Not varied: sizes above " in out
    assert main([*words, "scale_wrong_past_the_end"]) == 1
    out = capsys.readouterr().out
    assert out.splitlines()[-1].startswith("Result: different: guards: with captured memory")
    assert all(len(line) <= 100 for line in out.splitlines() if not line.startswith("Candidate"))
    assert main([*words, "no_such_kernel"]) == 2
    assert "has no kernel no_such_kernel" in capsys.readouterr().err


def test_the_candidate_runs_in_the_box_and_the_captured_code_does_not(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the box does is tested there; here, that nothing of a candidate runs outside of it."""
    monkeypatch.setenv("HOME", "/the/users/own")
    boxed, free = [], []

    def in_box(argv: Any, folder: Path, *rest: Any, **options: Any) -> Any:
        boxed.append((Path(argv[1]), options["environment"]))
        ran = run_boxed(argv, folder, *rest, **options)
        return replace(ran, not_enforced=("files (no Landlock here)",))

    def outside(argv: Any, **options: Any) -> Any:
        free.append(Path(argv[1]).read_text())
        return run_process(argv, **options)

    monkeypatch.setattr("rocm_perf_lab.replay.replayer.run_boxed", in_box)
    monkeypatch.setattr("rocm_perf_lab.replay.replayer.run_process", outside)
    report = asked(workshop, "plain", "same")
    assert report.verdict == "equal"
    assert len(boxed) >= 5
    assert free
    assert not [plan for plan in free if "plain_same" in plan]
    assert all("HOME" not in environment for _, environment in boxed)
    assert "the candidate's box could not hold: files (no Landlock here)" in report.notes
