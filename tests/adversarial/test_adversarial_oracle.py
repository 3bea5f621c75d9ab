"""The cases that only their output gives away, and controls that must be proven equal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from artifact_gate import ArtifactGate
from corpus import Case, load_cases
from oracle_gate import OracleGate, all_in_one, renamed

from rocm_perf_lab.collect.prefix import find_prefix

pytestmark = pytest.mark.native

CONTROLS = ("c02-faster", "c11-wave-builtins", "c12-lds-padding")
CASES = [case for case in load_cases() if case.stage == "G5" or case.id in CONTROLS]


def marked(number: int, case: Case) -> object:
    """Three of four are asked weekly only: each takes some seconds."""
    weekly = number % 4 and not case.is_control
    return pytest.param(case, id=case.id, marks=[pytest.mark.weekly] if weekly else [])


@pytest.fixture(scope="module")
def oracle(virtual_rocm: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OracleGate]:
    gate = OracleGate(find_prefix(virtual_rocm), tmp_path_factory.mktemp("captures"))
    yield gate
    gate.close()


@pytest.fixture(scope="module")
def codes(virtual_rocm: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Path]:
    """By program: a code object with all of its candidates."""
    gate = ArtifactGate(find_prefix(virtual_rocm), tmp_path_factory.mktemp("candidates"))
    programs = {case.program for case in CASES}
    return {
        program: gate.compile(all_in_one([case for case in CASES if case.program == program]))
        for program in sorted(programs)
    }


def by_kernel(one: tuple[int, Case]) -> tuple[Path, str]:
    """Neighbours go to one process of xdist, which captures each kernel that it meets."""
    return one[1].program, one[1].kernel


@pytest.mark.parametrize("case", [marked(*one) for one in sorted(enumerate(CASES), key=by_kernel)])
def test_the_oracle_refuses_cheats_and_proves_controls(
    case: Case, oracle: OracleGate, codes: dict[Path, Path]
) -> None:
    report = oracle.decide(case, codes[case.program], renamed(case))
    said = f"{case.id}: {report.stages[-1]}"
    if case.is_control:
        assert report.verdict == "equal", said
    else:
        assert report.verdict != "equal", said
        assert report.stage is not None  # which question it did not pass


def test_every_case_of_the_stage_is_a_kernel() -> None:
    assert {case.form for case in CASES} == {"kernel"}
    assert sum(case.stage == "G5" for case in CASES) >= 60
