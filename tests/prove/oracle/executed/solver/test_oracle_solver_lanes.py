"""The solver against running programs of masks, vectors and loops that lanes leave."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import Instruction, Lanes, text_of
from listing_support import listing

from rocm_perf_lab.prove.oracle.executed.solver.ask import Solver
from rocm_perf_lab.prove.oracle.executed.unseen import (
    CLEARED,
    NEVER,
    ONLY_FIRST,
    ONLY_SECOND,
    Unseen,
)

pytest.importorskip("z3", reason="z3-solver is not installed")

_RUNS = 4

vectors = st.sampled_from(["v0", "v1", "v2", "v3"])
masks = st.sampled_from(["s[0:1]", "s[2:3]", "vcc"])
numbers = st.sampled_from(["0", "1", "2", "3", "-1"])
words = st.one_of(vectors, vectors, numbers, st.sampled_from(["s8", "s9"]))
targets = st.one_of(masks, masks, st.just("exec"))
pairs = st.one_of(masks, masks, st.sampled_from(["exec", "0", "-1"]))
relations = st.sampled_from(["lt_u32", "ge_i32", "eq_u32", "ne_u32"])


def made(*parts: Any) -> st.SearchStrategy[Instruction]:
    return st.tuples(*[st.just(one) if isinstance(one, str) else one for one in parts])


compared = made(relations.map(lambda one: f"v_cmp_{one}_e64"), masks, words, vectors)
plain = st.one_of(
    made("v_mov_b32_e32", vectors, words),
    made(
        st.sampled_from(["v_add_u32_e32", "v_sub_u32_e32", "v_lshlrev_b32_e32"]),
        vectors, words, vectors,
    ),
    made(st.sampled_from(["v_and_b32_e32", "v_min_u32_e32", "v_max_u32_e32"]),
         vectors, words, vectors),
    made("v_cndmask_b32_e64", vectors, words, vectors, masks),
    made("v_readfirstlane_b32", st.sampled_from(["s8", "s9"]), vectors),
    compared,
    compared,
    made(st.sampled_from(["s_and_b64", "s_or_b64", "s_xor_b64", "s_andn2_b64"]),
         targets, pairs, pairs),
    made("s_mov_b64", targets, pairs),
    made(st.sampled_from(["s_and_saveexec_b64", "s_or_saveexec_b64", "s_andn2_saveexec_b64"]),
         masks, masks),
    made(st.sampled_from(["s_add_u32", "s_and_b32"]),
         st.sampled_from(["s8", "s9"]), st.sampled_from(["s8", "s9"]), numbers),
    made(st.sampled_from(["s_cmp_eq_u32", "s_cmp_lt_u32"]), st.just("s8"), numbers),
    made(st.sampled_from(["s_cmp_eq_u64", "s_cmp_lg_u64"]), pairs, st.just("0")),
)  # fmt: skip
branches = st.sampled_from(
    ["s_cbranch_execz", "s_cbranch_execnz", "s_cbranch_vccz", "s_cbranch_vccnz",
     "s_cbranch_scc0", "s_cbranch_scc1"]
)  # fmt: skip
Block = list[Instruction]  # branches by distance


def guarded(condition: Instruction, saved: str, body: Block) -> Block:
    mask = condition[1]
    return [
        condition, ("s_and_saveexec_b64", saved, mask), ("s_cbranch_execz", len(body) + 1),
        *body, ("s_or_b64", "exec", "exec", saved),
    ]  # fmt: skip


def left(start: Block, body: Block, condition: Instruction, gone: str) -> Block:
    """A loop in which lanes stop one after the other."""
    inside = [
        *body, condition, ("s_or_b64", gone, gone, condition[1]),
        ("s_andn2_b64", "exec", "exec", gone),
    ]  # fmt: skip
    back = ("s_cbranch_execnz", -len(inside))
    return [*start, ("s_mov_b64", gone, "0"), *inside, back, ("s_or_b64", "exec", "exec", gone)]


def repeated(body: Block, asked: str) -> Block:
    """A loop that a scalar counts or a mask ends."""
    return [*body, (asked, -len(body))]


def blocks(depth: int) -> st.SearchStrategy[Block]:
    few = st.lists(plain, min_size=1, max_size=3)
    if depth == 0:
        return few
    inner = blocks(depth - 1)
    return st.one_of(
        few,
        st.builds(guarded, compared, masks, inner),
        st.builds(left, few, inner, compared, masks),
        st.builds(repeated, inner, branches),
        st.lists(inner, min_size=2, max_size=2).map(lambda both: [*both[0], *both[1]]),
    )


def placed(block: Block) -> list[Instruction]:
    """With indices for distances."""
    return [
        (one[0], at + int(str(one[1])) + (int(str(one[1])) >= 0))
        if "branch" in str(one[0])
        else one
        for at, one in enumerate(block)
    ]


def whole(constants: list[str], filled: list[str], body: Block, ends: Block) -> list[Instruction]:
    """With all registers but one set before: of what is unknown too much is possible."""
    start: Block = [("v_mov_b32_e32", f"v{n + 1}", one) for n, one in enumerate(constants)]
    start += [("s_mov_b64", mask, one) for mask, one in zip(("s[0:1]", "s[2:3]", "vcc"), filled)]
    return placed([("s_mov_b32", "s8", "0"), *start, *body, *ends])


asked = st.one_of(
    made("v_cmp_eq_u32_e64", st.just("vcc"), numbers, vectors),
    made("v_cndmask_b32_e64", st.just("v0"), st.just("0"), st.just("v1"), masks),
    made("s_cmp_eq_u64", masks, st.just("0")),
)
programs = st.builds(
    whole,
    st.lists(numbers, min_size=3, max_size=3),
    st.lists(st.sampled_from(["0", "-1"]), min_size=3, max_size=3),
    blocks(2),
    st.lists(asked, min_size=2, max_size=2),
)


def sides_of(program: list[Instruction], seed: int) -> set[tuple[int, str]]:
    found: set[tuple[int, str]] = set()
    for run in range(_RUNS):
        machine = Lanes(program, seed + run)
        machine.run()
        for at, side in machine.shown:
            name = str(program[at][0])
            if side is None:
                found.add((at, NEVER))
            elif name.startswith("v_and"):
                found.add((at, CLEARED))
            else:
                found.add((at, ONLY_SECOND if side else ONLY_FIRST))
    return found


@settings(max_examples=30, deadline=None)
@given(programs, st.integers(0, 1 << 20))
def test_nothing_is_excluded_that_a_run_of_lanes_shows(
    program: list[Instruction], seed: int
) -> None:
    texts = [text_of(at, one) for at, one in enumerate(program)]
    solver = Solver(listing(*texts, "s_endpgm"))
    shown = [one for one in sorted(sides_of(program, seed)) if "branch" not in texts[one[0]]]
    for at, what in shown[-4:]:  # what is last lies behind the most
        one = Unseen(4 * at, what, texts[at], "", ("", ""))
        assert solver.possible([one]) == (one,), (texts, seed, one)
