"""What counts as seen at work, from coverage and listings, without a device."""

from __future__ import annotations

import pytest

from rocm_perf_lab.collect.disassembly import Instruction
from rocm_perf_lab.prove.oracle.executed.unseen import (
    Code,
    constants,
    never_executed,
    not_in,
    that_show_more,
    unseen,
)
from rocm_perf_lab.replay.coverage import (
    ACTIVE,
    FALSE,
    REACHED,
    TAKEN,
    TRUE,
    Covered,
)

BASE = 0x1000
RAN = REACHED | ACTIVE
BOTH = RAN | TRUE | FALSE


def listing(*texts: str) -> Code:
    return Code.of(
        tuple(Instruction(BASE + 4 * n, text, f"k.hip:{n}", 4) for n, text in enumerate(texts))
    )


def covered(*facts: int) -> dict[int, Covered]:
    return {4 * n: Covered(4 * n, one) for n, one in enumerate(facts) if one}


@pytest.mark.parametrize(
    ("text", "facts", "missing"),
    [
        ("v_add_f32_e32 v0, v1, v2", RAN, []),
        ("v_add_f32_e32 v0, v1, v2", REACHED, ["never executed"]),  # no lane was active
        ("s_add_i32 s0, s1, s2", REACHED, []),
        ("global_store_dword v[0:1], v2, off", 0, ["never executed"]),
        ("s_cbranch_scc1 4", REACHED | TAKEN, []),  # what it asks and where it leads is asked for
        ("v_cmp_gt_i32_e32 vcc, s4, v0", BOTH, []),
        ("v_cmp_gt_i32_e32 vcc, s4, v0", RAN | TRUE, ["only the first side was seen"]),
        ("s_cmp_lg_u32 s4, 0x3039", REACHED | FALSE, ["only the second side was seen"]),
        ("v_cndmask_b32_e32 v0, v1, v2, vcc", RAN | FALSE, ["only the second side was seen"]),
        ("v_min_i32_e32 v0, 0xfff, v0", RAN | FALSE, ["only the second side was seen"]),
        ("v_max_f32_e32 v0, v1, v2", BOTH, []),
        ("v_max_f32_e32 v0, v1, v1", RAN, []),
        ("v_and_b32_e32 v0, 0xffff, v0", RAN | FALSE, ["a mask that never cleared a bit"]),
        ("v_and_b32_e32 v0, 0xffff, v0", RAN | TRUE, []),
        ("s_waitcnt vmcnt(0)", 0, []),
        ("s_endpgm", 0, []),
    ],
)
def test_sides_of_one_instruction(text: str, facts: int, missing: list[str]) -> None:
    found = unseen(listing(text), covered(facts))
    assert [one.what for one in found] == missing
    assert all(one.source == "k.hip:0" and text in str(one) for one in found)


def test_registers_do_not_matter_but_constants_do() -> None:
    old = unseen(listing("s_cmp_eq_u32 s4, 7"), covered(REACHED | FALSE))
    same = unseen(
        listing("v_mov_b32_e32 v0, 0", "s_cmp_eq_u32 s9, 7"), covered(RAN, REACHED | FALSE)
    )
    other = unseen(listing("s_cmp_eq_u32 s4, 8"), covered(REACHED | FALSE))
    larger = unseen(listing("s_cmp_gt_u32 s4, 7"), covered(REACHED | TRUE))
    assert not_in(same, old) == ()
    assert not_in(other, old) == other
    assert not_in(larger, old) == larger
    assert not_in(old, ()) == old


def test_the_same_question_the_other_way_round_is_the_same() -> None:
    old = unseen(listing("v_cmp_nle_f32_e32 vcc, s11, v5"), covered(RAN | TRUE))
    same = unseen(listing("v_cmp_le_f32_e64 s[0:1], s11, v5"), covered(RAN | FALSE))
    other = unseen(listing("v_cmp_eq_f32_e32 vcc, s11, v5"), covered(RAN | FALSE))
    assert not_in(same, old) == ()
    assert not_in(other, old) == other


def test_how_an_instruction_is_encoded_does_not_matter() -> None:
    old = unseen(listing("v_cndmask_b32_e32 v0, v1, v2, vcc"), covered(RAN | FALSE))
    same = unseen(listing("v_cndmask_b32_e64 v9, v1, v2, s[0:1]"), covered(RAN | FALSE))
    other = unseen(listing("v_cndmask_b32_e64 v9, 0, v2, s[0:1]"), covered(RAN | FALSE))
    assert not_in(same, old) == ()
    assert not_in(other, old) == other


def test_only_whole_instructions_are_missed_in_a_candidate() -> None:
    code = listing("s_cmp_lg_u32 s9, 4", "v_add_f32_e32 v0, v1, v2")
    assert [one.text for one in never_executed(unseen(code, covered(REACHED | TRUE)))] == [
        "v_add_f32_e32 v0, v1, v2"
    ]


def test_launches_that_show_all_are_those_that_show_more() -> None:
    some, side, all_of_it = covered(RAN | TRUE), covered(RAN | FALSE), covered(BOTH, RAN)
    assert that_show_more([some, some, side, all_of_it, side]) == [0, 2, 3]
    assert that_show_more([all_of_it, some, side]) == [0]
    assert that_show_more([{}, some]) == [1]


def test_constants_are_worth_trying() -> None:
    code = listing(
        "s_cmp_gt_i32 s0, 0x10000",
        "v_and_b32_e32 v0, 0x3ff, v0",
        "v_mul_f32_e32 v0, 0.5, v0",
        "s_cmpk_lt_u32 s3, 0x80",
        "global_load_dword v0, v[0:1], off offset:16",
        "v_cmp_eq_u32_e32 vcc, -1, v0",
        "v_cmp_gt_f32_e64 s[0:1], s5, 0.5",
        "v_cmp_eq_f32_e32 vcc, -4.0, v0",
    )
    half, minus_four = 0x3F00_0000, 0xC080_0000
    assert constants(code.listing) == (0x10000, 0x3FF, 0x80, -1, half, minus_four)


LANE = ("v_mbcnt_lo_u32_b32 v3, -1, 0", "v_mbcnt_hi_u32_b32 v3, -1, v3")


def test_what_no_run_can_show_is_not_missed() -> None:
    assert unseen(listing(*LANE, "v_and_b32_e32 v4, 63, v3"), covered(RAN, RAN, RAN)) == ()
    found = unseen(listing(*LANE, "v_and_b32_e32 v4, 31, v3"), covered(RAN, RAN, RAN))
    assert [one.what for one in found] == ["a mask that never cleared a bit"]
    dead = ("s_mov_b32 s4, 7", "s_cmp_gt_u32 s4, 9", "s_cbranch_scc0 1", "s_mov_b32 s5, 1")
    assert unseen(listing(*dead, "s_endpgm"), covered(RAN, RAN | FALSE, RAN, 0, RAN)) == ()


def test_a_side_that_a_copy_has_shown_is_not_missed() -> None:
    end = ("s_and_b32 s5, s4, 3", "s_cmp_eq_u32 s5, 0")
    code = ("s_cmp_lt_u32 s4, s3", "s_cbranch_scc1 4", *end, "s_cbranch_scc0 4", "s_branch 4", *end)
    both = listing(*code, "s_cbranch_scc1 1", "s_mov_b32 s6, 1", "s_endpgm")
    seen = (BOTH, RAN, BOTH, BOTH, RAN, RAN, RAN | FALSE, RAN | FALSE, RAN, RAN, RAN)
    assert unseen(both, covered(*seen)) == ()
    never = (BOTH, RAN, BOTH, BOTH, RAN, RAN, 0, 0, 0, RAN, RAN)
    assert [one.what for one in unseen(both, covered(*never))] == ["never executed"] * 2
