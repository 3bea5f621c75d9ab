"""Every MFMA and SMFMAC against an element-by-element reference, on every host instruction set."""

from __future__ import annotations

import ctypes
import functools
import zlib
from typing import Optional

import numpy as np
import pytest
from isa_support import built
from matrix_reference import (
    INDEX,
    A,
    Array,
    B,
    C,
    D,
    Operands,
    decode,
    expand,
    fma32,
    gather_result,
    instructions,
    matrices,
    result_values,
)

pytestmark = [
    pytest.mark.native,
    pytest.mark.skipif(
        built("libmatrix_harness.so") is None,
        reason="the matrix harness is not built (run `make native`)",
    ),
]

ALL = instructions()
MULTI_BLOCK = [n for n, op in ALL.items() if op.blocks > 1 and op.result != "f64"]
BASELINE, AVX2, AVX512 = "baseline", "avx2", "avx512"
DEFAULT_NAN = {"f32": 0xFFC00000, "f64": 0xFFF8000000000000}


@functools.cache
def library() -> ctypes.CDLL:
    return ctypes.CDLL(str(built("libmatrix_harness.so")))


def execute(words: tuple[int, int], vgpr: Array, agpr: Array, host: str) -> bool:
    """Runs the instruction on the registers; False when this CPU lacks the instruction set."""
    code = (ctypes.c_uint32 * 2)(*words)
    pointer = ctypes.POINTER(ctypes.c_uint32)
    status = library().matrix_run(
        code, host.encode(), vgpr.ctypes.data_as(pointer), agpr.ctypes.data_as(pointer)
    )
    assert status == 0 or host != BASELINE, "the instruction did not decode or has no handler"
    return bool(status == 0)


def generator(name: str) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(name.encode()))


def bits_per_element(kind: str) -> int:
    return {"f16": 16, "bf16": 16, "i8": 8, "fp8": 8, "bf8": 8, "f64": 64}.get(kind, 32)


def small_integers(rng: np.random.Generator, shape: tuple[int, ...], kind: str) -> Array:
    """Bits of -3..3 in any type: all sums of products stay exact."""
    values = rng.integers(-3, 4, shape)
    if kind == "f64":
        return values.astype(np.float64).view(np.uint64)
    if kind in ("i8", "i32"):
        return values.astype(np.int32).view(np.uint32) & (0xFF if kind == "i8" else 0xFFFFFFFF)
    if kind in ("fp8", "bf8"):
        codes = np.arange(256, dtype=np.uint32)
        table = {int(v): int(c) for c, v in zip(codes, decode(codes, kind)) if v in range(-3, 4)}
        return np.asarray(np.vectorize(table.__getitem__)(values), dtype=np.uint32)
    if kind == "f16":
        return values.astype(np.float16).view(np.uint16).astype(np.uint32)
    single = values.astype(np.float32).view(np.uint32)
    return single >> 16 if kind == "bf16" else single


def random_bits(rng: np.random.Generator, shape: tuple[int, ...], kind: str) -> Array:
    return rng.integers(0, 1 << bits_per_element(kind), shape, dtype=np.uint64)


def run(
    operands: Operands,
    host: str = BASELINE,
    acc: tuple[bool, bool, bool] = (False, False, False),
    **modifiers: int,
) -> Optional[Array]:
    """D as raw bits in register order, None when this CPU lacks the instruction set."""
    op = operands.op
    vgpr, agpr = operands.registers(acc)
    words = op.encode(D, A, B, INDEX if op.sparse else C, acc=acc, **modifiers)
    if not execute(words, vgpr, agpr, host):
        return None
    rows = (agpr if acc[2] else vgpr)[D : D + op.outputs * (2 if op.result == "f64" else 1)]
    if op.result != "f64":
        return rows.astype(np.uint64)
    pairs = rows.reshape(-1, 2, 64).astype(np.uint64)
    return np.asarray(pairs[:, 0] | pairs[:, 1] << np.uint64(32))


def exact(operands: Operands, c: Array, **modifiers: int) -> Array:
    """A * B + C for inputs whose sums are exact in double precision."""
    a, b = matrices(operands, **modifiers)
    return np.asarray(a @ b + c)


def check_exact(operands: Operands, got: Optional[Array], **modifiers: int) -> None:
    op = operands.op
    assert got is not None
    c = result_values(op, gather_result(op, operands.c))
    expected = exact(operands, c, **modifiers)
    np.testing.assert_array_equal(result_values(op, gather_result(op, got)), expected)


# --- Layouts, broadcasts, register files ----------------------------------------------------------


def test_all_matrix_instructions_are_here() -> None:
    assert len(ALL) == 46
    assert sum(op.sparse for op in ALL.values()) == 14


@pytest.mark.parametrize("name", ALL)
def test_layout(name: str) -> None:
    operands = Operands(ALL[name], small_integers, generator(name))
    check_exact(operands, run(operands))


@pytest.mark.parametrize("acc", [(True, False, False), (False, True, True), (True, True, True)])
@pytest.mark.parametrize(
    "name", ["v_mfma_f32_32x32x8_f16", "v_mfma_f64_16x16x4_f64", "v_smfmac_i32_16x16x64_i8"]
)
def test_accumulation_registers(name: str, acc: tuple[bool, bool, bool]) -> None:
    operands = Operands(ALL[name], small_integers, generator(name))
    check_exact(operands, run(operands, acc=acc))


@pytest.mark.parametrize("name", MULTI_BLOCK)
def test_blocks_of_a_are_broadcast(name: str) -> None:
    op = ALL[name]
    operands = Operands(op, small_integers, generator(name))
    for cbsz in range(op.blocks.bit_length()):
        for abid in range(1 << cbsz):
            check_exact(operands, run(operands, cbsz=cbsz, abid=abid), cbsz=cbsz, abid=abid)


@pytest.mark.parametrize("blgp", range(8))
@pytest.mark.parametrize(
    "name", ["v_mfma_f32_32x32x1_2b_f32", "v_mfma_f32_16x16x4_4b_f16", "v_mfma_i32_4x4x4_16b_i8"]
)
def test_lanes_of_b_are_permuted(name: str, blgp: int) -> None:
    operands = Operands(ALL[name], small_integers, generator(name))
    check_exact(operands, run(operands, blgp=blgp), blgp=blgp)


@pytest.mark.parametrize("name", [n for n, op in ALL.items() if op.result == "f64"])
def test_f64_negates_its_inputs(name: str) -> None:
    op = ALL[name]
    operands = Operands(op, small_integers, generator(name))
    a, b = matrices(operands)
    c = result_values(op, gather_result(op, operands.c))
    for neg in range(8):
        sign_a, sign_b, sign_c = (-1 if neg >> bit & 1 else 1 for bit in range(3))
        got = run(operands, blgp=neg)
        assert got is not None
        expected = (sign_a * a) @ (sign_b * b) + sign_c * c
        np.testing.assert_array_equal(result_values(op, gather_result(op, got)), expected)


@pytest.mark.parametrize("name", [n for n, op in ALL.items() if op.sparse])
def test_index_sets(name: str) -> None:
    operands = Operands(ALL[name], small_integers, generator(name))
    sets = 32 // (2 * len(operands.a))
    for abid in range(sets):
        check_exact(operands, run(operands, abid=abid), abid=abid)
    check_exact(operands, run(operands, cbsz=1, abid=1), cbsz=1)


@pytest.mark.parametrize(
    ("name", "encoding", "value"),
    [
        ("v_mfma_f32_16x16x16_f16", 242, 1.0),
        ("v_mfma_f32_4x4x1_16b_f32", 247, -4.0),
        ("v_mfma_f64_4x4x4_4b_f64", 240, 0.5),
        ("v_mfma_i32_32x32x16_i8", 196, -4.0),
        ("v_mfma_f32_32x32x4_xf32", 128, 0.0),
    ],
)
def test_constant_c(name: str, encoding: int, value: float) -> None:
    op = ALL[name]
    operands = Operands(op, small_integers, generator(name))
    got = run(operands, c_encoding=encoding)
    assert got is not None
    expected = exact(operands, np.full((op.blocks, op.size, op.size), value))
    np.testing.assert_array_equal(result_values(op, gather_result(op, got)), expected)


# --- Arithmetic -----------------------------------------------------------------------------------


def finite_bits(rng: np.random.Generator, shape: tuple[int, ...], kind: str) -> Array:
    """Any finite value, denormals included, small enough that no sum overflows."""
    bits = random_bits(rng, shape, kind)
    limit = {"f32": 0x5D800000, "xf32": 0x5D800000, "bf16": 0x5D80, "f16": 0x7BFF, "i32": 2**30}
    if kind in limit:
        sign = 1 << (bits_per_element(kind) - 1)
        bits = (bits & (sign - 1)) % limit[kind] | bits & sign
    if kind in ("fp8", "bf8"):
        bits = np.where(bits == 0x80, 0, bits)
    return bits


def sequential_fma(operands: Operands) -> Array:
    """C plus the products in the order of increasing k, one rounding each."""
    op = operands.op
    a, b = (matrix.astype(np.float32) for matrix in matrices(operands))
    total = gather_result(op, operands.c).astype(np.uint32).view(np.float32)
    for k in range(op.k):
        left, right = a[:, :, k : k + 1], b[:, k : k + 1, :]
        step = fma32(np.broadcast_to(left, total.shape), np.broadcast_to(right, total.shape), total)
        if op.sparse:  # elements that A does not keep take no part
            step = np.where(_kept(operands)[:, :, k : k + 1], step, total)
        total = step
    return total


def _kept(operands: Operands) -> Array:
    mask = np.zeros((1, operands.op.size, operands.op.k))
    expand(operands, np.ones(operands.a.shape), mask)
    return np.asarray(mask != 0)


@pytest.mark.parametrize("name", [n for n, op in ALL.items() if op.result == "f32"])
def test_sums_round_once_per_product(name: str) -> None:
    operands = Operands(ALL[name], finite_bits, generator(name))
    got = run(operands)
    assert got is not None
    result = gather_result(operands.op, got).astype(np.uint32)
    expected = sequential_fma(operands).view(np.uint32)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("name", [n for n, op in ALL.items() if op.result == "i32"])
def test_integer_sums_wrap(name: str) -> None:
    op = ALL[name]
    operands = Operands(op, random_bits, generator(name))
    a, b = (matrix.astype(np.int64) for matrix in matrices(operands))
    c = gather_result(op, operands.c).astype(np.int64)
    got = run(operands)
    assert got is not None
    np.testing.assert_array_equal(
        gather_result(op, got), ((a @ b + c) & 0xFFFFFFFF).astype(np.uint64)
    )


def test_f64_fuses() -> None:
    """(1 + 2^-52)^2 - 1 keeps the last bit that a separate multiplication would lose."""
    op = ALL["v_mfma_f64_4x4x4_4b_f64"]
    operands = Operands(op, small_integers, generator("fused"))
    x = 1 + 2.0**-52
    operands.a = np.full((1, 64), x).view(np.uint64)
    operands.b = np.where(np.arange(64) < 16, x, 0.0).reshape(1, 64).view(np.uint64)  # k = 0 only
    operands.c = np.full((1, 64), -1.0).view(np.uint64)
    got = run(operands)
    assert got is not None
    np.testing.assert_array_equal(got.view(np.float64), 2.0**-51 + 2.0**-104)


@pytest.mark.parametrize(
    "name", ["v_mfma_f32_16x16x4_f32", "v_mfma_f32_16x16x16_bf16", "v_mfma_f64_16x16x4_f64"]
)
def test_every_nan_is_the_default_one(name: str) -> None:
    op = ALL[name]
    operands = Operands(op, small_integers, generator(name))
    operands.c[:] = {"f32": 0x7FA12345, "f64": 0x7FF4000000000123}[op.result]
    got = run(operands)
    assert got is not None
    assert set(got.ravel().tolist()) == {DEFAULT_NAN[op.result]}


def test_fp8_nan_and_zero() -> None:
    op = ALL["v_mfma_f32_16x16x32_fp8_bf8"]
    operands = Operands(op, small_integers, generator("nan"))
    operands.a[0, 0] = 0x80  # A[0][0] is NaN: FNUZ formats have no negative zero
    got = run(operands)
    assert got is not None
    nans = np.isnan(result_values(op, gather_result(op, got)))[0]
    assert nans[0].all()
    assert not nans[1:].any()


@pytest.mark.parametrize("name", ALL)
def test_host_instruction_sets_agree(name: str) -> None:
    """Arbitrary bits, with NaNs and infinities: the same bytes from every set."""
    operands = Operands(ALL[name], random_bits, generator(name))
    results: dict[str, Array] = {}
    for host in (BASELINE, AVX2, AVX512):
        result = run(operands, host)
        if result is not None:
            results[host] = result
    others: list[Array] = [results[host] for host in results if host != BASELINE]
    if not others:
        pytest.skip("this CPU has neither AVX2 nor AVX-512")
    for other in others:
        np.testing.assert_array_equal(other, results[BASELINE])
