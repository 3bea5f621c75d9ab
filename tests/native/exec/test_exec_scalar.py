"""Every scalar ALU opcode against Python integers."""

from __future__ import annotations

from pathlib import Path
from typing import Callable, NamedTuple

import numpy as np
import pytest
from exec_support import Buffer, Code, assembly_kernel, build, needs_harness

pytestmark = needs_harness

M32, M64 = (1 << 32) - 1, (1 << 64) - 1
Reference = Callable[[int, int, int, int], tuple[int, int]]


class Op(NamedTuple):
    """How an instruction is written (widths of d, a, b; 0 leaves one out) and what it gives."""

    d: int
    a: int
    b: int
    result: Reference  # (a, b, old d, scc) -> (d, scc)


def s32(v: int) -> int:
    return v - (1 << 32) if v & 1 << 31 else v


def s64(v: int) -> int:
    return v - (1 << 64) if v & 1 << 63 else v


def nonzero(width: int, f: Callable[[int, int], int]) -> Reference:
    """SCC tells whether the result is not zero."""

    def reference(a: int, b: int, d: int, scc: int) -> tuple[int, int]:
        value = f(a, b) & (1 << width) - 1
        return value, int(value != 0)

    return reference


def keeps(width: int, f: Callable[[int, int, int, int], int]) -> Reference:
    """SCC stays as it was."""
    return lambda a, b, d, scc: (f(a, b, d, scc) & (1 << width) - 1, scc)


def carry(f: Callable[[int, int, int], int]) -> Reference:
    """SCC is the carry or borrow out of 32 bits."""
    return lambda a, b, d, scc: (f(a, b, scc) & M32, int(not 0 <= f(a, b, scc) <= M32))


def overflow(f: Callable[[int, int], int]) -> Reference:
    def reference(a: int, b: int, d: int, scc: int) -> tuple[int, int]:
        exact = f(s32(a), s32(b))
        return exact & M32, int(not -(1 << 31) <= exact < 1 << 31)

    return reference


def pick(signed: bool, first: Callable[[int, int], bool]) -> Reference:
    def reference(a: int, b: int, d: int, scc: int) -> tuple[int, int]:
        chosen = first(s32(a), s32(b)) if signed else first(a, b)
        return (a if chosen else b), int(chosen)

    return reference


def compare(f: Callable[[int, int], bool]) -> Reference:
    return lambda a, b, d, scc: (d, int(f(a, b)))


def leading(v: int, width: int) -> int:
    return width - v.bit_length() if v else M32


def trailing(v: int) -> int:
    return (v & -v).bit_length() - 1 if v else M32


def sign_count(v: int, width: int) -> int:
    flipped = v ^ (1 << width) - 1 if v >> (width - 1) else v
    return leading(flipped, width)


def field(v: int, spec: int, width: int, signed: bool) -> int:
    offset, size = spec & (width - 1), spec >> 16 & 127
    if size == 0:
        return 0
    if signed:
        v = v - (1 << width) if v >> (width - 1) else v
    v >>= offset
    if size >= width:
        return v
    v &= (1 << size) - 1
    return v - (1 << size) if signed and v >> (size - 1) else v


def quads(v: int, width: int) -> list[int]:
    return [int((v >> 4 * q & 15) != 0) for q in range(width // 4)]


def bits(values: list[int], spread: int) -> int:
    return sum(v << i * spread for i, v in enumerate(values))


def reverse(v: int, width: int) -> int:
    return int(f"{v:0{width}b}"[::-1], 2)


OPS: dict[str, Op] = {
    "s_add_u32": Op(32, 32, 32, carry(lambda a, b, c: a + b)),
    "s_sub_u32": Op(32, 32, 32, carry(lambda a, b, c: a - b)),
    "s_addc_u32": Op(32, 32, 32, carry(lambda a, b, c: a + b + c)),
    "s_subb_u32": Op(32, 32, 32, carry(lambda a, b, c: a - b - c)),
    "s_add_i32": Op(32, 32, 32, overflow(lambda a, b: a + b)),
    "s_sub_i32": Op(32, 32, 32, overflow(lambda a, b: a - b)),
    "s_min_i32": Op(32, 32, 32, pick(True, lambda a, b: a < b)),
    "s_min_u32": Op(32, 32, 32, pick(False, lambda a, b: a < b)),
    "s_max_i32": Op(32, 32, 32, pick(True, lambda a, b: a >= b)),
    "s_max_u32": Op(32, 32, 32, pick(False, lambda a, b: a >= b)),
    "s_cselect_b32": Op(32, 32, 32, keeps(32, lambda a, b, d, c: a if c else b)),
    "s_cselect_b64": Op(64, 64, 64, keeps(64, lambda a, b, d, c: a if c else b)),
    "s_bfm_b32": Op(32, 32, 32, keeps(32, lambda a, b, d, c: ((1 << a % 32) - 1) << b % 32)),
    "s_bfm_b64": Op(64, 32, 32, keeps(64, lambda a, b, d, c: ((1 << a % 64) - 1) << b % 64)),
    "s_mul_i32": Op(32, 32, 32, keeps(32, lambda a, b, d, c: a * b)),
    "s_mul_hi_u32": Op(32, 32, 32, keeps(32, lambda a, b, d, c: a * b >> 32)),
    "s_mul_hi_i32": Op(32, 32, 32, keeps(32, lambda a, b, d, c: s32(a) * s32(b) >> 32)),
    "s_bfe_u32": Op(32, 32, 32, nonzero(32, lambda a, b: field(a, b, 32, False))),
    "s_bfe_i32": Op(32, 32, 32, nonzero(32, lambda a, b: field(a, b, 32, True))),
    "s_bfe_u64": Op(64, 64, 32, nonzero(64, lambda a, b: field(a, b, 64, False))),
    "s_bfe_i64": Op(64, 64, 32, nonzero(64, lambda a, b: field(a, b, 64, True))),
    "s_absdiff_i32": Op(32, 32, 32, nonzero(32, lambda a, b: abs(s32(a - b & M32)))),
    "s_pack_ll_b32_b16": Op(
        32, 32, 32, keeps(32, lambda a, b, d, c: a & 0xFFFF | (b & 0xFFFF) << 16)
    ),
    "s_pack_lh_b32_b16": Op(32, 32, 32, keeps(32, lambda a, b, d, c: a & 0xFFFF | b >> 16 << 16)),
    "s_pack_hh_b32_b16": Op(32, 32, 32, keeps(32, lambda a, b, d, c: a >> 16 | b >> 16 << 16)),
    "s_mov_b32": Op(32, 32, 0, keeps(32, lambda a, b, d, c: a)),
    "s_mov_b64": Op(64, 64, 0, keeps(64, lambda a, b, d, c: a)),
    "s_cmov_b32": Op(32, 32, 0, keeps(32, lambda a, b, d, c: a if c else d)),
    "s_cmov_b64": Op(64, 64, 0, keeps(64, lambda a, b, d, c: a if c else d)),
    "s_not_b32": Op(32, 32, 0, nonzero(32, lambda a, b: ~a)),
    "s_not_b64": Op(64, 64, 0, nonzero(64, lambda a, b: ~a)),
    "s_wqm_b32": Op(32, 32, 0, nonzero(32, lambda a, b: 15 * bits(quads(a, 32), 4))),
    "s_wqm_b64": Op(64, 64, 0, nonzero(64, lambda a, b: 15 * bits(quads(a, 64), 4))),
    "s_quadmask_b32": Op(32, 32, 0, nonzero(32, lambda a, b: bits(quads(a, 32), 1))),
    "s_quadmask_b64": Op(64, 64, 0, nonzero(64, lambda a, b: bits(quads(a, 64), 1))),
    "s_brev_b32": Op(32, 32, 0, keeps(32, lambda a, b, d, c: reverse(a, 32))),
    "s_brev_b64": Op(64, 64, 0, keeps(64, lambda a, b, d, c: reverse(a, 64))),
    "s_bcnt0_i32_b32": Op(32, 32, 0, nonzero(32, lambda a, b: 32 - bin(a).count("1"))),
    "s_bcnt0_i32_b64": Op(32, 64, 0, nonzero(32, lambda a, b: 64 - bin(a).count("1"))),
    "s_bcnt1_i32_b32": Op(32, 32, 0, nonzero(32, lambda a, b: bin(a).count("1"))),
    "s_bcnt1_i32_b64": Op(32, 64, 0, nonzero(32, lambda a, b: bin(a).count("1"))),
    "s_ff0_i32_b32": Op(32, 32, 0, keeps(32, lambda a, b, d, c: trailing(a ^ M32))),
    "s_ff0_i32_b64": Op(32, 64, 0, keeps(32, lambda a, b, d, c: trailing(a ^ M64))),
    "s_ff1_i32_b32": Op(32, 32, 0, keeps(32, lambda a, b, d, c: trailing(a))),
    "s_ff1_i32_b64": Op(32, 64, 0, keeps(32, lambda a, b, d, c: trailing(a))),
    "s_flbit_i32_b32": Op(32, 32, 0, keeps(32, lambda a, b, d, c: leading(a, 32))),
    "s_flbit_i32_b64": Op(32, 64, 0, keeps(32, lambda a, b, d, c: leading(a, 64))),
    "s_flbit_i32": Op(32, 32, 0, keeps(32, lambda a, b, d, c: sign_count(a, 32))),
    "s_flbit_i32_i64": Op(32, 64, 0, keeps(32, lambda a, b, d, c: sign_count(a, 64))),
    "s_sext_i32_i8": Op(32, 32, 0, keeps(32, lambda a, b, d, c: (a & 255 ^ 128) - 128)),
    "s_sext_i32_i16": Op(32, 32, 0, keeps(32, lambda a, b, d, c: (a & 65535 ^ 32768) - 32768)),
    "s_bitset0_b32": Op(32, 32, 0, keeps(32, lambda a, b, d, c: d & ~(1 << a % 32))),
    "s_bitset0_b64": Op(64, 32, 0, keeps(64, lambda a, b, d, c: d & ~(1 << a % 64))),
    "s_bitset1_b32": Op(32, 32, 0, keeps(32, lambda a, b, d, c: d | 1 << a % 32)),
    "s_bitset1_b64": Op(64, 32, 0, keeps(64, lambda a, b, d, c: d | 1 << a % 64)),
    "s_abs_i32": Op(32, 32, 0, nonzero(32, lambda a, b: abs(s32(a)))),
    "s_bitreplicate_b64_b32": Op(
        64, 32, 0, keeps(64, lambda a, b, d, c: 3 * bits([a >> i & 1 for i in range(32)], 2))
    ),
    "s_bitcmp0_b32": Op(0, 32, 32, compare(lambda a, b: not a >> b % 32 & 1)),
    "s_bitcmp1_b32": Op(0, 32, 32, compare(lambda a, b: bool(a >> b % 32 & 1))),
    "s_bitcmp0_b64": Op(0, 64, 32, compare(lambda a, b: not a >> b % 64 & 1)),
    "s_bitcmp1_b64": Op(0, 64, 32, compare(lambda a, b: bool(a >> b % 64 & 1))),
    "s_cmp_eq_u64": Op(0, 64, 64, compare(lambda a, b: a == b)),
    "s_cmp_lg_u64": Op(0, 64, 64, compare(lambda a, b: a != b)),
}

LOGIC: dict[str, Callable[[int, int], int]] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "andn2": lambda a, b: a & ~b,
    "orn2": lambda a, b: a | ~b,
    "nand": lambda a, b: ~(a & b),
    "nor": lambda a, b: ~(a | b),
    "xnor": lambda a, b: ~(a ^ b),
}
for _name, _f in LOGIC.items():
    OPS[f"s_{_name}_b32"] = Op(32, 32, 32, nonzero(32, _f))
    OPS[f"s_{_name}_b64"] = Op(64, 64, 64, nonzero(64, _f))

OPS["s_lshl_b32"] = Op(32, 32, 32, nonzero(32, lambda a, b: a << b % 32))
OPS["s_lshl_b64"] = Op(64, 64, 32, nonzero(64, lambda a, b: a << b % 64))
OPS["s_lshr_b32"] = Op(32, 32, 32, nonzero(32, lambda a, b: a >> b % 32))
OPS["s_lshr_b64"] = Op(64, 64, 32, nonzero(64, lambda a, b: a >> b % 64))
OPS["s_ashr_i32"] = Op(32, 32, 32, nonzero(32, lambda a, b: s32(a) >> b % 32))
OPS["s_ashr_i64"] = Op(64, 64, 32, nonzero(64, lambda a, b: s64(a) >> b % 64))


def _shift_add(shift: int) -> Reference:
    return carry(lambda a, b, c: (a << shift) + b)


for _shift in range(1, 5):
    OPS[f"s_lshl{_shift}_add_u32"] = Op(32, 32, 32, _shift_add(_shift))

COMPARE: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "lg": lambda a, b: a != b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
}


def _signed(f: Callable[[int, int], bool]) -> Callable[[int, int], bool]:
    return lambda a, b: f(s32(a), s32(b))


for _name, _g in COMPARE.items():
    OPS[f"s_cmp_{_name}_u32"] = Op(0, 32, 32, compare(_g))
    OPS[f"s_cmp_{_name}_i32"] = Op(0, 32, 32, compare(_signed(_g)))

# (source, old exec) -> (destination, new exec)
EXEC_OPS: dict[str, Callable[[int, int], tuple[int, int]]] = {
    "s_and_saveexec_b64": lambda a, e: (e, a & e),
    "s_or_saveexec_b64": lambda a, e: (e, a | e),
    "s_xor_saveexec_b64": lambda a, e: (e, a ^ e),
    "s_andn2_saveexec_b64": lambda a, e: (e, a & ~e & M64),
    "s_orn2_saveexec_b64": lambda a, e: (e, (a | ~e) & M64),
    "s_nand_saveexec_b64": lambda a, e: (e, ~(a & e) & M64),
    "s_nor_saveexec_b64": lambda a, e: (e, ~(a | e) & M64),
    "s_xnor_saveexec_b64": lambda a, e: (e, ~(a ^ e) & M64),
    "s_andn1_saveexec_b64": lambda a, e: (e, ~a & e & M64),
    "s_orn1_saveexec_b64": lambda a, e: (e, (~a | e) & M64),
    "s_andn1_wrexec_b64": lambda a, e: (~a & e & M64, ~a & e & M64),
    "s_andn2_wrexec_b64": lambda a, e: (a & ~e & M64, a & ~e & M64),
}

IMMEDIATES = (0, 1, 17, 0x7FFF, 0x8000, 0xFFFF)
SPECIAL = (
    0,
    1,
    2,
    31,
    32,
    0x7FFFFFFF,
    0x80000000,
    0xFFFFFFFF,
    0x00200008,
    M64,
    1 << 63,
    0x00400000,
)
CASES = len(SPECIAL) ** 2 + 56

PROLOGUE = """
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  s_mul_i32 s3, s2, 32
  s_add_u32 s4, s4, s3
  s_addc_u32 s5, s5, 0
  s_add_u32 s6, s6, s3
  s_addc_u32 s7, s7, 0
  s_load_dwordx8 s[8:15], s[4:5], 0x0
  s_waitcnt lgkmcnt(0)
  s_mov_b64 exec, s[10:11]
  s_cmp_lg_u32 s14, 0
"""
EPILOGUE = """
  s_cselect_b32 s16, 1, 0
  s_mov_b64 s[18:19], exec
  s_mov_b64 exec, 1
  v_mov_b32 v10, 0
  v_mov_b32 v2, s12
  v_mov_b32 v3, s13
  v_mov_b32 v4, s18
  v_mov_b32 v5, s19
  v_mov_b32 v6, s16
  global_store_dwordx4 v10, v[2:5], s[6:7]
  global_store_dword v10, v6, s[6:7] offset:16
  s_endpgm
"""


def _register(name: str, width: int) -> str:
    low = {"d": 12, "a": 8, "b": 10}[name]
    return f"s[{low}:{low + 1}]" if width == 64 else f"s{low}"


def _immediate_ops() -> list[tuple[str, str, int]]:
    """(kernel, instruction, immediate) of every SOPK operation."""
    names = ["s_movk_i32", "s_cmovk_i32", "s_addk_i32", "s_mulk_i32"]
    names += [f"s_cmpk_{c}_{t}" for c in COMPARE for t in ("i32", "u32")]
    return [(f"{n}_{k:x}", n, k) for n in names for k in IMMEDIATES]


def _source() -> str:
    kernels = []
    for name, op in OPS.items():
        used = [("d", op.d), ("a", op.a), ("b", op.b)]
        operands = ", ".join(_register(n, w) for n, w in used if w)
        kernels.append(assembly_kernel(name, f"{PROLOGUE}  {name} {operands}\n{EPILOGUE}"))
    for name in EXEC_OPS:
        kernels.append(assembly_kernel(name, f"{PROLOGUE}  {name} s[12:13], s[8:9]\n{EPILOGUE}"))
    for kernel, name, k in _immediate_ops():
        kernels.append(assembly_kernel(kernel, f"{PROLOGUE}  {name} s12, 0x{k:x}\n{EPILOGUE}"))
    return "".join(kernels)


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Code:
    directory: Path = tmp_path_factory.mktemp("scalar")
    return build(_source(), directory, "assembler")


@pytest.fixture(scope="module")
def cases() -> np.ndarray:
    """Rows of a, b, d, scc: all pairs of special values, then random ones."""
    rng = np.random.default_rng(7)
    rows = rng.integers(0, 1 << 64, (CASES, 4), dtype=np.uint64)
    pairs = [(a, b) for a in SPECIAL for b in SPECIAL]
    rows[: len(pairs), :2] = np.array(pairs, dtype=np.uint64)
    rows[:, 3] &= np.uint64(1)
    return rows


def _run(code: Code, kernel: str, cases: np.ndarray) -> np.ndarray:
    """Rows of d, exec, scc after the kernel ran on each case."""
    inputs, outputs = Buffer(cases), Buffer(np.zeros_like(cases))
    code.run(kernel, 64 * len(cases), 64, [inputs, outputs])
    result = outputs.array.copy()
    inputs.free()
    outputs.free()
    return result


@pytest.mark.parametrize("name", sorted(OPS))
def test_alu(code: Code, cases: np.ndarray, name: str) -> None:
    op = OPS[name]
    for row, got in zip(cases.tolist(), _run(code, name, cases).tolist()):
        a, b = (v & (1 << w) - 1 for v, w in zip(row[:2], (op.a, op.b or 64)))
        d, scc = op.result(a, b, row[2] & (1 << (op.d or 64)) - 1, row[3])
        if op.d == 32:
            d |= row[2] >> 32 << 32
        assert (got[0], got[2]) == (d, scc), f"{name} a={a:#x} b={b:#x} scc={row[3]}"


@pytest.mark.parametrize("name", sorted(EXEC_OPS))
def test_exec_mask(code: Code, cases: np.ndarray, name: str) -> None:
    for row, got in zip(cases.tolist(), _run(code, name, cases).tolist()):
        d, mask = EXEC_OPS[name](row[0], row[1])
        assert got[:3] == [d, mask, int(mask != 0)], f"{name} a={row[0]:#x} exec={row[1]:#x}"


def _immediate_reference(name: str, d: int, k: int, scc: int) -> tuple[int, int]:
    signed = s32(k | 0xFFFF0000 if k & 0x8000 else k)
    if name.startswith("s_cmpk"):
        f = COMPARE[name.split("_")[2]]
        return d, int(f(s32(d), signed) if name.endswith("i32") else f(d, k))
    if name == "s_movk_i32":
        return signed & M32, scc
    if name == "s_cmovk_i32":
        return (signed & M32 if scc else d), scc
    if name == "s_mulk_i32":
        return d * signed & M32, scc
    exact = s32(d) + signed
    return exact & M32, int(not -(1 << 31) <= exact < 1 << 31)


def test_immediates(code: Code, cases: np.ndarray) -> None:
    few = cases[:: len(SPECIAL) + 1].copy()
    few[:, 2] = cases[: len(few), 0] & np.uint64(M32)
    for kernel, name, k in _immediate_ops():
        for row, got in zip(few.tolist(), _run(code, kernel, few).tolist()):
            expected = _immediate_reference(name, row[2] & M32, k, row[3])
            assert (got[0] & M32, got[2]) == expected, f"{kernel} d={row[2]:#x}"
