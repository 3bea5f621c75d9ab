"""Floating-point arithmetic, elementary functions and division steps."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import vector_softfloat as sf
from vector_semantics import Context, define, joined
from vector_softfloat import F16, F32, F64, Format


def mode_of(x: Context, f: Format) -> int:
    return x.round32 if f is F32 else x.round64


def _legacy_multiply(x: Context, a: int, b: int) -> int:
    if sf.is_zero(F32, a) or sf.is_zero(F32, b):
        return 0
    return sf.multiply(F32, a, b, x.round32)


def _fract(f: Format) -> Callable[..., int]:
    def function(x: Context, a: int) -> int:
        r = sf.subtract(f, a, sf.to_integral(f, a, "floor"), mode_of(x, f))
        one = sf.encode(f, Fraction(1))
        return one - 1 if r == one else r

    return function


def _frexp_mantissa(f: Format) -> Callable[..., int]:
    def function(x: Context, a: int) -> int:
        if sf.is_nan(f, a):
            return a | f.quiet
        if sf.is_inf(f, a) or sf.is_zero(f, a):
            return a
        v = sf.value(f, a)
        return sf.encode(f, v / Fraction(2) ** (sf.binary_exponent(abs(v)) + 1))

    return function


def _frexp_exponent(f: Format) -> Callable[..., int]:
    def function(x: Context, a: int) -> int:
        if sf.is_nan(f, a) or sf.is_inf(f, a) or sf.is_zero(f, a):
            return 0
        return sf.binary_exponent(abs(sf.value(f, a))) + 1

    return function


def _float_family(f: Format, t: str) -> None:
    """Opcodes that exist alike in several formats."""
    one, two, three = t, f"{t} {t}", f"{t} {t} {t}"
    keeps = t == "f16"
    if t != "f64":
        define(f"v_sub_{t}", t, two, lambda x, a, b: sf.subtract(f, a, b, mode_of(x, f)))
        define(
            f"v_subrev_{t}",
            t,
            two,
            lambda x, a, b: _first_wins(f, sf.subtract(f, b, a, mode_of(x, f)), a, b),
        )
        define(
            f"v_min3_{t}",
            t,
            three,
            keeps_half=keeps,
            function=lambda x, a, b, c: sf.minimum(f, sf.minimum(f, a, b, x.ieee), c, x.ieee),
        )
        define(
            f"v_max3_{t}",
            t,
            three,
            keeps_half=keeps,
            function=lambda x, a, b, c: sf.maximum(f, sf.maximum(f, a, b, x.ieee), c, x.ieee),
        )
        define(
            f"v_med3_{t}",
            t,
            three,
            lambda x, a, b, c: sf.median(f, a, b, c, x.ieee),
            keeps_half=keeps,
        )
    define(f"v_add_{t}", t, two, lambda x, a, b: sf.add(f, a, b, mode_of(x, f)))
    define(f"v_mul_{t}", t, two, lambda x, a, b: sf.multiply(f, a, b, mode_of(x, f)))
    define(
        f"v_fma_{t}",
        t,
        three,
        lambda x, a, b, c: sf.fma(f, a, b, c, mode_of(x, f)),
        keeps_half=keeps,
    )
    define(f"v_min_{t}", t, two, lambda x, a, b: sf.minimum(f, a, b, x.ieee))
    define(f"v_max_{t}", t, two, lambda x, a, b: sf.maximum(f, a, b, x.ieee))
    for how in ("trunc", "ceil", "floor", "rndne"):
        define(f"v_{how}_{t}", t, one, lambda x, a, how=how: sf.to_integral(f, a, how))
    define(f"v_fract_{t}", t, one, _fract(f))
    define(f"v_frexp_mant_{t}", t, one, _frexp_mantissa(f))


def _first_wins(f: Format, result: int, a: int, b: int) -> int:
    nan = sf.first_nan(f, a, b)
    return result if nan is None else nan


for _f, _name in ((F16, "f16"), (F32, "f32"), (F64, "f64")):
    _float_family(_f, _name)

define("v_frexp_exp_i32_f32", "i32", "f32", _frexp_exponent(F32))
define("v_frexp_exp_i32_f64", "i32", "f64", _frexp_exponent(F64))
define("v_frexp_exp_i16_f16", "i16", "f16", _frexp_exponent(F16))
define("v_ldexp_f32", "f32", "f32 i32", lambda x, a, b: sf.ldexp(F32, a, b, x.round32))
define("v_ldexp_f64", "f64", "f64 i32", lambda x, a, b: sf.ldexp(F64, a, b, x.round64))
define("v_ldexp_f16", "f16", "f16 i16", lambda x, a, b: sf.ldexp(F16, a, b, x.round64))
define("v_mul_legacy_f32", "f32", "f32 f32", _legacy_multiply)
define(
    "v_fmac_f32",
    "f32",
    "f32 f32 f32",
    lambda x, a, b, c: sf.fma(F32, a, b, c, x.round32),
    accumulates=True,
)
define(
    "v_fmac_f64",
    "f64",
    "f64 f64 f64",
    lambda x, a, b, c: sf.fma(F64, a, b, c, x.round64),
    accumulates=True,
)
define(
    "v_fmamk_f32 v_fmaak_f32",
    "f32",
    "f32 f32 f32",
    lambda x, a, b, c: sf.fma(F32, a, b, c, x.round32),
)
define("v_fma_legacy_f16", "f16", "f16 f16 f16", lambda x, a, b, c: sf.fma(F16, a, b, c, x.round64))


def _mad_f16(x: Context, a: int, b: int, c: int) -> int:
    nan = sf.first_nan(F16, a, b, c)
    if nan is not None:
        return nan
    return sf.add(F16, sf.multiply(F16, a, b, x.round64), c, x.round64)


define("v_mad_legacy_f16 v_madmk_f16 v_madak_f16", "f16", "f16 f16 f16", _mad_f16)
define("v_mad_f16", "f16", "f16 f16 f16", _mad_f16, keeps_half=True)
define("v_mac_f16", "f16", "f16 f16 f16", _mad_f16, accumulates=True)
define("v_pack_b32_f16", "u32", "f16 f16", lambda x, a, b: joined([a, b], 16))


def _flushed(function: Callable[[int], int]) -> Callable[..., int]:
    """The f32 elementary functions take denormals as zero and give none."""
    return lambda x, a: sf.flush(F32, function(sf.flush(F32, a)))


def _reciprocal_root(f: Format, a: int) -> int:
    root = sf.square_root(f, a)
    if sf.is_nan(f, root) or sf.is_zero(f, root) or sf.is_inf(f, root):
        return sf.reciprocal(f, root)
    return sf.encode(f, 1 / sf.sqrt_approximation(sf.value(f, a)))


def _double(f: Format, function: Callable[[float], float]) -> Callable[[int], int]:
    """An elementary function through Python's double precision library."""

    def lane(a: int) -> int:
        if sf.is_nan(f, a):
            return a | f.quiet
        argument = (
            math.copysign(math.inf, -1 if sf.negative(f, a) else 1)
            if sf.is_inf(f, a)
            else float(sf.value(f, a))
        )
        if sf.is_zero(f, a) and sf.negative(f, a):
            argument = -0.0
        r = function(argument)
        if math.isnan(r):
            return f.default_nan
        if math.isinf(r):
            return (f.sign if r < 0 else 0) | f.infinity
        return sf.encode(f, Fraction(r), zero_sign=math.copysign(1, r) < 0)

    return lane


def _exp2(x: float) -> float:
    return math.inf if x > 2000 else 0.0 if x < -2000 else 2.0**x if x < 1024 else math.inf


def _log2(x: float) -> float:
    return -math.inf if x == 0 else math.nan if x < 0 else math.log2(x) if x < math.inf else x


def _sin(x: float) -> float:
    if math.isinf(x):
        return math.nan
    return (
        0.0
        if abs(x) > 256
        else math.copysign(math.sin(math.fmod(x, 1.0) * math.tau), x)
        if x == 0
        else _turns(x)
    )


def _turns(x: float) -> float:
    r = x - round(x * 2) / 2  # exact
    s = math.sin(r * math.tau)
    return -s if round(x * 2) % 2 else s


def _cos(x: float) -> float:
    if math.isinf(x):
        return math.nan
    r = abs(x) % 1.0
    return 1.0 if abs(x) > 256 else 0.0 if r in (0.25, 0.75) else _turns(r + 0.25)


def _sin_sign(f: Format) -> Callable[[int], int]:
    """Zeros of the sine keep the sign of the argument."""
    plain = _double(f, _sin)

    def lane(a: int) -> int:
        r = plain(a)
        out_of_range = not sf.is_nan(f, a) and not sf.is_inf(f, a) and abs(sf.value(f, a)) > 256
        return r if not sf.is_zero(f, r) or out_of_range else a & f.sign

    return lane


define("v_rcp_f32 v_rcp_iflag_f32", "f32", "f32", _flushed(lambda a: sf.reciprocal(F32, a)))
define("v_sqrt_f32", "f32", "f32", _flushed(lambda a: sf.square_root(F32, a)))
define("v_rsq_f32", "f32", "f32", _flushed(lambda a: _reciprocal_root(F32, a)), ulps=1)
define("v_exp_f32 v_exp_legacy_f32", "f32", "f32", _flushed(_double(F32, _exp2)), ulps=1)
define("v_log_f32 v_log_legacy_f32", "f32", "f32", _flushed(_double(F32, _log2)), ulps=1)
define("v_sin_f32", "f32", "f32", _flushed(_sin_sign(F32)), ulps=1)
define("v_cos_f32", "f32", "f32", _flushed(_double(F32, _cos)), ulps=1)
define("v_rcp_f16", "f16", "f16", lambda x, a: sf.reciprocal(F16, a))
define("v_sqrt_f16", "f16", "f16", lambda x, a: sf.square_root(F16, a))
define("v_rsq_f16", "f16", "f16", lambda x, a: _reciprocal_root(F16, a), ulps=1)
define("v_exp_f16", "f16", "f16", lambda x, a: _double(F16, _exp2)(a), ulps=1)
define("v_log_f16", "f16", "f16", lambda x, a: _double(F16, _log2)(a), ulps=1)
define("v_sin_f16", "f16", "f16", lambda x, a: _sin_sign(F16)(a), ulps=1)
define("v_cos_f16", "f16", "f16", lambda x, a: _double(F16, _cos)(a), ulps=1)
define("v_rcp_f64", "f64", "f64", lambda x, a: sf.reciprocal(F64, a))
define("v_sqrt_f64", "f64", "f64", lambda x, a: sf.square_root(F64, a))
define("v_rsq_f64", "f64", "f64", lambda x, a: _reciprocal_root(F64, a), ulps=1)


def _two_over_pi() -> int:
    """1201 bits after the binary point (Gauss-Legendre would do as well; this is Machin's sum)."""
    unity = 1 << 1400

    def inverse_tangent(n: int) -> int:
        total = term = unity // n
        k, sign = 3, -1
        while term:
            term //= n * n
            total += sign * (term // k)
            k, sign = k + 2, -sign
        return total

    pi = 16 * inverse_tangent(5) - 4 * inverse_tangent(239)
    return (2 * unity * unity // pi) >> (1400 - 1201)


TWO_OVER_PI = _two_over_pi()


def _trig_preop(x: Context, a: int, b: int) -> int:
    exponent = F64.field(a)
    shift = 53 * (b % 32) + max(0, exponent - 1077)
    window = (TWO_OVER_PI << shift) % 2**1201 >> (1201 - 53)
    scale = -53 - shift + (128 if exponent >= 1968 else 0)
    return sf.encode(F64, window * Fraction(2) ** scale)


define("v_trig_preop_f64", "f64", "f64 u32", _trig_preop)
