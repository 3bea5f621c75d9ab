"""The cases that G3 decides, those it only obliges the proof to look at, and some it must pass."""

from __future__ import annotations

from pathlib import Path

import pytest
from artifact_gate import ArtifactGate
from corpus import Case, load_cases

from rocm_perf_lab.collect.prefix import find_prefix

pytestmark = pytest.mark.native

CASES = {case.id: case for case in load_cases()}
# One build each; the kernels of a build are different ones.
BUILDS = (
    ("01-early-return", "28-lds-over-limit", "19-plain-add", "23-no-max"),
    ("s14-hidden-call", "18-barrier-removed", "c12-lds-padding"),
    ("c02-faster", "c11-wave-builtins"),
    ("05-zeros", "c10-unroll", "21b-float-in-double"),
)


@pytest.fixture(scope="module")
def gate(virtual_rocm: Path, tmp_path_factory: pytest.TempPathFactory) -> ArtifactGate:
    return ArtifactGate(find_prefix(virtual_rocm), tmp_path_factory.mktemp("artifacts"))


def test_every_case_of_this_stage_is_built() -> None:
    built = {name for build in BUILDS for name in build}
    for case in CASES.values():
        if case.stage == "G3" or case.obligation:
            assert case.id in built


@pytest.mark.parametrize("build", BUILDS, ids=lambda build: build[0])
def test_artifacts_are_judged_as_the_manifest_says(
    build: tuple[str, ...], gate: ArtifactGate
) -> None:
    cases: list[Case] = [CASES[name] for name in build]
    for name, verdict in gate.decide(cases).items():
        case = CASES[name]
        said = [(refusal.stage.value, refusal.reason) for refusal in verdict.refusals]
        assert said[:1] == ([("G3", case.reason)] if case.stage == "G3" else []), name
        if case.obligation:
            assert case.obligation in verdict.obligations, name
