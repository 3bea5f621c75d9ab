"""What a gfx942 matrix instruction computes, written down element by element.

The register layouts follow the tables of AMD's matrix instruction calculator: every function maps
one matrix element to (element within a lane, lane).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import numpy as np

TABLES = Path(__file__).resolve().parents[3] / "native" / "vgpu" / "isa" / "tables"
NAME = re.compile(r"v_(s?mf\w+?)_(f32|i32|f64)_(\d+)x\3x(\d+)(?:_(\d+)b)?_(\w+)")
ELEMENTS_PER_DWORD = {"f32": 1, "xf32": 1, "f16": 2, "bf16": 2, "i8": 4, "fp8": 4, "bf8": 4}
Array = np.ndarray
MakeBits = Callable[[np.random.Generator, tuple[int, ...], str], Array]  # shape, type -> raw bits
D, A, B, C, INDEX = 0, 64, 80, 128, 200  # first registers of the operands


@dataclass(frozen=True)
class Instruction:
    name: str
    opcode: int
    sparse: bool
    result: str  # type of C and D
    size: int  # rows and columns of a block
    k: int
    blocks: int
    a_type: str
    b_type: str

    @property
    def groups(self) -> int:
        """Lanes that share one row of A (one column of B), each with its own k."""
        return 64 // (self.size * self.blocks)

    @property
    def k_per_lane(self) -> int:
        return self.k // self.groups

    @property
    def outputs(self) -> int:
        return self.size * self.size * self.blocks // 64

    def encode(
        self,
        dst: int = 0,
        a: int = 64,
        b: int = 80,
        c: int = 128,
        *,
        acc: tuple[bool, bool, bool] = (False, False, False),
        c_encoding: int = -1,
        cbsz: int = 0,
        abid: int = 0,
        blgp: int = 0,
    ) -> tuple[int, int]:
        """The two dwords; `acc` puts A, B or C and D into accumulation registers."""
        low = 0xD3800000 | self.opcode << 16 | int(acc[2]) << 15 | abid << 11 | cbsz << 8 | dst
        third = c_encoding if c_encoding >= 0 else 256 + c
        high = (256 + a) | (256 + b) << 9 | third << 18
        return low, high | int(acc[0]) << 27 | int(acc[1]) << 28 | blgp << 29


def instructions() -> dict[str, Instruction]:
    """All matrix instructions, from the encoding table."""
    found = {}
    for line in (TABLES / "vop3p.inc").read_text().splitlines():
        row = re.match(r"VOP3P\((0x\w+), (v_s?mfma\w+),", line)
        if row is None:
            continue
        parts = NAME.match(row.group(2))
        assert parts is not None, line
        kind, result, size, k, blocks, types = parts.groups()
        a_type, _, b_type = types.partition("_")
        found[row.group(2)] = Instruction(
            row.group(2),
            int(row.group(1), 16),
            kind == "smfmac",
            result,
            int(size),
            int(k),
            int(blocks or 1),
            a_type,
            b_type or a_type,
        )
    return found


def source_place(op: Instruction, block: int, row: int, k: int) -> tuple[int, int]:
    """(element, lane) of A[row][k], and of B[k][row]."""
    group, element = divmod(k, op.k_per_lane)
    return element, row + op.size * block + op.size * op.blocks * group


def result_place(op: Instruction, block: int, i: int, j: int) -> tuple[int, int]:
    """(element, lane) of C[i][j] and D[i][j]."""
    if op.result == "f64":
        if op.size == 4:
            return 0, 16 * i + 4 * block + j
        return i // 4, 16 * (i % 4) + j
    if op.size == 4:
        return i, 4 * block + j
    if op.size == 16:
        return 4 * block + i % 4, 16 * (i // 4) + j
    return 16 * block + 4 * (i // 8) + i % 4, 32 * (i // 4 % 2) + j


def pack(values: Array, kind: str) -> Array:
    """Registers (rows of 64 dwords) from raw element bits of shape (elements, 64)."""
    if kind == "f64":
        bits = values.astype(np.uint64)
        return np.stack([bits & 0xFFFFFFFF, bits >> 32], axis=1).reshape(-1, 64).astype(np.uint32)
    per = ELEMENTS_PER_DWORD[kind]
    grouped = values.astype(np.uint32).reshape(-1, per, 64)
    shifts = (np.arange(per, dtype=np.uint32) * (32 // per)).reshape(1, per, 1)
    return np.asarray(np.bitwise_or.reduce(grouped << shifts, axis=1))


def decode_small_float(bits: Array, kind: str) -> Array:
    """fp8 is E4M3FNUZ, bf8 is E5M2FNUZ: 0x80 is NaN, no infinities, no negative zero."""
    mantissa, bias = (3, 8) if kind == "fp8" else (2, 16)
    bits = bits.astype(np.int64)
    exponent, fraction = (bits & 0x7F) >> mantissa, bits & ((1 << mantissa) - 1)
    normal = (1 + fraction / 2**mantissa) * 2.0 ** (exponent - bias)
    value = np.where(exponent == 0, fraction / 2**mantissa * 2.0 ** (1 - bias), normal)
    value = np.where(bits & 0x80, -value, value)
    return np.where(bits == 0x80, np.nan, value)


def decode(bits: Array, kind: str) -> Array:
    """Raw element bits as numbers, in double precision (exact for every type)."""
    if kind == "f64":
        return bits.astype(np.uint64).view(np.float64)
    if kind == "i8":
        return bits.astype(np.uint8).view(np.int8).astype(np.float64)
    if kind == "f16":
        return bits.astype(np.uint16).view(np.float16).astype(np.float64)
    if kind == "bf16":
        return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if kind in ("fp8", "bf8"):
        return decode_small_float(bits, kind)
    words = bits.astype(np.uint32)
    if kind == "xf32":  # ten bits of mantissa, to nearest even
        finite = (words & 0x7F800000) != 0x7F800000
        rounded = (words + 0xFFF + (words >> 13 & 1)) & np.uint32(0xFFFFE000)
        words = np.where(finite, rounded, words).astype(np.uint32)
    return words.view(np.float32).astype(np.float64)


def fma32(a: Array, b: Array, c: Array) -> Array:
    """a * b + c of float32 values, rounded once.

    The product is exact in double precision. When the sum is not, its last bit is made odd, so that
    rounding it to single precision rounds the exact value.
    """
    product, addend = a.astype(np.float64) * b.astype(np.float64), c.astype(np.float64)
    total = product + addend
    back = total - product
    lost = (product - (total - back)) + (addend - back)
    bits = total.view(np.int64)
    inexact = np.isfinite(total) & (lost != 0) & (bits & 1 == 0)
    away = (lost < 0) == (total < 0)
    bits = np.where(inexact, bits + np.where(away, 1, -1), bits)
    return bits.view(np.float64).astype(np.float32)


class Operands:
    """The matrices of one instruction, as raw element bits in register order."""

    def __init__(self, op: Instruction, make: MakeBits, rng: np.random.Generator) -> None:
        self.op = op
        kept = op.k_per_lane // 2 if op.sparse else op.k_per_lane
        self.a: Array = make(rng, (kept, 64), op.a_type)
        self.b: Array = make(rng, (op.k_per_lane, 64), op.b_type)
        self.c: Array = make(rng, (op.outputs, 64), op.result)
        self.index = _sparse_index(rng)

    def registers(self, acc: tuple[bool, bool, bool]) -> tuple[Array, Array]:
        files = (np.zeros((256, 64), np.uint32), np.zeros((256, 64), np.uint32))
        c_kind = "f64" if self.op.result == "f64" else "f32"
        places = [(A, pack(self.a, self.op.a_type), acc[0])]
        places += [(B, pack(self.b, self.op.b_type), acc[1])]
        places += [(D if self.op.sparse else C, pack(self.c, c_kind), acc[2])]
        for first, rows, in_acc in places:
            files[int(in_acc)][first : first + len(rows)] = rows
        if self.op.sparse:
            files[0][INDEX] = self.index
        return files


def _sparse_index(rng: np.random.Generator) -> Array:
    """Two different of four positions, ascending, for every pair of kept elements."""
    pairs = np.array([0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110], dtype=np.uint32)
    index = np.zeros(64, np.uint32)
    for nibble in range(8):
        index |= pairs[rng.integers(0, 6, 64)] << np.uint32(4 * nibble)
    return index


def matrices(operands: Operands, **modifiers: int) -> tuple[Array, Array]:
    """A as (block, i, k) and B as (block, k, j), after broadcasts, zeros where A keeps nothing."""
    op = operands.op
    a_values, b_values = decode(operands.a, op.a_type), decode(operands.b, op.b_type)
    a = np.zeros((op.blocks, op.size, op.k))
    b = np.zeros((op.blocks, op.k, op.size))
    for block in range(op.blocks):
        size = 1 << modifiers.get("cbsz", 0)
        from_block = block // size * size + modifiers.get("abid", 0)
        for row in range(op.size):
            for k in range(op.k):
                element, lane = source_place(op, block, row, k)
                pattern = modifiers.get("blgp", 0) if op.result != "f64" else 0
                b[block, k, row] = b_values[element, _pattern(pattern, lane)]
                if not op.sparse:
                    element, lane = source_place(op, from_block, row, k)
                    a[block, row, k] = a_values[element, lane]
    if op.sparse:
        expand(operands, a_values, a, **modifiers)
    return a, b


def _pattern(blgp: int, lane: int) -> int:
    if blgp == 0:
        return lane
    if blgp == 1:
        return lane if lane < 32 else lane - 32
    if blgp == 2:
        return lane if lane >= 32 else lane + 32
    if blgp == 3:
        return (lane + 16) % 64
    return lane % 16 + (0, 16, 32, 48)[blgp - 4]


def expand(operands: Operands, values: Array, a: Array, **modifiers: int) -> None:
    """Puts the kept elements of sparse A where the index says."""
    op = operands.op
    kept = len(values)
    chosen = modifiers.get("abid", 0) if modifiers.get("cbsz", 0) == 0 else 0
    for row in range(op.size):
        for group in range(op.groups):
            lane = row + op.size * group
            index = int(operands.index[lane]) >> (2 * kept * chosen)
            for element in range(kept):
                position = element // 2 * 4 + (index >> 2 * element & 3)
                a[0, row, group * op.k_per_lane + position] = values[element, lane]


def gather_result(op: Instruction, raw: Array) -> Array:
    """Raw D bits as (block, i, j)."""
    out = np.zeros((op.blocks, op.size, op.size), dtype=np.uint64)
    for block in range(op.blocks):
        for i in range(op.size):
            for j in range(op.size):
                out[block, i, j] = raw[result_place(op, block, i, j)]
    return out


def result_values(op: Instruction, raw: Array) -> Array:
    if op.result == "i32":
        return raw.astype(np.uint32).view(np.int32).astype(np.float64)
    return decode(raw, op.result)
