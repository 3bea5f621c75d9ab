"""Faults at random: the oracle has to refuse those that some launch would meet."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from benchmarks.cheats import conditions
from benchmarks.cheats.fuzz import Outcome, report, run
from benchmarks.cheats.honest import FOLDER, manifest
from benchmarks.cheats.mutant import Mutant, mutants
from benchmarks.cheats.pool import POOL, PoolKernel

# Few kernels, because each costs a capture: one with scalars and an optional pointer, one with
# integers and sizes, one with a structure.
FEW = ("gemv", "mix", "advance")
SEED_OF_FEW = 19  # all faults and conditions of these kernels occur among its first
SEED = 7
MOST_OF_HUNDRED = 1  # accepted faults


def pool(*names: str) -> tuple[PoolKernel, ...]:
    return tuple(kernel for kernel in POOL if kernel.name in names)


def accepted(outcomes: list[Outcome]) -> list[str]:
    return [f"{one.kernel}: {one.statement}" for one in outcomes if one.is_hole]


@pytest.mark.native
@pytest.mark.slow
@pytest.mark.timeout(1200)  # two minutes of processor time, on a machine that may be busy
def test_thirty_faults_are_refused(virtual_rocm: Path) -> None:
    """The weekly test asks for hundreds, of all kernels."""
    wanted = list(mutants(SEED_OF_FEW, 30, pool(*FEW)))
    assert len({mutant.fault for mutant in wanted}) == 6
    assert {mutant.condition.kind for mutant in wanted} == set(conditions.KINDS) - {"mode"}
    outcomes = run(wanted, virtual_rocm, None)
    assert len(outcomes) == 30
    assert accepted(outcomes) == []


@pytest.mark.native
@pytest.mark.weekly
@pytest.mark.timeout(3 * 3600)
def test_hundreds_of_faults_are_refused(virtual_rocm: Path) -> None:
    outcomes = run(list(mutants(SEED, 300)), virtual_rocm, None)
    assert len(accepted(outcomes)) <= 3 * MOST_OF_HUNDRED, report(outcomes)


def test_every_kernel_of_the_pool_lies_in_its_program() -> None:
    assert len(POOL) >= 20
    for kernel in POOL:
        for spot in kernel.spots:
            assert kernel.text.count(spot.text) == 1, (kernel.name, spot.text)


def test_the_same_seed_makes_the_same_faults_and_more_of_them_continue() -> None:
    first = [mutant.text for mutant in mutants(3, 20)]
    assert first == [mutant.text for mutant in mutants(3, 40)][:20]
    assert first != [mutant.text for mutant in mutants(4, 20)]


def test_faults_are_of_all_kinds() -> None:
    made = list(mutants(1, 500))
    kinds = Counter(mutant.condition.kind for mutant in made)
    assert set(kinds) == set(conditions.KINDS)
    assert min(kinds.values()) >= 5
    assert len({mutant.fault for mutant in made}) == 6
    assert len({mutant.kernel.name for mutant in made}) == len(POOL)


def test_the_captured_launch_does_not_meet_conditions_on_sizes() -> None:
    kernel = pool("heat")[0]
    for seed in range(200):
        condition = conditions.drawn("size", kernel, kernel.spots[0], random.Random(seed))
        assert condition is not None
        text = condition.text.replace("&&", " and ")
        assert not eval(text, {}, dict(kernel.sizes)), text


def test_where_one_thread_comes_conditions_ask_for_that_one() -> None:
    kernel = pool("block_sum")[0]
    assert kernel.spots[0].thread == 0
    drawn = [conditions.drawn("id", kernel, kernel.spots[0], random.Random(n)) for n in range(300)]
    texts = {one.text for one in drawn if one is not None}
    of_threads = {text for text in texts if "threadIdx" in text}
    assert of_threads
    assert all(text.startswith("threadIdx.x == 0 ") for text in of_threads)


def outcome(mutant: Mutant, verdict: str, same_code: bool = False) -> Outcome:
    return Outcome(
        mutant.key, mutant.kernel.name, mutant.condition.kind, mutant.fault, mutant.statement,
        verdict, "", "", 1.0, same_code,
    )  # fmt: skip


def test_a_report_counts_holes_and_leaves_out_what_changes_nothing() -> None:
    one, two, three = mutants(1, 3)
    outcomes = [outcome(one, "equal"), outcome(two, "different"), outcome(three, "equal", True)]
    said = report(outcomes)
    assert said.endswith("Result: 1 of 2 accepted")
    assert one.statement in said
    assert "unverified" not in said
    assert report([outcome(one, "unverified")]).endswith("Result: 0 of 1 accepted")


def test_every_honest_change_has_its_file_and_its_program() -> None:
    honest = manifest()
    assert len(honest) >= 60
    assert len({one.name for one in honest}) == len(honest)
    by_hand = {one.name for one in honest if one.rule is None}
    assert {file.stem for file in FOLDER.glob("*.hip")} == by_hand
    for one in honest:
        assert f" {one.kernel}(" in one.program.read_text("utf-8"), one.name
