"""Sides that the solver excludes, against running the code."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from listing_support import listing
from scalar_machine import MASK, Machine, programs, signed, text_of, values

from rocm_perf_lab.prove.oracle.executed.solver import ask
from rocm_perf_lab.prove.oracle.executed.solver.ask import MOST_QUESTIONS, Solver
from rocm_perf_lab.prove.oracle.executed.unseen import (
    CLEARED,
    NEVER,
    ONLY_FIRST,
    ONLY_SECOND,
    Unseen,
)

z3 = pytest.importorskip("z3", reason="z3-solver is not installed")


def may_be_shown(code: tuple[str, ...], at: int, what: str) -> bool:
    asked = Unseen(4 * at, what, code[at], "", ("", ""))
    return bool(Solver(listing(*code)).possible([asked]))


# --- what compilers write -------------------------------------------------------------------------

# Lanes with equal keys leave a loop together; each keeps the mask of those that left with it.
LEAVING = (
    "s_mov_b64 s[0:1], 0",
    "v_readfirstlane_b32 s13, v0",
    "v_cmp_eq_u32_e64 s[14:15], s13, v0",
    "s_or_b64 s[0:1], s[14:15], s[0:1]",
    "v_mov_b64_e32 v[4:5], s[14:15]",
    "s_andn2_b64 exec, exec, s[0:1]",
    "s_cbranch_execnz 65530",
    "s_or_b64 exec, exec, s[0:1]",
    "v_cmp_ne_u64_e32 vcc, 0, v[4:5]",
    "s_endpgm",
)


def test_the_mask_of_a_lane_that_left_a_loop_has_that_lane() -> None:
    assert not may_be_shown(LEAVING, 8, ONLY_FIRST)
    assert may_be_shown(LEAVING, 8, ONLY_SECOND)


@pytest.mark.parametrize(
    ("at", "instead"),
    [
        (0, "s_mov_b64 s[0:1], s[2:3]"),  # lanes are in the mask that never left
        (3, "s_or_b64 s[0:1], s[16:17], s[0:1]"),
        (4, "v_mov_b64_e32 v[4:5], s[16:17]"),
        (4, "v_mov_b64_e32 v[4:5], v[6:7]"),
        (7, "s_mov_b64 exec, -1"),
    ],
)
def test_what_only_looks_like_it_may_be_shown(at: int, instead: str) -> None:
    code = (*LEAVING[:at], instead, *LEAVING[at + 1 :])
    assert may_be_shown(code, 8, ONLY_FIRST)


def test_what_an_earlier_iteration_left_is_kept_only_if_every_one_keeps_it() -> None:
    earlier = (*LEAVING[:7], "s_andn2_b64 exec, s[0:1], s[14:15]", *LEAVING[8:])
    assert not may_be_shown(earlier, 8, ONLY_FIRST)
    other = (*earlier[:4], "v_mov_b64_e32 v[4:5], s[16:17]", *earlier[5:])
    assert may_be_shown(other, 8, ONLY_FIRST)


# The lane's value is 3 all the time; no way that goes round once leads out of the loop.
HELD = (
    "s_mov_b64 exec, -1",
    "s_mov_b32 s4, 0",
    "v_mov_b32_e32 v4, 3",
    "v_mov_b32_e32 v4, v4",  # a loop that writes it
    "s_add_i32 s4, s4, 1",
    "s_cmp_lt_i32 s4, 4",
    "s_cbranch_scc1 65532",
    "v_cmp_eq_u32_e32 vcc, 3, v4",
    "s_endpgm",
)
# The first iteration makes it 3, the others leave it.
BROKEN = (
    "s_mov_b64 exec, -1",
    "s_mov_b32 s4, 0",
    "v_mov_b32_e32 v4, 0",
    "s_cmp_lg_u32 s4, 0",
    "s_cbranch_scc1 1",
    "v_mov_b32_e32 v4, 3",
    "s_add_i32 s4, s4, 1",
    "s_cmp_lt_i32 s4, 4",
    "s_cbranch_scc1 65530",
    "v_cmp_eq_u32_e32 vcc, 3, v4",
    "s_endpgm",
)


# The same, but the first iteration goes round by a branch of its own.
BROKEN_ON_ONE_WAY = (
    *BROKEN[:3],
    "s_cmp_lg_u32 s4, 0",
    "s_cbranch_scc1 3",
    "v_mov_b32_e32 v4, 3",
    "s_add_i32 s4, s4, 1",
    "s_branch 65531",
    "s_add_i32 s4, s4, 1",
    "s_cmp_lt_i32 s4, 4",
    "s_cbranch_scc1 65528",
    "v_cmp_eq_u32_e32 vcc, 3, v4",
    "s_endpgm",
)
# That no lane of the mask has a 3 would be kept if no lane had one, which the first one breaks.
BROKEN_FOR_THE_REST = (
    "s_mov_b64 exec, -1",
    "s_mov_b32 s4, 0",
    "s_mov_b64 s[0:1], 0",
    "v_mov_b32_e32 v4, 0",
    "s_cmp_lg_u32 s4, 0",
    "s_cbranch_scc1 2",
    "v_mov_b32_e32 v4, 3",
    "s_mov_b64 s[0:1], 0",
    "s_cmp_lg_u32 s4, 1",
    "s_cbranch_scc1 1",
    "s_mov_b64 s[0:1], -1",
    "s_add_i32 s4, s4, 1",
    "s_cmp_lt_i32 s4, 4",
    "s_cbranch_scc1 65526",
    "s_mov_b64 exec, s[0:1]",
    "v_cmp_eq_u32_e32 vcc, 3, v4",
    "s_endpgm",
)


def test_what_iterations_keep_has_to_hold_when_a_loop_is_entered() -> None:
    assert may_be_shown(HELD, 7, ONLY_SECOND)
    assert not may_be_shown((*HELD[:2], "v_mov_b32_e32 v4, 2", *HELD[3:]), 7, ONLY_SECOND)


@pytest.mark.parametrize("code", [BROKEN, BROKEN_ON_ONE_WAY, BROKEN_FOR_THE_REST])
def test_what_holds_when_a_loop_is_entered_has_to_be_kept_by_iterations(
    code: tuple[str, ...],
) -> None:
    at = len(code) - 2
    assert may_be_shown(code, at, ONLY_SECOND)
    never = tuple(one.replace("v_mov_b32_e32 v4, 3", "v_mov_b32_e32 v4, 2") for one in code)
    assert not may_be_shown(never, at, ONLY_SECOND)


def test_a_loop_may_have_gone_round_often() -> None:
    code = (
        "s_mov_b32 s4, 0",
        "s_cmp_eq_u32 s4, 5",
        "s_add_i32 s4, s4, 1",
        "s_cmp_lg_u32 s4, s5",
        "s_cbranch_scc1 65532",
        "s_endpgm",
    )
    assert may_be_shown(code, 1, ONLY_SECOND)


FLAGS = (
    "s_bcnt1_i32_b64 s0, exec",
    "s_mov_b32 s1, 0",
    "s_mov_b64 s[8:9], -1",
    "s_cmp_lg_u32 s0, 64",
    "s_cbranch_scc0 1",
    "s_mov_b64 s[8:9], 0",
    "s_and_b64 vcc, exec, s[8:9]",
    "s_cbranch_vccz 2",
    "v_cmp_lt_u64_e64 s[4:5], s[0:1], 2",
    "s_cmp_lt_u32 s0, 64",
    "s_endpgm",
)


def test_flags_exclude_what_was_asked_before() -> None:
    assert not may_be_shown(FLAGS, 8, ONLY_SECOND)
    assert may_be_shown(FLAGS, 8, ONLY_FIRST)
    assert not may_be_shown(FLAGS, 9, ONLY_SECOND)
    open_ = (*FLAGS[:5], "s_mov_b64 s[8:9], s[2:3]", *FLAGS[6:])
    assert may_be_shown(open_, 8, ONLY_SECOND)


def test_a_branch_on_no_lanes_keeps_some() -> None:
    code = (
        "v_cmp_gt_u32_e32 vcc, s4, v0",
        "s_and_saveexec_b64 s[2:3], vcc",
        "s_cbranch_execz 1",
        "s_cmp_eq_u64 exec, 0",
        "s_endpgm",
    )
    assert not may_be_shown(code, 3, ONLY_SECOND)
    assert may_be_shown((*code[:2], "s_nop 0", *code[3:]), 3, ONLY_SECOND)


def test_the_first_active_lane_equals_what_is_read_from_it() -> None:
    code = ("v_readfirstlane_b32 s2, v1", "v_cmp_eq_u32_e32 vcc, s2, v1", "s_cmp_eq_u64 vcc, 0")
    assert not may_be_shown((*code, "s_endpgm"), 2, ONLY_SECOND)
    assert may_be_shown((*code, "s_endpgm"), 1, ONLY_FIRST)  # in another lane


@pytest.mark.parametrize(
    "writes",
    ["v_cmpx_lt_u32_e32 vcc, 1, v0", "s_mov_b64 exec, s[6:7]", "s_or_saveexec_b64 s[2:3], s[4:5]"],
)
def test_lanes_may_change_in_between(writes: str) -> None:
    code = ("v_mov_b32_e32 v1, 3", writes, "v_cmp_eq_u32_e32 vcc, 3, v1", "s_endpgm")
    assert may_be_shown(code, 2, ONLY_FIRST)
    assert not may_be_shown((code[0], *code[2:]), 1, ONLY_FIRST)


@pytest.mark.parametrize("unknown", ["v_swap_b32 v2, v1", "v_add_co_u32_e32 v2, vcc, v1, v3"])
def test_an_unknown_instruction_may_leave_anything_where_it_writes(unknown: str) -> None:
    code = ("v_mov_b32_e32 v1, 3", "s_mov_b64 vcc, 0", unknown)
    asked = "v_cmp_eq_u32_e64 s[0:1], 3, v1" if "swap" in unknown else "s_cmp_eq_u64 vcc, 0"
    assert may_be_shown((*code, asked, "s_endpgm"), 3, ONLY_FIRST)


@pytest.mark.parametrize("jumps", ["s_setpc_b64 s[2:3]", "s_set_gpr_idx_on s2, gpr_idx(DST)"])
def test_nothing_is_excluded_where_registers_tell_places(jumps: str) -> None:
    assert may_be_shown(("s_mov_b32 s4, 1", "s_cmp_eq_u32 s4, 1", jumps), 1, ONLY_FIRST)


def test_nothing_is_excluded_without_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ask, "installed", lambda: None)
    assert may_be_shown(FLAGS, 8, ONLY_SECOND)


def test_many_questions_are_not_asked() -> None:
    asked = [Unseen(32, ONLY_SECOND, FLAGS[8], "", ("", ""))] * (MOST_QUESTIONS + 1)
    assert len(Solver(listing(*FLAGS)).possible(asked)) == MOST_QUESTIONS + 1


# --- against running it ---------------------------------------------------------------------------


class Precise(Machine):
    """With SCC as the instructions leave it."""

    def compute(self, at: int, name: str, a: int, b: int = 0) -> int:
        result = super().compute(at, name, a, b)
        if name in ("s_add_i32", "s_sub_i32"):
            sign = 1 if name == "s_add_i32" else -1
            exact = signed(a) + sign * signed(b)
            self.scc = int(not -(1 << 31) <= exact < 1 << 31)
        elif name in ("s_min_u32", "s_max_u32"):
            self.scc = int(a < b if name == "s_min_u32" else a > b)
        elif name not in ("s_mov_b32", "s_mul_i32", "s_cselect_b32"):
            self.scc = int(result & MASK != 0)
        if name in ("s_min_u32", "s_max_u32"):
            wins = a < b if name == "s_min_u32" else a > b
            loses = a > b if name == "s_min_u32" else a < b
            self.sides |= {(at, True)} if wins else {(at, False)} if loses else set()
        return result


@settings(max_examples=400, deadline=None)
@given(programs, st.lists(st.tuples(values, values, values), min_size=1, max_size=4))
def test_nothing_is_excluded_that_a_run_shows(
    program: list[tuple[object, ...]], starts: list[tuple[int, int, int]]
) -> None:
    texts = [text_of(at, one, len(program)) for at, one in enumerate(program)]
    solver = Solver(listing(*texts, "s_endpgm"))
    shown: set[tuple[int, str]] = set()
    for start in starts:
        machine = Precise(program, start)
        machine.run()
        shown |= {(at, NEVER) for at in list(machine.reached)[-2:]}
        for at, side in machine.sides:
            if not texts[at].startswith("s_and"):
                shown.add((at, ONLY_SECOND if side else ONLY_FIRST))
            elif side:
                shown.add((at, CLEARED))
    wanted = [Unseen(4 * at, what, texts[at], "", ("", "")) for at, what in sorted(shown)]
    for one in wanted:
        assert solver.possible([one]) == (one,), (texts, starts, one)
