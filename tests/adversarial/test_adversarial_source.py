"""Every candidate of the corpus against the guards that read text.

A case whose stage comes later has to pass here: it is valid HIP, and a guard that refused it for a
wrong reason would hide that the later stage is needed.
"""

from __future__ import annotations

import re
from collections import Counter

import pytest
from corpus import FOLDER, Case, load_cases
from source_gate import SourceGate

CASES = sorted(load_cases(), key=lambda case: case.program)  # each is parsed by one process
TEXT_STAGES = ("reply", "G1", "G2", "build")
LATER_STAGES = ("G3", "G5")


@pytest.mark.native
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_text_guards_decide_as_the_manifest_says(case: Case, source_gate: SourceGate) -> None:
    decision = source_gate.decide(case)
    said = "\n".join(str(refusal) for refusal in decision.refusals)
    if case.stage in TEXT_STAGES:
        assert (decision.stage, decision.reason) == (case.stage, case.reason), said
    else:
        assert not decision.refusals, said
        assert decision.changed == (case.verdict != "no_change")


@pytest.mark.native
@pytest.mark.parametrize("program", sorted({case.program for case in CASES}), ids=lambda p: p.stem)
def test_kernels_lie_where_the_manifest_says(program, source_gate: SourceGate) -> None:
    _, unit = source_gate.program(program)
    assert not unit.errors
    for case in (case for case in CASES if case.program == program):
        kernel = source_gate.kernel(case)
        assert (kernel.span.start, kernel.span.end) == case.span, case.id


def test_every_known_cheat_has_a_case() -> None:
    assert {case.number for case in CASES} - {None} == set(range(1, 35))


def test_the_manifest_lists_the_files_of_the_folder() -> None:
    listed = Counter(case.candidate for case in CASES)
    assert set(listed) == set((FOLDER / "cases").iterdir())
    assert set(listed.values()) == {1}
    assert len({case.id for case in CASES}) == len(CASES)


def test_rejected_cases_name_a_known_stage_and_controls_name_none() -> None:
    for case in CASES:
        if case.is_control:
            assert (case.stage, case.reason) == (None, None), case.id
            assert case.verdict in ("accept", "no_change")
        else:
            assert case.stage in TEXT_STAGES + LATER_STAGES, case.id
            assert re.fullmatch(r"[a-z-]+", case.reason or ""), case.id
