"""Two conditions that decide together, without a device."""

from __future__ import annotations

import pytest
from test_oracle_unseen import BOTH, RAN, covered, listing

from rocm_perf_lab.prove.oracle.executed.conditions import is_conjunction
from rocm_perf_lab.prove.oracle.executed.unseen import (
    FIRST_IDLE,
    NOT_BOTH,
    NOT_NEITHER,
    SECOND_IDLE,
    Unseen,
    not_in,
    unseen,
)
from rocm_perf_lab.replay.coverage import FALSE, NOT_TAKEN, TAKEN, TRUE

TWO = ("v_cmp_gt_i32_e32 vcc, s5, v0", "v_cmp_gt_u32_e64 s[0:1], s0, v0")
SEEN = (BOTH, BOTH)
ALL = RAN | TRUE | FALSE | TAKEN | NOT_TAKEN


def missed(code: tuple[str, ...], facts: int) -> list[str]:
    """Of the last instruction but one, when all others were seen at work."""
    before = [BOTH] * (len(code) - 1)
    return [one.what for one in unseen(listing(*code, "s_endpgm"), covered(*before, facts, RAN))]


@pytest.mark.parametrize(
    ("name", "first", "second", "together"),
    [
        ("s_and_b64", SECOND_IDLE, FIRST_IDLE, NOT_BOTH),
        ("s_nand_b64", SECOND_IDLE, FIRST_IDLE, NOT_BOTH),
        ("s_andn2_b64", SECOND_IDLE, FIRST_IDLE, NOT_BOTH),
        ("s_or_b64", FIRST_IDLE, SECOND_IDLE, NOT_NEITHER),
        ("s_nor_b64", FIRST_IDLE, SECOND_IDLE, NOT_NEITHER),
        ("s_orn2_b64", FIRST_IDLE, SECOND_IDLE, NOT_NEITHER),
    ],
)
def test_each_of_two_conditions_decides_once(
    name: str, first: str, second: str, together: str
) -> None:
    code = (*TWO, f"{name} s[2:3], vcc, s[0:1]")
    answer = TAKEN if is_conjunction(name) else NOT_TAKEN
    assert missed(code, RAN | TRUE | FALSE | answer) == []
    assert missed(code, RAN | FALSE | answer) == [first]
    assert missed(code, RAN | TRUE | answer) == [second]
    assert missed(code, RAN | TRUE | FALSE) == [together]
    assert missed(code, RAN | TRUE | FALSE | (TAKEN | NOT_TAKEN) & ~answer) == [together]


def test_a_condition_of_conditions_is_one() -> None:
    third = ("s_cmp_lg_u32 s8, 0", "s_cselect_b64 s[8:9], -1, 0")
    inner = "s_and_b64 s[2:3], vcc, s[0:1]"
    code = (*TWO, *third, inner, "s_xor_b64 s[2:3], s[2:3], -1", "s_or_b64 s[2:3], s[2:3], s[8:9]")
    found = unseen(listing(*code), covered(BOTH, BOTH, BOTH, BOTH, ALL, RAN, RAN))
    assert [one.what for one in found] == [FIRST_IDLE]
    found = unseen(listing(*code), covered(BOTH, BOTH, BOTH, BOTH, RAN, RAN, ALL))
    assert [one.what for one in found] == [SECOND_IDLE]


@pytest.mark.parametrize(
    "code",
    [
        (*TWO, "s_and_b64 s[2:3], exec, s[0:1]"),  # the lanes that are active
        (*TWO, "s_or_b64 s[0:1], vcc, s[6:7]"),  # lanes that left a loop earlier
        (*TWO, "s_mov_b64 s[0:1], s[6:7]", "s_and_b64 s[2:3], vcc, s[0:1]"),
        (*TWO, "s_and_b64 s[2:3], vcc, vcc"),
        (*TWO, "s_mov_b64 exec, s[6:7]", "s_load_dwordx2 vcc, s[4:5], 0x0",
         "s_and_b64 s[2:3], vcc, s[0:1]"),
    ],
)  # fmt: skip
def test_masks_that_are_no_conditions_are_not_asked(code: tuple[str, ...]) -> None:
    assert missed(code, RAN) == []


def test_a_condition_from_another_block_is_asked_where_nothing_else_is_held_there() -> None:
    branch = ("s_cmp_lg_u32 s8, 0", "s_cbranch_scc1 1", "v_mov_b32_e32 v1, 0")
    code = (*TWO, *branch, "s_and_b64 s[2:3], vcc, s[0:1]")
    assert missed(code, RAN) == [SECOND_IDLE]
    other = (*TWO, *branch[:2], "s_mov_b64 s[0:1], 0", "s_and_b64 s[2:3], vcc, s[0:1]")
    assert missed(other, RAN) == []


def test_masks_of_other_lanes_than_those_that_are_active_now_are_not_asked() -> None:
    again = "s_mov_b64 s[0:1], 0"  # so that they hold a condition in this block only

    def found(*between: str) -> list[str]:
        code = listing(*TWO, *between, "s_and_b64 s[2:3], vcc, s[0:1]", again, "s_endpgm")
        facts = (BOTH if "cmp" in one else RAN for one in between)
        seen = (BOTH, BOTH, *facts, RAN, RAN, RAN)
        return [one.what for one in unseen(code, covered(*seen))]

    assert found("s_mov_b32 s9, 0") == [SECOND_IDLE]
    assert found("s_or_b64 exec, exec, s[6:7]") == []
    assert found("v_cmpx_eq_u32_e64 s[20:21], 0, v1") == []
    assert found("s_cbranch_scc1 1", "s_mov_b64 exec, s[8:9]") == []  # on one of two ways
    assert found("s_cbranch_scc1 1", "s_mov_b64 s[8:9], exec") == [SECOND_IDLE]


BEHIND_AN_IF = (
    TWO[1],
    "s_and_saveexec_b64 s[2:3], s[0:1]",
    "s_cbranch_execz 1",
    "v_mov_b32_e32 v1, 0",
    "s_or_b64 exec, exec, s[2:3]",
    TWO[0],
    "s_and_b64 s[14:15], s[0:1], vcc",
    "s_mov_b64 s[0:1], 0",  # the register holds something else later
    "s_endpgm",
)


@pytest.mark.parametrize(
    ("at", "instead", "asked"),
    [
        pytest.param(3, "v_mov_b32_e32 v1, 0", True, id="the lanes from before the if"),
        pytest.param(4, "s_nop 0", False, id="those inside it"),
        pytest.param(4, "s_or_b64 exec, exec, s[6:7]", False, id="lanes that left a loop"),
        pytest.param(3, "s_mov_b32 s3, 0", False, id="what was saved is lost"),
        pytest.param(3, "s_mov_b32 s1, 0", False, id="the condition is lost on one way"),
        pytest.param(1, "s_or_saveexec_b64 s[2:3], s[0:1]", False, id="more lanes than before"),
        pytest.param(3, "s_swappc_b64 s[30:31], s[16:17]", False, id="a call between"),
        pytest.param(3, "v_cmpx_eq_u32_e32 vcc, 0, v1", True, id="fewer lanes inside"),
        pytest.param(5, "v_cmpx_eq_u32_e32 vcc, 0, v1", False, id="fewer lanes behind"),
    ],
)
def test_a_condition_counts_for_the_lanes_that_it_was_made_of(
    at: int, instead: str, asked: bool
) -> None:
    code = [*BEHIND_AN_IF]
    code[at] = instead
    seen = [BOTH if "cmp" in one else ALL for one in code]
    seen[6] = RAN
    found = unseen(listing(*code), covered(*seen))
    assert [one.what for one in found] == ([SECOND_IDLE] if asked else [])


def test_a_condition_of_the_turn_before_is_one_while_the_same_lanes_are_active() -> None:
    """A loop: made at its end, of other lanes in the second case, and read at its head."""
    for narrowed, expected in (("s_nop 0", [SECOND_IDLE]), ("s_mov_b64 exec, s[8:9]", [])):
        code = (
            TWO[1],
            TWO[0],
            "s_and_b64 s[14:15], s[0:1], vcc",
            narrowed,
            TWO[1],
            "s_cbranch_scc1 65531",  # to the second instruction
            "s_mov_b64 vcc, 0",
            "s_endpgm",
        )
        seen = (BOTH, BOTH, RAN, RAN, BOTH, RAN, RAN, RAN)
        assert [one.what for one in unseen(listing(*code), covered(*seen))] == expected


def test_what_the_captured_code_has_as_well_is_not_held_against_a_candidate() -> None:
    code = listing(*TWO, "s_and_b64 s[2:3], vcc, s[0:1]")
    same = listing(TWO[1], TWO[0], "s_and_b64 s[8:9], vcc, s[0:1]")
    old, new = (unseen(one, covered(BOTH, BOTH, RAN)) for one in (code, same))
    assert not_in(new, old) == ()
    assert not_in(new, ()) == new != ()


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("v_cmp_gt_u32_e64 s[0:1], s0, v0", "v_cmp_gt_i32_e32 vcc, s5, v0", True),
        ("v_cmp_le_u32_e64 s[0:1], s0, v0", "v_cmp_lt_i32_e32 vcc, s5, v7", True),
        ("v_cmp_gt_u32_e64 s[0:1], s0, v0", "v_cmp_gt_i32_e32 vcc, -1, v0", False),
        ("v_cmp_eq_u32_e64 s[0:1], s0, v0", "v_cmp_gt_i32_e32 vcc, s5, v0", False),
        ("v_cmp_gt_f32_e64 s[0:1], s0, v0", "v_cmp_gt_i32_e32 vcc, s5, v0", False),
    ],
)
def test_two_other_conditions_are_held_against_it(first: str, second: str, same: bool) -> None:
    old = listing(*TWO, "s_and_b64 s[2:3], vcc, s[0:1]")
    new = listing(first, second, "s_and_b64 s[8:9], s[0:1], vcc")
    before, after = (unseen(one, covered(BOTH, BOTH, RAN)) for one in (old, new))
    assert bool(not_in(after, before)) is not same


def test_a_condition_of_conditions_is_told_by_all_of_them() -> None:
    def found(*third: str) -> tuple[Unseen, ...]:
        inner = ("s_and_b64 s[2:3], vcc, s[0:1]", "s_xor_b64 s[2:3], s[2:3], -1")
        code = (*TWO, *inner, *third, "s_or_b64 s[6:7], s[2:3], s[8:9]")
        return unseen(listing(*code), covered(BOTH, BOTH, ALL, RAN, BOTH, RAN))

    usual, other = "v_cmp_eq_u32_e64 s[8:9], s3, v0", "v_cmp_eq_u32_e64 s[8:9], 7, v0"
    assert not_in(found(usual), found(usual)) == ()
    assert not_in(found(other), found(usual)) != ()
