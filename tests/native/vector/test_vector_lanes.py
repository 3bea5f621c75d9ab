"""Lane moves, and properties of whole instruction sequences."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
import vector_softfloat as sf
from vector_cases import moderate_float, special_floats
from vector_machine import (
    EXEC,
    VCC,
    Machine,
    State,
    assemble,
    needs_harness,
    new_state,
    usual_machine,
)
from vector_softfloat import F32, F64, Format

pytestmark = [pytest.mark.native, needs_harness]


@pytest.fixture(scope="module")
def machine() -> Machine:
    return usual_machine()


def run(machine: Machine, state: State, *lines: str) -> State:
    encodings = assemble(lines)
    for line, words in zip(lines, encodings):
        assert words is not None, line
        machine.run(words, state)
    return state


def numbered() -> State:
    """Row r, lane i holds 1000 r + i."""
    state = new_state()
    state.vgpr[:] = np.arange(64, dtype=np.uint32)[:, None] * 1000 + np.arange(64, dtype=np.uint32)
    return state


@pytest.mark.parametrize(("mask", "lane"), [(2**64 - 1, 0), (1 << 63, 63), (0x30, 4), (0, 0)])
def test_readfirstlane_reads_the_first_active_lane(machine: Machine, mask: int, lane: int) -> None:
    state = numbered()
    state.set_pair(EXEC, mask)
    assert run(machine, state, "v_readfirstlane_b32 s5, v7").sgpr[5] == 7000 + lane


def test_readlane_and_writelane_ignore_exec(machine: Machine) -> None:
    state = numbered()
    state.set_pair(EXEC, 0)
    state.sgpr[3] = 64 + 9  # only six bits count
    run(machine, state, "v_readlane_b32 s5, v7, s3", "v_readlane_b32 s6, v7, 31")
    assert (state.sgpr[5], state.sgpr[6]) == (7009, 7031)
    state.sgpr[124] = 62
    run(machine, state, "v_writelane_b32 v8, s5, m0", "v_writelane_b32 v8, 1.0, 3")
    assert (state.vgpr[8, 62], state.vgpr[8, 3], state.vgpr[8, 4]) == (7009, 0x3F800000, 8004)


def test_swap_exchanges_active_lanes(machine: Machine) -> None:
    state = numbered()
    state.set_pair(EXEC, 0b101)
    run(machine, state, "v_swap_b32 v1, v2")
    assert list(state.vgpr[1, :4]) == [2000, 1001, 2002, 1003]
    assert list(state.vgpr[2, :4]) == [1000, 2001, 1002, 2003]


def test_nothing_changes_nothing(machine: Machine) -> None:
    state = numbered()
    before = state.copy()
    run(machine, state, "v_nop", "v_clrexcp")
    assert np.array_equal(state.vgpr, before.vgpr)
    assert np.array_equal(state.sgpr, before.sgpr)


def test_lane_numbers_by_mbcnt(machine: Machine) -> None:
    state = run(
        machine, new_state(), "v_mbcnt_lo_u32_b32 v0, -1, 0", "v_mbcnt_hi_u32_b32 v0, -1, v0"
    )
    assert list(state.vgpr[0]) == list(range(64))


def test_destination_may_overlap_sources(machine: Machine) -> None:
    state = numbered()
    state.vgpr[3] = 5
    low, high = state.vgpr[2].copy(), state.vgpr[3].copy()
    run(machine, state, "v_lshl_add_u64 v[2:3], v[2:3], 2, v[2:3]")
    total = (low.astype(np.uint64) | high.astype(np.uint64) << np.uint64(32)) * np.uint64(5)
    assert np.array_equal(state.vgpr[2], (total & np.uint64(0xFFFFFFFF)).astype(np.uint32))
    assert np.array_equal(state.vgpr[3], (total >> np.uint64(32)).astype(np.uint32))
    state = numbered()
    run(machine, state, "v_mad_u64_u32 v[4:5], s[0:1], v5, v4, v[4:5]")
    for lane in (0, 17, 63):
        a, b = 5000 + lane, 4000 + lane
        exact = a * b + (b | a << 32)
        assert int(state.vgpr[4, lane]) | int(state.vgpr[5, lane]) << 32 == exact


def pairs_of(state: State, row: int) -> np.ndarray:
    low, high = state.vgpr[row].astype(np.uint64), state.vgpr[row + 1].astype(np.uint64)
    return low | high << np.uint64(32)


@pytest.mark.parametrize("mask", [2**64 - 1, 0x8000_F00F_1234_0001])
@pytest.mark.parametrize("sources", ["v[2:3], 0, v[6:7]", "s[4:5], 0, v[6:7]", "v[2:3], 0, s[4:5]"])
@pytest.mark.parametrize("target", [4, 2, 6])  # apart from the sources, or one of them
def test_a_sum_of_64_bits_carries(machine: Machine, mask: int, sources: str, target: int) -> None:
    """Shifted by none, as compilers add."""
    state = new_state()
    draw = np.random.default_rng(64)
    state.vgpr[2:8] = draw.choice([0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF], (6, 64))
    state.set_pair(4, 0xFFFFFFFF_80000001)
    state.set_pair(EXEC, mask)
    rows = {"v[2:3]": pairs_of(state, 2), "v[6:7]": pairs_of(state, 6)}
    rows["s[4:5]"] = np.full(64, state.pair(4), np.uint64)
    first, _, last = sources.split(", ")
    is_on = np.array([mask >> lane & 1 for lane in range(64)], bool)
    expected = np.where(is_on, rows[first] + rows[last], pairs_of(state, target))
    run(machine, state, f"v_lshl_add_u64 v[{target}:{target + 1}], {sources}")
    np.testing.assert_array_equal(pairs_of(state, target), expected)


@pytest.mark.parametrize("lane", [0, 15, 16, 31, 32, 47, 48, 63])
@pytest.mark.parametrize("operand", [2, 4, 6])  # the product's sources, and what is added to
def test_one_nan_of_64_lanes_where_the_result_is_a_source(
    machine: Machine, lane: int, operand: int
) -> None:
    """The lanes before it are written already when it is found; none is computed twice."""
    state = new_state()
    for row in range(2, 8):
        state.vgpr[row] = (np.arange(64) + row).astype(np.float32).view(np.uint32)
    half = lane % 2  # which of the two the packed instruction has there
    state.vgpr[operand + half, lane] = 0x7F80_0000 | 0x1000 + lane  # signalling, and its own
    rows = state.vgpr[:8].copy().view(np.float32)
    with np.errstate(invalid="ignore"):
        expected = (rows[2:4] * rows[4:6] + rows[6:8]).view(np.uint32)
    expected[half, lane] = 0x7FC0_0000 | 0x1000 + lane
    packed = run(machine, state.copy(), "v_pk_fma_f32 v[6:7], v[2:3], v[4:5], v[6:7]")
    np.testing.assert_array_equal(packed.vgpr[6:8], expected)
    single = run(machine, state, f"v_fma_f32 v{6 + half}, v{2 + half}, v{4 + half}, v{6 + half}")
    np.testing.assert_array_equal(single.vgpr[6 + half], expected[half])


def test_comparison_clears_inactive_bits_and_cmpx_narrows_exec(machine: Machine) -> None:
    state = numbered()
    state.set_pair(EXEC, 0xFF00)
    state.set_pair(VCC, 2**64 - 1)
    run(machine, state, "v_cmp_gt_u32 vcc, 10, v0")
    assert state.pair(VCC) == 0x0300
    run(machine, state, "v_cmpx_eq_u32 vcc, 9, v0")
    assert state.pair(EXEC) == state.pair(VCC) == 0x0200


# --- Division as compilers expand it -------------------------------------------------------------

# n in v[4:5], d in v[8:9]; the quotient ends in v[20:21].
DIVISION: dict[str, tuple[str, ...]] = {
    "f32": (
        "v_div_scale_f32 v10, s[0:1], v8, v8, v4",
        "v_div_scale_f32 v12, vcc, v4, v8, v4",
        "v_rcp_f32 v14, v10",
        "v_fma_f32 v16, -v10, v14, 1.0",
        "v_fma_f32 v14, v16, v14, v14",
        "v_mul_f32 v16, v12, v14",
        "v_fma_f32 v18, -v10, v16, v12",
        "v_fma_f32 v16, v18, v14, v16",
        "v_fma_f32 v10, -v10, v16, v12",
        "v_div_fmas_f32 v10, v10, v14, v16",
        "v_div_fixup_f32 v20, v10, v8, v4",
    ),
    "f64": (
        "v_div_scale_f64 v[10:11], s[0:1], v[8:9], v[8:9], v[4:5]",
        "v_rcp_f64 v[14:15], v[10:11]",
        "v_fma_f64 v[16:17], -v[10:11], v[14:15], 1.0",
        "v_fma_f64 v[14:15], v[14:15], v[16:17], v[14:15]",
        "v_fma_f64 v[16:17], -v[10:11], v[14:15], 1.0",
        "v_div_scale_f64 v[12:13], vcc, v[4:5], v[8:9], v[4:5]",
        "v_fma_f64 v[14:15], v[14:15], v[16:17], v[14:15]",
        "v_mul_f64 v[16:17], v[12:13], v[14:15]",
        "v_fma_f64 v[10:11], -v[10:11], v[16:17], v[12:13]",
        "v_div_fmas_f64 v[10:11], v[10:11], v[14:15], v[16:17]",
        "v_div_fixup_f64 v[20:21], v[10:11], v[8:9], v[4:5]",
    ),
}


def quotient(f: Format, n: int, d: int) -> int:
    nan = sf.first_nan(f, n, d)
    sign = (n ^ d) & f.sign
    if nan is not None:
        return nan
    if (sf.is_zero(f, n) and sf.is_zero(f, d)) or (sf.is_inf(f, n) and sf.is_inf(f, d)):
        return f.default_nan
    if sf.is_zero(f, d) or sf.is_inf(f, n):
        return sign | f.infinity
    if sf.is_inf(f, d):
        return sign
    return sf.encode(f, sf.value(f, n) / sf.value(f, d), zero_sign=bool(sign))


def division_operands(f: Format, rng: random.Random) -> list[tuple[int, int]]:
    """Random bits (all exponents), special values, and quotients near both ends of the range."""
    specials = [s for s in special_floats(f) if not sf.is_nan(f, s)]
    pairs = [(rng.getrandbits(f.width), rng.getrandbits(f.width)) for _ in range(640)]
    pairs += [(rng.choice(specials), rng.choice(specials)) for _ in range(256)]
    for _ in range(640):
        a, b = moderate_float(f, rng), moderate_float(f, rng)
        shift = rng.choice((1, -1)) * rng.randint(f.bias - 30, f.bias + f.mantissa_bits)
        half = shift // 2
        pairs.append((sf.ldexp(f, a, half), sf.ldexp(f, b, half - shift)))
    pairs += end_quotients(f, rng)
    return [p for p in pairs if not any(sf.is_signaling(f, x) for x in p)]


def end_quotients(f: Format, rng: random.Random) -> list[tuple[int, int]]:
    """Operands at the ends of the range and beside powers of two, and denormal quotients that lie
    halfway between two numbers or right beside that."""
    one, top = f.bias << f.mantissa_bits, f.infinity - 1
    last = (1 << f.mantissa_bits) - 1  # the largest denormal
    ends = [1, 2, 3, last - 1, last, last + 1, last + 2, top - 1, top, 2 << f.mantissa_bits]
    ends += [one + k for k in (-2, -1, 0, 1, 2)] + [one + last, one + last - 1]
    pairs = [(n, d) for n in ends for d in ends]
    for _ in range(640):
        odd = (rng.getrandbits(f.mantissa_bits) >> rng.randrange(f.mantissa_bits)) | 1
        bits = odd.bit_length()
        half = sf.encode(f, Fraction(odd, 1 << (bits - 1)))  # ends one bit below a denormal's
        places = f.bias - 1 + f.mantissa_bits - bits + 2
        n = half + rng.choice((0, 0, 1, -1, 2))
        d = one + rng.choice((0, 0, 1, -1, 3))
        pairs.append((sf.ldexp(f, n, -(places // 2)), sf.ldexp(f, d, places - places // 2)))
    return pairs


@pytest.mark.parametrize(("name", "f"), [("f32", F32), ("f64", F64)])
def test_division_sequence_is_correctly_rounded(machine: Machine, name: str, f: Format) -> None:
    pairs = division_operands(f, random.Random(8))
    encodings = assemble(DIVISION[name])
    assert None not in encodings
    for start in range(0, len(pairs) - 63, 64):
        state = new_state()
        for lane, (n, d) in enumerate(pairs[start : start + 64]):
            for k in range(2):
                state.vgpr[4 + k, lane], state.vgpr[8 + k, lane] = (
                    n >> 32 * k & 0xFFFFFFFF,
                    d >> 32 * k & 0xFFFFFFFF,
                )
        for words in encodings:
            assert words is not None
            machine.run(words, state)
        for lane, (n, d) in enumerate(pairs[start : start + 64]):
            got = int(state.vgpr[20, lane]) | (int(state.vgpr[21, lane]) << 32 if f is F64 else 0)
            want = quotient(f, n, d)
            assert got == want, f"{n:#x} / {d:#x} = {got:#x}, not {want:#x}"


@pytest.mark.parametrize("turns", [Fraction(1, 8), Fraction(-3, 8), Fraction(5, 4), Fraction(255)])
def test_sine_and_cosine_lie_on_the_circle(machine: Machine, turns: Fraction) -> None:
    state = new_state()
    state.vgpr[0] = sf.encode(F32, turns)
    run(machine, state, "v_sin_f32 v1, v0", "v_cos_f32 v2, v0")
    s, c = (sf.value(F32, int(state.vgpr[k, 0])) for k in (1, 2))
    assert abs(s * s + c * c - 1) < Fraction(1, 2**22)
