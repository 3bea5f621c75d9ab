"""The cases that only their output gives away, and controls that must be proven equal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from artifact_gate import ArtifactGate
from corpus import Case, load_cases
from oracle_gate import OracleGate

from rocm_perf_lab.collect.prefix import find_prefix

pytestmark = pytest.mark.native

CONTROLS = ("c02-faster", "c11-wave-builtins", "c12-lds-padding")
CASES = [case for case in load_cases() if case.stage == "G5" or case.id in CONTROLS]


def renamed(case: Case) -> str:
    return f"{case.kernel}_{case.id.partition('-')[0]}"


def all_in_one(cases: list[Case]) -> bytes:
    """The program with every candidate beside its original, under another name: one build."""
    data = cases[0].program.read_bytes()
    for case in sorted(cases, key=lambda case: case.span, reverse=True):
        text = case.candidate.read_bytes().strip(b"\n")
        old = f" {case.kernel}(".encode()
        assert text.count(old) == 1, case.id
        copy = text.replace(old, f" {renamed(case)}(".encode())
        data = data[: case.span[1]] + b"\n\n" + copy + data[case.span[1] :]
    return data


@pytest.fixture(scope="module")
def oracle(baseline_program: Path, virtual_rocm: Path, tmp_path_factory) -> Iterator[OracleGate]:
    gate = OracleGate(
        find_prefix(virtual_rocm), baseline_program, tmp_path_factory.mktemp("captures")
    )
    yield gate
    gate.close()


@pytest.fixture(scope="module")
def code(virtual_rocm: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    gate = ArtifactGate(find_prefix(virtual_rocm), tmp_path_factory.mktemp("candidates"))
    return gate.compile(all_in_one(CASES))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_oracle_refuses_cheats_and_proves_controls(
    case: Case, oracle: OracleGate, code: Path
) -> None:
    report = oracle.decide(case, code, renamed(case))
    said = f"{case.id}: {report.stages[-1]}"
    assert report.verdict == ("equal" if case.is_control else "different"), said


def test_every_case_of_the_stage_is_a_kernel_of_one_program() -> None:
    assert {(case.form, case.program.stem) for case in CASES} == {("kernel", "kernels")}
    assert sum(case.stage == "G5" for case in CASES) >= 16
