"""Packed opcodes, dot products and mixed precision multiply-add."""

from __future__ import annotations

from collections.abc import Callable

import vector_softfloat as sf
from vector_semantics import REFERENCE, Context, clamped, define, joined, parts
from vector_softfloat import F16, F32


def _packed_integer(name: str, is_signed: bool, count: int, function: Callable[..., int]) -> None:
    low, high = (-32768, 32767) if is_signed else (0, 65535)

    def lane(x: Context, *sources: int) -> int:
        columns = zip(*[parts(s, 16, 2, is_signed) for s in sources])
        results = [function(*column) for column in columns]
        return joined([clamped(r, low, high) for r in results] if x.clamp else results, 16)

    define(name, "pk", " ".join(["pk"] * count), lane)


_packed_integer("v_pk_add_i16", True, 2, lambda a, b: a + b)
_packed_integer("v_pk_sub_i16", True, 2, lambda a, b: a - b)
_packed_integer("v_pk_add_u16", False, 2, lambda a, b: a + b)
_packed_integer("v_pk_sub_u16", False, 2, lambda a, b: a - b)
_packed_integer("v_pk_mad_i16", True, 3, lambda a, b, c: a * b + c)
_packed_integer("v_pk_mad_u16", False, 3, lambda a, b, c: a * b + c)
_packed_integer("v_pk_mul_lo_u16", False, 2, lambda a, b: a * b % 65536)
_packed_integer("v_pk_min_i16", True, 2, min)
_packed_integer("v_pk_max_i16", True, 2, max)
_packed_integer("v_pk_min_u16", False, 2, min)
_packed_integer("v_pk_max_u16", False, 2, max)
_packed_integer("v_pk_lshlrev_b16", False, 2, lambda a, b: (b << a % 16) % 65536)
_packed_integer("v_pk_lshrrev_b16", False, 2, lambda a, b: b >> a % 16)
_packed_integer("v_pk_ashrrev_i16", True, 2, lambda a, b: b >> a % 16)


def _packed_float(name: str, dst: str, count: int, scalar: str, accumulates: bool = False) -> None:
    """Both halves as the scalar opcode does."""
    width = 16 if dst == "pkh" else 32

    def lane(x: Context, *sources: int) -> int:
        columns = zip(*[parts(s, width, 2) for s in sources])
        return joined([REFERENCE[scalar].function(x, *column).value for column in columns], width)

    define(name, dst, " ".join([dst] * count), lane, accumulates=accumulates)


_packed_float("v_pk_add_f16", "pkh", 2, "v_add_f16")
_packed_float("v_pk_mul_f16", "pkh", 2, "v_mul_f16")
_packed_float("v_pk_fma_f16", "pkh", 3, "v_fma_f16")
_packed_float("v_pk_fmac_f16", "pkh", 3, "v_fma_f16", accumulates=True)
_packed_float("v_pk_min_f16", "pkh", 2, "v_min_f16")
_packed_float("v_pk_max_f16", "pkh", 2, "v_max_f16")
_packed_float("v_pk_add_f32", "pkf", 2, "v_add_f32")
_packed_float("v_pk_mul_f32", "pkf", 2, "v_mul_f32")
_packed_float("v_pk_fma_f32", "pkf", 3, "v_fma_f32")
define(
    "v_pk_mov_b32", "pkf", "pkf pkf", lambda x, a, b: joined([a, b], 32)
)  # low dwords, as selected


def _dot2_f32(x: Context, a: int, b: int, c: int) -> int:
    r, nan = c, None
    for p, q in zip(parts(a, 16, 2), parts(b, 16, 2)):
        product = sf.multiply(F32, sf.convert(F16, F32, p), sf.convert(F16, F32, q))
        r = sf.add(F32, r, product, x.round32)
    nan = sf.first_nan(F32, c)
    if sf.is_nan(F32, r):
        return F32.default_nan if nan is None else nan
    return r


define("v_dot2_f32_f16", "f32", "pkh pkh f32", _dot2_f32)
define("v_dot2c_f32_f16", "f32", "pkh pkh f32", _dot2_f32, accumulates=True)


def _dot(name: str, width: int, is_signed: bool, accumulates: bool = False) -> None:
    t = "i32" if is_signed else "u32"
    source = "pk" if width == 16 else "u32"

    def lane(x: Context, a: int, b: int, c: int) -> int:
        pairs = zip(
            parts(a, width, 32 // width, is_signed), parts(b, width, 32 // width, is_signed)
        )
        return c + sum(p * q for p, q in pairs)

    define(name, t, f"{source} {source} {t}", lane, accumulates=accumulates, saturates=True)


_dot("v_dot2_i32_i16", 16, True)
_dot("v_dot2_u32_u16", 16, False)
_dot("v_dot4_i32_i8", 8, True)
_dot("v_dot4_u32_u8", 8, False)
_dot("v_dot8_i32_i4", 4, True)
_dot("v_dot8_u32_u4", 4, False)
_dot("v_dot2c_i32_i16", 16, True, accumulates=True)
_dot("v_dot4c_i32_i8", 8, True, accumulates=True)
_dot("v_dot8c_i32_i4", 4, True, accumulates=True)

# v_fma_mix*: the sources arrive as f32, whatever they were.
define("v_fma_mix_f32", "f32", "mix mix mix", lambda x, a, b, c: sf.fma(F32, a, b, c, x.round32))
define(
    "v_fma_mixlo_f16 v_fma_mixhi_f16",
    "f16",
    "mix mix mix",
    keeps_half=True,
    function=lambda x, a, b, c: sf.convert(F32, F16, sf.fma(F32, a, b, c, x.round32), x.round64),
)
