"""A reference of higher precision, made from the source of the captured kernel: what it lets
through, what only it catches, and that nothing else is accepted for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Optional

import pytest
from oracle_support import SOURCES, Workshop, needs_replay

from rocm_perf_lab.cli.main import main
from rocm_perf_lab.optimize.reference import reference_from_source
from rocm_perf_lab.prove.oracle import OracleReport, OracleRequest, Reference
from rocm_perf_lab.prove.oracle.oracle import opened_oracle
from rocm_perf_lab.replay.capture import opened_capture

pytestmark = needs_replay

IN_DOUBLE = "the kernel's own source, computing in double"


def asked(
    workshop: Workshop, kernel: str, names: list[str], folder: Optional[Path]
) -> dict[str, OracleReport]:
    """``folder``: for what is built from the source; without it there is no reference."""
    with opened_capture(workshop.capture(kernel)) as capture:

        def made() -> Reference:
            assert folder is not None
            name = capture.dispatch.demangled_name
            source = SOURCES / "baselines.hip"
            return reference_from_source(source, ["-O2"], name, workshop.rocm, folder)

        code = workshop.candidates
        reference = None if folder is None else made
        request = OracleRequest(capture, code, workshop.rocm, reference=reference)
        with opened_oracle(request) as oracle:
            return {name: oracle.check(code, f"{kernel}_{name}") for name in names}


def test_a_better_sum_is_equal_and_a_worse_one_is_not(workshop: Workshop, tmp_path: Path) -> None:
    without = asked(workshop, "long_sums", ["right_in_parts"], None)
    assert without["right_in_parts"].verdict == "equal"  # the long sum itself is that vague
    found = asked(workshop, "long_sums", ["right_in_parts", "wrong_half_sum"], tmp_path)
    assert [one.verdict for one in found.values()] == ["equal", "different"], found
    right = found["right_in_parts"]
    assert (right.tier, right.reference) == ("error_budget", IN_DOUBLE)
    assert "one precision lower" in right.stages[-1].detail  # it was tried, and caught


@pytest.mark.weekly
def test_digits_that_are_missing_are_seen_with_and_without_a_reference(
    workshop: Workshop, tmp_path: Path
) -> None:
    name = "wrong_pi_of_five_digits"
    assert asked(workshop, "area", [name], None)[name].verdict == "different"
    found = asked(workshop, "area", [name], tmp_path)[name]
    assert (found.verdict, found.stage) == ("different", "captured memory"), found.reason


@pytest.mark.weekly
def test_arrays_in_lds_are_double_too(workshop: Workshop, tmp_path: Path) -> None:
    found = asked(workshop, "row_sums", ["right_one_thread", "wrong_half_sum"], tmp_path)
    assert [one.verdict for one in found.values()] == ["equal", "different"], found
    assert {one.reference for one in found.values()} == {IN_DOUBLE}


def test_where_there_is_none_the_report_says_why(
    workshop: Workshop, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["verify", str(workshop.capture("plain")), "--hsaco", str(workshop.candidates)]
    words += ["--rocm", str(workshop.rocm.path), "--json", "--kernel", "plain_nearly"]
    source = tmp_path / "other.hip"
    source.write_text("extern int nothing;")
    assert main([*words, "--dtype", "0=f32", "--source", str(source), "--flags=-O1"]) == 0
    report = json.loads(capsys.readouterr().out)["dispatch"]
    why = f"{source} does not define the kernel"
    assert f"nothing of higher precision to compare with: {why}" in report["notes"]
    assert report["reference"] == "the captured code on the same memory"
    assert main([*words, "--source", "x.hip", "--reference", str(workshop.candidates)]) == 2
