"""What no run can show: reachable code and questions with one answer, against running the code."""

from __future__ import annotations

import itertools
import operator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from listing_support import BASE, listing
from scalar_machine import Machine, programs, text_of, values

from rocm_perf_lab.prove.oracle.executed.copies import copies
from rocm_perf_lab.prove.oracle.executed.feasible import _COMPUTED, Feasible, feasible

LANE = ("v_mbcnt_lo_u32_b32 v3, -1, 0", "v_mbcnt_hi_u32_b32 v3, -1, v3")


def only(*texts: str) -> dict[int, bool]:
    """By index."""
    return {(at - BASE) // 4: side for at, side in feasible(listing(*texts)).only.items()}


# --- what compilers write -------------------------------------------------------------------------


def test_the_rest_of_an_unrolled_loop_is_copied_to_where_its_answer_is_clear() -> None:
    code = (
        "s_load_dword s4, s[0:1], 0x10",
        "s_cmp_lt_i32 s4, 1",
        "s_cbranch_scc1 6",  # to the end
        "s_cmp_lt_u32 s4, 4",
        "s_cbranch_scc0 4",
        "s_and_b32 s5, s4, 3",  # 1, 2 or 3: nothing is cleared
        "s_cmp_eq_u32 s5, 0",  # never
        "s_cbranch_scc1 1",
        "s_mov_b32 s6, 1",
        "s_endpgm",
    )
    assert only(*code) == {5: False, 6: False}


def test_a_loop_knows_that_its_counter_is_below_its_end() -> None:
    code = (
        "s_load_dword s10, s[0:1], 0x10",
        "s_cmp_lt_i32 s10, 1",
        "s_cbranch_scc1 6",
        "s_mov_b32 s11, 0",
        "s_cmp_ge_i32 s11, s10",  # the loop begins: never
        "s_cbranch_scc1 3",
        "s_add_i32 s11, s11, 16",
        "s_cmp_lt_i32 s11, s10",
        "s_cbranch_scc1 65531",  # back to the question
        "s_endpgm",
    )
    assert only(*code) == {4: False}


def test_code_behind_an_answer_that_nobody_gets_is_not_reached() -> None:
    code = (
        "s_mov_b32 s4, 7",
        "s_cmp_gt_u32 s4, 9",
        "s_cbranch_scc1 1",
        "s_endpgm",
        "s_mov_b32 s5, 1",
        "s_endpgm",
    )
    found = feasible(listing(*code))
    assert not found.can_reach(BASE + 16)
    assert found.can_reach(BASE + 12)


@pytest.mark.parametrize("step", [1, 2, 32, 63])
def test_a_shuffle_by_exclusive_or_stays_in_the_wave(step: int) -> None:
    """What clang makes of ``__shfl_xor(x, step)``."""
    code = (
        *LANE,
        "v_add_u32_e32 v4, 64, v3",
        "v_and_b32_e32 v4, 0xc0, v4",
        f"v_xor_b32_e32 v5, {step}, v3",
        "v_cmp_lt_i32_e32 vcc, v5, v4",
    )
    assert only(*code)[5]


def test_a_counter_that_doubles_stays_below_its_end() -> None:
    """The loop of ``for (step = 1; step < 64; step *= 2) sum += __shfl_xor(sum, step)``: the
    counter is overwritten between the question and the branch."""
    code = (
        *LANE,
        "v_add_u32_e32 v4, 64, v3",
        "v_and_b32_e32 v4, 0xc0, v4",
        "s_mov_b32 s2, 1",
        *LANE,
        "v_add_u32_e32 v4, 64, v3",
        "v_and_b32_e32 v4, 0xc0, v4",
        "v_xor_b32_e32 v5, s2, v3",  # 9: the loop begins with what lanes hold
        "v_cmp_lt_i32_e32 vcc, v5, v4",
        "s_lshl_b32 s3, s2, 1",
        "s_cmp_gt_u32 s2, 31",
        "s_mov_b32 s2, s3",
        "s_cbranch_scc0 65526",
        "s_endpgm",
    )
    assert only(*code)[10]
    longer = [text.replace("s2, 31", "s2, 32") for text in code]  # 64 is among the steps
    assert 10 not in only(*longer)


def test_ranges_of_bits_hold_every_result_and_no_more_than_bits_say() -> None:
    for name, compute in (("and", operator.and_), ("or", operator.or_), ("xor", operator.xor)):
        for low, high, constant in itertools.product((0, 5, 8, 12), (12, 15), (0, 3, 8, 12, 15)):
            every = [compute(one, constant) for one in range(low, high + 1)]
            least, most = _COMPUTED[f"{name}_b32"]((low, high), (constant, constant))
            assert least <= min(every), (name, low, high, constant)
            assert max(every) <= most, (name, low, high, constant)
        assert _COMPUTED[f"{name}_b32"]((9, 9), (5, 5)) == (compute(9, 5), compute(9, 5))


def test_a_mask_of_a_lane_number_clears_nothing() -> None:
    assert only(*LANE, "v_and_b32_e32 v4, 63, v3") == {2: False}
    assert only(*LANE, "v_and_b32_e32 v4, 31, v3") == {}
    assert only(*LANE, "v_add_u32_e32 v3, v1, v3", "v_and_b32_e32 v4, 63, v3") == {}
    pair = "global_load_dwordx2 v[2:3], v[0:1], off"
    assert only(*LANE, pair, "v_and_b32_e32 v4, 63, v3") == {}


@pytest.mark.parametrize(
    "wakes",
    [
        "s_or_b64 exec, exec, s[0:1]",
        "s_mov_b64 exec, -1",
        "s_andn2_saveexec_b64 s[2:3], s[0:1]",
        "s_or_saveexec_b64 s[2:3], s[0:1]",
    ],
)
def test_lanes_that_wake_up_hold_something_else(wakes: str) -> None:
    assert only(*LANE, wakes, "v_and_b32_e32 v4, 63, v3") == {}
    assert only(*LANE, "s_and_saveexec_b64 s[2:3], vcc", "v_and_b32_e32 v4, 63, v3") == {3: False}


def test_lanes_that_stay_awake_keep_what_they_hold_from_block_to_block() -> None:
    loop = ("v_and_b32_e32 v4, 63, v3", "s_cmp_lt_u32 s4, 9", "s_cbranch_scc1 65533", "s_endpgm")
    assert only(*LANE, *loop)[2] is False
    wakes = ("v_and_b32_e32 v4, 63, v3", "s_mov_b64 exec, -1", *loop[1:2], "s_cbranch_scc1 65532")
    assert 2 not in only(*LANE, *wakes, "s_endpgm")
    changes = ("v_and_b32_e32 v4, 63, v3", "v_add_u32_e32 v3, 1, v3", *loop[1:2])
    assert 2 not in only(*LANE, *changes, "s_cbranch_scc1 65532", "s_endpgm")


def test_short_constants_have_a_sign() -> None:
    assert only("s_movk_i32 s4, 0xfff0", "s_cmp_lt_i32 s4, 0", "s_endpgm") == {1: True}
    assert only("s_mov_b32 s4, 5", "s_cmpk_gt_i32 s4, 0xfff0", "s_endpgm") == {1: True}


def test_jumps_to_a_register_may_lead_anywhere() -> None:
    assert feasible(listing("s_mov_b32 s4, 1", "s_setpc_b64 s[2:3]")) == Feasible()


def test_the_first_lane_and_the_absolute_value_have_no_sides() -> None:
    first = (
        "v_mbcnt_lo_u32_b32 v2, exec_lo, 0",
        "v_mbcnt_hi_u32_b32 v2, exec_hi, v2",
        "v_cmp_eq_u32_e32 vcc, 0, v2",
        "v_sub_u32_e32 v5, 0, v4",
        "v_max_i32_e32 v5, v4, v5",
        "v_max_i32_e32 v5, v4, v5",  # no longer the negative
    )
    assert feasible(listing(*first)).sideless == {BASE + 8, BASE + 16}


def test_copies_of_the_end_of_a_block() -> None:
    code = (
        "s_cmp_lt_u32 s4, 4",
        "s_cbranch_scc1 4",
        "s_and_b32 s5, s4, 3",
        "s_cmp_eq_u32 s5, 0",
        "s_cbranch_scc0 4",  # to the store
        "s_branch 4",  # to the end
        "s_and_b32 s5, s4, 3",
        "s_cmp_eq_u32 s5, 0",
        "s_cbranch_scc1 1",
        "s_mov_b32 s6, 1",
        "s_endpgm",
    )
    found = copies(listing(*code))
    assert found == {
        BASE + 8: (BASE + 8, BASE + 24),
        BASE + 24: (BASE + 8, BASE + 24),
        BASE + 12: (BASE + 12, BASE + 28),
        BASE + 28: (BASE + 12, BASE + 28),
    }
    elsewhere = (*code[:8], "s_cbranch_scc1 0", *code[9:])
    assert copies(listing(*elsewhere)) == {}


# What clang makes of a[i] / y and a[i] % y.
DIVISION = (
    "v_cvt_f32_u32_e32 v2, s5",
    "s_sub_i32 s0, 0, s5",
    "v_rcp_iflag_f32_e32 v2, v2",
    "v_mul_f32_e32 v2, 0x4f7ffffe, v2",
    "v_cvt_u32_f32_e32 v2, v2",
    "v_mul_lo_u32 v4, s0, v2",
    "v_mul_hi_u32 v4, v2, v4",
    "v_add_u32_e32 v2, v2, v4",
    "v_mul_hi_u32 v2, v3, v2",
    "v_mul_lo_u32 v4, v2, s5",
    "v_sub_u32_e32 v4, v3, v4",
    "v_add_u32_e32 v5, 1, v2",
    "v_cmp_le_u32_e32 vcc, s5, v4",
    "v_cndmask_b32_e32 v2, v2, v5, vcc",
    "v_subrev_u32_e32 v5, s5, v4",
    "v_cndmask_b32_e32 v4, v4, v5, vcc",
    "v_add_u32_e32 v5, 1, v2",
    "v_cmp_le_u32_e32 vcc, s5, v4",
    "v_cndmask_b32_e32 v2, v2, v5, vcc",
    "s_endpgm",
)


def test_corrections_of_a_quotient_have_no_sides() -> None:
    asked = {BASE + 4 * at for at in (12, 13, 15, 17, 18)}
    assert feasible(listing(*DIVISION)).sideless == asked


@pytest.mark.parametrize(
    ("at", "instead"),
    [
        (2, "v_rcp_f32_e32 v2, v2"),  # by hand
        (3, "v_mul_f32_e32 v2, 0x4f000000, v2"),
        (7, "v_add_u32_e32 v2, v2, v6"),
        (9, "v_mul_lo_u32 v4, v2, s6"),  # another divisor
        (10, "v_sub_u32_e32 v4, v6, v4"),  # another number
        (12, "v_cmp_le_u32_e32 vcc, s6, v4"),
        (12, "v_cmp_lt_u32_e32 vcc, s5, v4"),
    ],
)
def test_what_only_looks_like_a_division_has_sides(at: int, instead: str) -> None:
    code = (*DIVISION[:at], instead, *DIVISION[at + 1 :])
    assert BASE + 4 * 12 not in feasible(listing(*code)).sideless


@pytest.mark.parametrize("register", ["s5", "v4"])
def test_a_register_that_is_written_in_between_is_none_of_the_division(register: str) -> None:
    word = "v_mov_b32_e32" if register[0] == "v" else "s_mov_b32"
    code = (*DIVISION[:11], f"{word} {register}, 7", *DIVISION[11:])
    assert feasible(listing(*code)).sideless == frozenset()


@pytest.mark.parametrize("choice", ["v2, v2, v6, vcc", "v2, v6, v5, vcc"])
def test_a_choice_of_something_else_has_sides(choice: str) -> None:
    code = (*DIVISION[:13], f"v_cndmask_b32_e32 {choice}", *DIVISION[14:])
    found = feasible(listing(*code)).sideless
    assert BASE + 4 * 13 not in found
    assert BASE + 4 * 12 in found


# --- against running it ---------------------------------------------------------------------------


@settings(max_examples=400, deadline=None)
@given(programs, st.lists(st.tuples(values, values, values), min_size=4, max_size=12))
def test_nothing_is_said_that_a_run_contradicts(
    program: list[tuple[object, ...]], starts: list[tuple[int, int, int]]
) -> None:
    texts = [text_of(at, one, len(program)) for at, one in enumerate(program)]
    found = feasible(listing(*texts, "s_endpgm"))
    for start in starts:
        machine = Machine(program, start)
        machine.run()
        for at in machine.reached:
            assert found.can_reach(BASE + 4 * at), (texts, start)
        for at, side in machine.sides:
            said = found.only.get(BASE + 4 * at)
            assert said is None or said == side, (texts, start, at)
