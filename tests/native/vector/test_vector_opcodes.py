"""Every vector opcode, in every form the assembler knows, against the Python reference."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Optional

import numpy as np
import pytest
import vector_softfloat as sf
from isa_support import Words
from vector_cases import (
    DPP_CONTROLS,
    EXEC_PATTERNS,
    constant_cases,
    dpp_cases,
    float_formats,
    modifier_cases,
    plain_case,
    random_state,
    sdwa_cases,
)
from vector_machine import TARGETS, Machine, State, assemble, needs_harness, usual_machine
from vector_model import DST, Case, assembly, expected
from vector_reference import FLOATS, REFERENCE

pytestmark = [pytest.mark.native, needs_harness]

CHUNKS = 6  # so that parallel test runs share the work
NAMES = sorted(REFERENCE)
SPECIAL = {  # checked one by one in test_vector_lanes.py
    "v_nop",
    "v_clrexcp",
    "v_readfirstlane_b32",
    "v_readlane_b32",
    "v_writelane_b32",
    "v_swap_b32",
}
# MODE: IEEE off, DX10 clamp off, denormals flushed (f32, f64 and f16, both), directed rounding
MODES = (0x1F0, 0x2F0, 0x3C0, 0x330, 0x300, 0x000, 0x3F5, 0x3FA, 0x3FF)


@pytest.fixture(scope="module")
def machine() -> Machine:
    return usual_machine()


def chunk(index: int) -> list[str]:
    return NAMES[index::CHUNKS]


def encoded(cases: list[Case]) -> list[tuple[Case, Words]]:
    return [(c, w) for c, w in zip(cases, assemble([assembly(c) for c in cases])) if w is not None]


def result_bits(state: State, lane: int, wide: bool) -> int:
    return int(state.vgpr[DST, lane]) | (int(state.vgpr[DST + 1, lane]) << 32 if wide else 0)


def within_ulps(case: Case, got: State, want: State) -> bool:
    """Elementary functions in a whole register may be off by their stated ulps."""
    f = FLOATS.get(case.semantics.dst)
    whole = case.form != "sdwa" and not case.op_sel & 8
    if f is None or not case.semantics.ulps or not whole:
        return False
    pairs = [[result_bits(s, lane, f.width == 64) for s in (got, want)] for lane in range(64)]
    near = [a == b or sf.ulp_distance(f, a, b) <= case.semantics.ulps for a, b in pairs]
    return all(near) and np.array_equal(got.sgpr, want.sgpr)


def difference(case: Case, before: State, got: State) -> Optional[str]:
    want = expected(case, before)
    for name in ("sgpr", "vgpr", "agpr"):
        a, b = getattr(got, name), getattr(want, name)
        if not np.array_equal(a, b) and not within_ulps(case, got, want):
            where = tuple(int(i) for i in np.argwhere(a != b)[0])
            return f"{assembly(case)}: {name}{list(where)} is {a[where]:#x}, not {b[where]:#x}"
    return None


def check(
    machine: Machine, cases: list[tuple[Case, Words]], rng: random.Random, modes: tuple[int, ...]
) -> None:
    problems = []
    for case, words in cases:
        before = random_state(case, rng, rng.choice(modes), rng.choice(EXEC_PATTERNS))
        after = before.copy()
        machine.run(words, after)
        problem = difference(case, before, after)
        problems += [f"{problem} (mode {before.mode:#x})"] if problem else []
    assert not problems, "\n".join(problems[:10])


@pytest.mark.parametrize("index", range(CHUNKS))
def test_plain_forms(machine: Machine, index: int) -> None:
    plain = encoded([plain_case(n) for n in chunk(index)])
    assert len(plain) == len(chunk(index)), "an opcode has no plain form"
    constants = encoded([c for n in chunk(index) for c in constant_cases(n)])
    rng = random.Random(index)
    check(machine, plain + plain + plain + constants, rng, (0x3F0,))


@pytest.mark.parametrize("index", range(CHUNKS))
def test_vop3_modifiers(machine: Machine, index: int) -> None:
    rng = random.Random(100 + index)
    cases = encoded([c for n in chunk(index) for c in modifier_cases(n, rng)])
    check(machine, cases, rng, (0x3F0, 0x1C0))


@pytest.mark.parametrize("index", range(CHUNKS))
def test_sdwa(machine: Machine, index: int) -> None:
    rng = random.Random(200 + index)
    cases = encoded([c for n in chunk(index) for c in sdwa_cases(n, rng)])
    check(machine, cases, rng, (0x3F0,))


@pytest.mark.parametrize("index", range(CHUNKS))
def test_dpp(machine: Machine, index: int) -> None:
    rng = random.Random(300 + index)
    names = [n for n in chunk(index) if not n.startswith("v_cmp")]
    cases = [c for n in names for c in dpp_cases(n, rng, rng.sample(DPP_CONTROLS, 2))]
    wide = [c for n in names for c in dpp_cases(n, rng, ["row_newbcast:5"])]
    check(machine, encoded(cases + wide), rng, (0x3F0,))


def test_dpp_controls(machine: Machine) -> None:
    rng = random.Random(4)
    cases = encoded(list(dpp_cases("v_mov_b32", rng, list(DPP_CONTROLS) * 3)))
    assert len({c.dpp.control for c, _ in cases if c.dpp}) == len(DPP_CONTROLS)
    check(machine, cases, rng, (0x3F0,))


@pytest.mark.parametrize("index", range(CHUNKS))
def test_float_modes(machine: Machine, index: int) -> None:
    rng = random.Random(500 + index)
    names = [n for n in chunk(index) if float_formats(n)]
    cases = encoded([plain_case(n) for n in names] * 3)
    check(machine, cases, rng, MODES)


def test_forms_are_really_tried() -> None:
    """The assembler decides which forms exist; this many opcodes must have them."""

    def opcodes(form: str, cases: Iterator[Case]) -> int:
        return len({c.name for c, _ in encoded([c for c in cases if c.form == form])})

    rng = random.Random(6)
    assert opcodes("sdwa", (c for n in NAMES for c in sdwa_cases(n, rng))) == 243
    assert opcodes("dpp", (c for n in NAMES for c in dpp_cases(n, rng, ["row_newbcast:5"]))) == 135
    assert opcodes("e64", (c for n in NAMES for c in modifier_cases(n, rng))) >= 400
    assert opcodes("vop3p", (c for n in NAMES for c in modifier_cases(n, rng))) == 33


def test_every_opcode_has_a_handler_and_a_reference(machine: Machine) -> None:
    handled = machine.handled()
    vector = {n for n in handled if n.startswith("v_") and not n.startswith(("v_mfma", "v_smfmac"))}
    assert {n for n in vector if not handled[n]} == set()
    assert {n for n in handled if handled[n]} <= vector
    assert vector - set(REFERENCE) == SPECIAL
    assert set(REFERENCE) <= vector


@pytest.mark.parametrize("target", [t for t in TARGETS if t != "avx2"])
@pytest.mark.parametrize("index", range(CHUNKS))
def test_targets_agree(machine: Machine, target: str, index: int) -> None:
    other = Machine(target)
    if not other.supported() or other.target == machine.target:
        pytest.skip(f"this CPU has no {target} beside {machine.target.decode()}")
    rng = random.Random(700 + index)
    cases = encoded(
        [plain_case(n) for n in chunk(index)] * 4
        + [c for n in chunk(index) for c in modifier_cases(n, rng)]
    )
    for case, words in cases:
        state = random_state(case, rng, rng.choice((0x3F0, *MODES)), rng.choice(EXEC_PATTERNS))
        first, second = state.copy(), state.copy()
        machine.run(words, first)
        other.run(words, second)
        for name in ("sgpr", "vgpr", "agpr"):
            assert np.array_equal(getattr(first, name), getattr(second, name)), assembly(case)
