"""Counters in the fewest runs that the registers of each block allow."""

from __future__ import annotations

import random

import pytest

from rocm_perf_lab.analysis.rooflines.roofline import roofline_counters
from rocm_perf_lab.arch.counter_registers import block_of, registers_per_pass
from rocm_perf_lab.collect.rocprof.counter_plan import plan_passes
from rocm_perf_lab.errors import UsageError


def needs(passes: tuple[tuple[str, ...], ...]) -> list[dict[str, int]]:
    blocks = [[block_of(name) for name in one] for one in passes]
    return [{block: one.count(block) for block in one} for one in blocks]


def test_blocks_share_a_run() -> None:
    assert plan_passes([["SQ_WAVES", "TCC_HIT_sum", "GRBM_COUNT"]], "gfx942") == (
        ("GRBM_COUNT", "TCC_HIT_sum", "SQ_WAVES"),
    )


def test_a_formula_stays_in_one_run_where_that_costs_nothing() -> None:
    reads, writes = ["TCC_A", "TCC_B", "TCC_C"], ["TCC_D", "TCC_E"]
    assert plan_passes([writes, reads], "gfx942") == (tuple(reads), tuple(writes))


def test_a_formula_is_cut_rather_than_run_once_more() -> None:
    groups = [[f"TCC_{group}{i}" for i in range(3)] for group in "ABCD"]
    assert [len(one) for one in plan_passes(groups, "gfx942")] == [4, 4, 4]


def test_a_counter_of_two_formulas_is_collected_once() -> None:
    assert plan_passes([["SQ_WAVES"], ["SQ_WAVES", "SQ_INSTS"]], "gfx942") == (
        ("SQ_WAVES", "SQ_INSTS"),
    )


def test_gfx12_has_more_registers_in_the_sq() -> None:
    group = [[f"SQ_C{i}" for i in range(16)]]
    assert len(plan_passes(group, "gfx1201")) == 1
    assert len(plan_passes(group, "gfx1100")) == 2


def test_a_derived_metric_has_no_block() -> None:
    with pytest.raises(UsageError, match="FETCHSIZE"):
        plan_passes([["FETCHSIZE"]], "gfx942")


@pytest.mark.parametrize(
    ("target", "runs"), [("gfx90a", 3), ("gfx942", 3), ("gfx950", 3), ("gfx1100", 2)]
)
def test_runs_for_a_roofline(target: str, runs: int) -> None:
    groups = roofline_counters(target)
    passes = plan_passes(groups, target)
    assert len(passes) == runs
    assert {name for one in passes for name in one} == {name for g in groups for name in g}
    limits = registers_per_pass(target)
    assert all(used[block] <= limits[block] for used in needs(passes) for block in used)


def test_random_requests_are_complete_fit_and_are_the_fewest() -> None:
    chance = random.Random(5)
    for _ in range(200):
        names = [
            f"{block}_C{i}" for block in ("SQ", "TCC", "TA") for i in range(chance.randint(0, 21))
        ]
        chance.shuffle(names)
        groups, rest = [], names
        while rest:
            size = chance.randint(1, 6)
            groups.append(rest[:size])
            rest = rest[size:]
        passes = plan_passes(groups, "gfx942")
        limits = registers_per_pass("gfx942")
        assert sorted(name for one in passes for name in one) == sorted(names)
        assert all(used[block] <= limits[block] for used in needs(passes) for block in used)
        fewest = max(
            (-(-sum(block_of(n) == b for n in names) // limits[b]) for b in ("SQ", "L2", "TA")),
            default=0,
        )
        assert len(passes) == fewest
