"""Division steps and cube map coordinates."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Optional

import vector_softfloat as sf
from vector_reference_float import mode_of
from vector_semantics import Context, define
from vector_softfloat import F16, F32, F64, Format


def _div_fixup(f: Format, underflow: Optional[int]) -> Callable[..., int]:
    def function(x: Context, a: int, b: int, c: int) -> int:
        """a quotient, b denominator, c numerator."""
        sign = (b ^ c) & f.sign
        nan = sf.first_nan(f, c, b)
        if nan is not None:
            return nan
        if (sf.is_zero(f, b) and sf.is_zero(f, c)) or (sf.is_inf(f, b) and sf.is_inf(f, c)):
            return f.default_nan
        if sf.is_zero(f, b) or sf.is_inf(f, c):
            return sign | f.infinity
        if sf.is_inf(f, b) or sf.is_zero(f, c):
            return sign
        if underflow is not None:
            if f.field(c) - f.field(b) < underflow:
                return sign | int(mode_of(x, f) == (sf.DOWN if sign else sf.UP))
            if sf.is_nan(f, a):
                return sign | f.infinity
        return sign | (a & ~f.sign)

    return function


define("v_div_fixup_f32", "f32", "f32 f32 f32", _div_fixup(F32, -150))
define("v_div_fixup_f64", "f64", "f64 f64 f64", _div_fixup(F64, -1075))
define("v_div_fixup_f16", "f16", "f16 f16 f16", _div_fixup(F16, None), keeps_half=True)
define("v_div_fixup_legacy_f16", "f16", "f16 f16 f16", _div_fixup(F16, None))


def _quotient(f: Format, a: int, b: int) -> Optional[Fraction]:
    finite = not any(sf.is_nan(f, v) or sf.is_inf(f, v) for v in (a, b))
    return sf.value(f, a) / sf.value(f, b) if finite and not sf.is_zero(f, b) else None


def _div_scale(f: Format, large: int, tiny: int, scale: int) -> Callable[..., tuple[int, bool]]:
    one = sf.encode(f, Fraction(1))

    def rounds_to_denormal(numerator: int, denominator: int) -> bool:
        q = _quotient(f, numerator, denominator)
        return q is not None and q != 0 and f.field(sf.encode(f, q)) == 0

    def function(x: Context, a: int, b: int, c: int) -> tuple[int, bool]:
        """a is the operand to scale, b the denominator, c the numerator."""
        is_b, is_c = sf.compare(f, a, b) == 0, sf.compare(f, a, c) == 0
        nan = sf.first_nan(f, a)
        up = sf.ldexp(f, a, scale) if nan is None else nan
        down = sf.ldexp(f, a, -scale) if nan is None else nan
        if sf.is_zero(f, b) or sf.is_zero(f, c):
            return f.default_nan, False
        if f.field(c) - f.field(b) >= large:
            return (up if is_b else a), True
        if sf.is_denormal(f, b):
            return up, False
        small_inverse, small_quotient = rounds_to_denormal(one, b), rounds_to_denormal(c, b)
        if small_inverse and small_quotient:
            return (down if is_b else a), True
        if small_inverse:
            return down, False
        if small_quotient:
            return (up if is_c else a), True
        return (up if f.field(c) <= tiny else a), False

    return function


define("v_div_scale_f32", "f32", "f32 f32 f32", _div_scale(F32, 96, 23, 64))
define("v_div_scale_f64", "f64", "f64 f64 f64", _div_scale(F64, 768, 53, 128))


def _div_fmas(f: Format, scale: int) -> Callable[..., int]:
    def function(x: Context, a: int, b: int, c: int) -> int:
        """The rescaled result is rounded once."""
        mode = mode_of(x, f)
        r = sf.fma(f, a, b, c, mode)
        if (
            not x.bit
            or sf.is_nan(f, r)
            or sf.is_zero(f, r)
            or any(sf.is_inf(f, v) for v in (a, b, c))
        ):
            return r
        factor = Fraction(2) ** (scale if f.field(c) > f.bias else -scale)
        return sf.encode(f, (sf.value(f, a) * sf.value(f, b) + sf.value(f, c)) * factor, mode)

    return function


define("v_div_fmas_f32", "f32", "f32 f32 f32", _div_fmas(F32, 64), reads_mask=True)
define("v_div_fmas_f64", "f64", "f64 f64 f64", _div_fmas(F64, 128), reads_mask=True)


def _cube_axis(a: int, b: int, c: int) -> int:
    def at_least(p: int, q: int) -> bool:
        r = sf.compare(F32, p & ~F32.sign, q & ~F32.sign)
        return r is not None and r >= 0

    return 2 if at_least(c, a) and at_least(c, b) else 1 if at_least(b, a) else 0


def _below_zero(a: int) -> bool:
    return sf.compare(F32, a, 0) == -1


def _cube_id(x: Context, a: int, b: int, c: int) -> int:
    axis = _cube_axis(a, b, c)
    return sf.encode(F32, Fraction(2 * axis + _below_zero((a, b, c)[axis])))


def _cube_sc(x: Context, a: int, b: int, c: int) -> int:
    axis = _cube_axis(a, b, c)
    if axis == 2:
        return a ^ F32.sign if _below_zero(c) else a
    return a if axis == 1 else c if _below_zero(a) else c ^ F32.sign


def _cube_tc(x: Context, a: int, b: int, c: int) -> int:
    if _cube_axis(a, b, c) != 1:
        return b ^ F32.sign
    return c ^ F32.sign if _below_zero(b) else c


define("v_cubeid_f32", "f32", "f32 f32 f32", _cube_id)
define("v_cubesc_f32", "f32", "f32 f32 f32", _cube_sc)
define("v_cubetc_f32", "f32", "f32 f32 f32", _cube_tc)
define(
    "v_cubema_f32",
    "f32",
    "f32 f32 f32",
    lambda x, a, b, c: sf.multiply(F32, (a, b, c)[_cube_axis(a, b, c)], 0x40000000, x.round32),
)
