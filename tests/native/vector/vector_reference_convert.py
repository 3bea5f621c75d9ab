"""Conversions between number formats."""

from __future__ import annotations

from fractions import Fraction
from typing import Optional

import vector_softfloat as sf
from vector_semantics import Context, define, joined, parts, signed
from vector_softfloat import F16, F32, F64, Format

define("v_cvt_f32_i32", "f32", "i32", lambda x, a: sf.encode(F32, Fraction(a), x.round32))
define("v_cvt_f32_u32", "f32", "u32", lambda x, a: sf.encode(F32, Fraction(a), x.round32))
define("v_cvt_f64_i32", "f64", "i32", lambda x, a: sf.encode(F64, Fraction(a)))
define("v_cvt_f64_u32", "f64", "u32", lambda x, a: sf.encode(F64, Fraction(a)))
define("v_cvt_f16_i16", "f16", "i16", lambda x, a: sf.encode(F16, Fraction(a), x.round64))
define("v_cvt_f16_u16", "f16", "u16", lambda x, a: sf.encode(F16, Fraction(a), x.round64))
for _k in range(4):
    define(
        f"v_cvt_f32_ubyte{_k}",
        "f32",
        "u32",
        lambda x, a, k=_k: sf.encode(F32, Fraction(parts(a, 8, 4)[k])),
    )
define("v_cvt_off_f32_i4", "f32", "u32", lambda x, a: sf.encode(F32, Fraction(signed(a, 4), 16)))
define("v_cvt_i32_f32", "i32", "f32", lambda x, a: sf.to_integer(F32, a, -(2**31), 2**31 - 1))
define("v_cvt_u32_f32", "u32", "f32", lambda x, a: sf.to_integer(F32, a, 0, 2**32 - 1))
define("v_cvt_i32_f64", "i32", "f64", lambda x, a: sf.to_integer(F64, a, -(2**31), 2**31 - 1))
define("v_cvt_u32_f64", "u32", "f64", lambda x, a: sf.to_integer(F64, a, 0, 2**32 - 1))
define("v_cvt_i16_f16", "i16", "f16", lambda x, a: sf.to_integer(F16, a, -32768, 32767))
define("v_cvt_u16_f16", "u16", "f16", lambda x, a: sf.to_integer(F16, a, 0, 65535))


def _floor_integer(a: int) -> int:
    return sf.to_integer(F32, sf.to_integral(F32, a, "floor"), -(2**31), 2**31 - 1)


define("v_cvt_flr_i32_f32", "i32", "f32", lambda x, a: _floor_integer(a))
define("v_cvt_rpi_i32_f32", "i32", "f32", lambda x, a: _floor_integer(sf.add(F32, a, 0x3F000000)))


def _insert_byte(x: Context, a: int, b: int, c: int) -> int:
    fields = parts(c, 8, 4)
    fields[b % 4] = sf.to_integer(F32, a, 0, 255)
    return joined(fields, 8)


define("v_cvt_pk_u8_f32", "u32", "f32 u32 u32", _insert_byte)
define("v_cvt_pkaccum_u8_f32", "u32", "f32 u32 u32", _insert_byte, accumulates=True)


def _norm(f: Format, a: int, low: int, one: int) -> int:
    if sf.is_nan(f, a):
        return 0
    v = Fraction(-2 if sf.negative(f, a) else 2) if sf.is_inf(f, a) else sf.value(f, a)
    v = max(Fraction(low), min(Fraction(1), v)) * one
    return sf.round_integer(abs(v), sf.NEAREST, False) * (-1 if v < 0 else 1)


for _f, _name in ((F16, "f16"), (F32, "f32")):
    define(
        f"v_cvt_pknorm_i16_{_name}",
        "u32",
        f"{_name} {_name}",
        lambda x, a, b, f=_f: joined([_norm(f, v, -1, 32767) for v in (a, b)], 16),
    )
    define(
        f"v_cvt_pknorm_u16_{_name}",
        "u32",
        f"{_name} {_name}",
        lambda x, a, b, f=_f: joined([_norm(f, v, 0, 65535) for v in (a, b)], 16),
    )
define("v_cvt_norm_i16_f16", "i16", "f16", lambda x, a: _norm(F16, a, -1, 32767))
define("v_cvt_norm_u16_f16", "u16", "f16", lambda x, a: _norm(F16, a, 0, 65535))
define("v_cvt_f32_f64", "f32", "f64", lambda x, a: sf.convert(F64, F32, a, x.round32))
define("v_cvt_f64_f32", "f64", "f32", lambda x, a: sf.convert(F32, F64, a))
define("v_cvt_f16_f32", "f16", "f32", lambda x, a: sf.convert(F32, F16, a, x.round64))
define("v_cvt_f32_f16", "f32", "f16", lambda x, a: sf.convert(F16, F32, a))
define(
    "v_cvt_pkrtz_f16_f32",
    "pkh",
    "f32 f32",
    lambda x, a, b: joined([sf.convert(F32, F16, v, sf.ZERO) for v in (a, b)], 16),
)

FP8, BF8 = (3, 8), (2, 16)  # mantissa bits and bias of the FNUZ formats


def fnuz_value(kind: tuple[int, int], code: int) -> Optional[Fraction]:
    mantissa_bits, bias = kind
    if code == 0x80:
        return None
    exponent, mantissa = (code & 0x7F) >> mantissa_bits, code & ((1 << mantissa_bits) - 1)
    significand = mantissa + ((1 << mantissa_bits) if exponent else 0)
    v = Fraction(significand) * Fraction(2) ** (max(exponent, 1) - bias - mantissa_bits)
    return -v if code & 0x80 else v


def fnuz_code(kind: tuple[int, int], a: int, random: Optional[int] = None) -> int:
    """f32 bits to fp8 or bf8, nearest even or with `random` added below the last kept bit."""
    mantissa_bits, bias = kind
    if sf.is_nan(F32, a) or sf.is_inf(F32, a):
        return 0x80
    v = sf.value(F32, a)
    if v == 0:
        return 0
    exponent = max(sf.binary_exponent(abs(v)), 1 - bias)
    scaled = abs(v) / Fraction(2) ** (exponent - mantissa_bits)
    if random is None:
        n = sf.round_integer(scaled, sf.NEAREST, False)
    else:
        lost = 23 - mantissa_bits + max(0, (1 - bias) - (F32.field(a) - 127))
        if lost > 25:  # below what the random bits can lift
            return 0
        n = int(scaled + Fraction(random >> (32 - lost), 1 << lost))
    code = n + ((exponent + bias - 1) << mantissa_bits)
    if code > 0x7F:
        return 0x80
    return (0x80 if v < 0 and code else 0) | code


def _fnuz_to_f32(kind: tuple[int, int], code: int) -> int:
    v = fnuz_value(kind, code & 0xFF)
    return F32.default_nan if v is None else sf.encode(F32, v)


for _kind, _name in ((FP8, "fp8"), (BF8, "bf8")):
    define(f"v_cvt_f32_{_name}", "f32", "u32", lambda x, a, k=_kind: _fnuz_to_f32(k, a))
    define(
        f"v_cvt_pk_f32_{_name}",
        "pkf",
        "u32",
        lambda x, a, k=_kind: joined([_fnuz_to_f32(k, a), _fnuz_to_f32(k, a >> 8)], 32),
    )
    define(
        f"v_cvt_pk_{_name}_f32",
        "u16",
        "f32 f32",
        keeps_half=True,
        function=lambda x, a, b, k=_kind: joined([fnuz_code(k, a), fnuz_code(k, b)], 8),
    )
    define(f"v_cvt_sr_{_name}_f32", "u8", "f32 u32", lambda x, a, b, k=_kind: fnuz_code(k, a, b))
