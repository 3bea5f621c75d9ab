"""The cases that only their output gives away, and controls that must be proven equal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from artifact_gate import ArtifactGate, combined
from corpus import Case, load_cases
from oracle_gate import OracleGate

from rocm_perf_lab.collect.prefix import find_prefix

pytestmark = pytest.mark.native

CONTROLS = ("c02-faster", "c11-wave-builtins", "c12-lds-padding")
CASES = [case for case in load_cases() if case.stage == "G5" or case.id in CONTROLS]


def builds() -> Iterator[list[Case]]:
    """As few builds as possible: each has one case of every kernel that is left."""
    waiting = list(CASES)
    while waiting:
        build = list({case.kernel: case for case in reversed(waiting)}.values())
        waiting = [case for case in waiting if case not in build]
        yield build


@pytest.fixture(scope="module")
def oracle(baseline_program: Path, virtual_rocm: Path, tmp_path_factory) -> Iterator[OracleGate]:
    gate = OracleGate(
        find_prefix(virtual_rocm), baseline_program, tmp_path_factory.mktemp("captures")
    )
    yield gate
    gate.close()


@pytest.fixture(scope="module")
def artifacts(virtual_rocm: Path, tmp_path_factory: pytest.TempPathFactory) -> ArtifactGate:
    return ArtifactGate(find_prefix(virtual_rocm), tmp_path_factory.mktemp("artifacts"))


@pytest.mark.parametrize(
    "build", list(builds()), ids=lambda build: "+".join(c.id[:3] for c in build)
)
def test_the_oracle_refuses_cheats_and_proves_controls(
    build: list[Case], oracle: OracleGate, artifacts: ArtifactGate
) -> None:
    code = artifacts.compile(combined(build))
    for case in build:
        report = oracle.decide(case, code)
        said = f"{case.id}: {report.stages[-1]}"
        assert report.verdict == ("equal" if case.is_control else "different"), said


def test_every_case_of_the_stage_is_a_kernel_of_one_program() -> None:
    assert {(case.form, case.program.stem) for case in CASES} == {("kernel", "kernels")}
    assert sum(case.stage == "G5" for case in CASES) >= 16
