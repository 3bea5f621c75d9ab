"""What each vector opcode computes on one lane, written from the ISA manual in Python integers.

`REFERENCE[name]` is a Semantics: operand types and a function of the sources. Float operands are
bit patterns, signed types are signed ints. An integer result may be out of range: it wraps, or
saturates when the opcode saturates and the instruction clamps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Callable, Dict, List, Optional, Tuple

import vector_softfloat as sf
from vector_softfloat import F16, F32, F64, Format

WIDTH = {"u16": 16, "i16": 16, "f16": 16, "u32": 32, "i32": 32, "f32": 32, "u64": 64, "i64": 64}
WIDTH.update({"f64": 64, "pk": 32, "pkh": 32, "pkf": 64, "b128": 128, "mask": 0})
FLOATS = {"f16": F16, "f32": F32, "f64": F64}


@dataclass(frozen=True)
class Context:
    """What a lane's result depends on beyond its sources."""

    lane: int
    bit: bool  # the lane's bit of the mask source
    ieee: bool = True
    round32: int = sf.NEAREST
    round64: int = sf.NEAREST  # also f16
    clamp: bool = False


@dataclass(frozen=True)
class Result:
    value: int = 0
    bit: Optional[bool] = None  # of the mask destination


@dataclass(frozen=True)
class Semantics:
    dst: str
    sources: Tuple[str, ...]
    function: Callable[..., Result]
    accumulates: bool = False
    saturates: bool = False
    keeps_half: bool = False
    reads_mask: bool = False
    writes_mask: bool = False
    ulps: int = 0  # how far an elementary function may be off


REFERENCE: Dict[str, Semantics] = {}


def define(
    names: str,
    dst: str,
    sources: str,
    function: Callable[..., object],
    accumulates: bool = False,
    saturates: bool = False,
    keeps_half: bool = False,
    reads_mask: bool = False,
    ulps: int = 0,
) -> None:
    """`function(context, *sources)` gives an int, or (int, bit) when a mask is written."""

    def lane_result(context: Context, *values: int) -> Result:
        r = function(context, *values)
        if isinstance(r, tuple):
            return Result(int(r[0]), bool(r[1]))
        assert isinstance(r, int)
        return Result(r)

    types = tuple(sources.split())
    probe = function(Context(0, False), *[1 for _ in types])
    for name in names.split():
        assert name not in REFERENCE, name
        REFERENCE[name] = Semantics(
            dst, types, lane_result, accumulates, saturates, keeps_half, reads_mask,
            isinstance(probe, tuple), ulps,
        )  # fmt: skip


def signed(x: int, bits: int) -> int:
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def parts(x: int, width: int, count: int, is_signed: bool = False) -> List[int]:
    fields = [(x >> (width * k)) & ((1 << width) - 1) for k in range(count)]
    return [signed(p, width) for p in fields] if is_signed else fields


def joined(values: List[int], width: int) -> int:
    return sum((v & ((1 << width) - 1)) << (width * k) for k, v in enumerate(values))


def clamped(x: int, low: int, high: int) -> int:
    return max(low, min(high, x))


M32 = 0xFFFFFFFF

# --- Integers ------------------------------------------------------------------------------------

define("v_mov_b32 v_accvgpr_read_b32 v_accvgpr_write_b32 v_accvgpr_mov_b32", "u32", "u32", lambda x, a: a)
define("v_mov_b64", "u64", "u64", lambda x, a: a)
define("v_not_b32", "u32", "u32", lambda x, a: a ^ M32)
define("v_bfrev_b32", "u32", "u32", lambda x, a: int(f"{a:032b}"[::-1], 2))
define("v_ffbh_u32", "u32", "u32", lambda x, a: 32 - a.bit_length() if a else -1)
define("v_ffbl_b32", "u32", "u32", lambda x, a: (a & -a).bit_length() - 1 if a else -1)


def _sign_run(x: Context, a: int) -> int:
    text = f"{a & M32:032b}"
    run = len(text) - len(text.lstrip(text[0]))
    return -1 if run == 32 else run


define("v_ffbh_i32", "u32", "i32", _sign_run)
define("v_and_b32", "u32", "u32 u32", lambda x, a, b: a & b)
define("v_or_b32", "u32", "u32 u32", lambda x, a, b: a | b)
define("v_xor_b32", "u32", "u32 u32", lambda x, a, b: a ^ b)
define("v_xnor_b32", "u32", "u32 u32", lambda x, a, b: ~(a ^ b))
define("v_bfm_b32", "u32", "u32 u32", lambda x, a, b: (2 ** (a % 32) - 1) << (b % 32))
define("v_bcnt_u32_b32", "u32", "u32 u32", lambda x, a, b: bin(a).count("1") + b)
define("v_mbcnt_lo_u32_b32", "u32", "u32 u32",
       lambda x, a, b: bin(a & (2 ** x.lane - 1)).count("1") + b)  # fmt: skip
define("v_mbcnt_hi_u32_b32", "u32", "u32 u32",
       lambda x, a, b: bin((a << 32) & (2 ** x.lane - 1)).count("1") + b)  # fmt: skip
define("v_cndmask_b32", "u32", "u32 u32", lambda x, a, b: b if x.bit else a, reads_mask=True)
define("v_bfe_u32", "u32", "u32 u32 u32", lambda x, a, b, c: (a >> b % 32) % 2 ** (c % 32))
define("v_bfe_i32", "i32", "i32 u32 u32",
       lambda x, a, b, c: signed(a >> b % 32, c % 32) if c % 32 else 0)  # fmt: skip
define("v_bfi_b32", "u32", "u32 u32 u32", lambda x, a, b, c: (a & b) | (~a & c))
define("v_alignbit_b32", "u32", "u32 u32 u32", lambda x, a, b, c: (a << 32 | b) >> c % 32)
define("v_alignbyte_b32", "u32", "u32 u32 u32", lambda x, a, b, c: (a << 32 | b) >> 8 * (c % 4))


def _perm(x: Context, a: int, b: int, c: int) -> int:
    data = parts(b, 8, 4) + parts(a, 8, 4)
    out = []
    for s in parts(c, 8, 4):
        if s < 8:
            out.append(data[s])
        elif s < 12:
            out.append(0xFF if data[(1, 3, 5, 7)[s - 8]] & 0x80 else 0)
        else:
            out.append(0 if s == 12 else 0xFF)
    return joined(out, 8)


define("v_perm_b32", "u32", "u32 u32 u32", _perm)
define("v_and_or_b32", "u32", "u32 u32 u32", lambda x, a, b, c: (a & b) | c)
define("v_or3_b32", "u32", "u32 u32 u32", lambda x, a, b, c: a | b | c)
define("v_lshl_or_b32", "u32", "u32 u32 u32", lambda x, a, b, c: (a << b % 32) & M32 | c)
define("v_lshlrev_b32", "u32", "u32 u32", lambda x, a, b: b << a % 32)
define("v_lshrrev_b32", "u32", "u32 u32", lambda x, a, b: b >> a % 32)
define("v_ashrrev_i32", "i32", "u32 i32", lambda x, a, b: b >> a % 32)
define("v_lshlrev_b64", "u64", "u32 u64", lambda x, a, b: b << a % 64)
define("v_lshrrev_b64", "u64", "u32 u64", lambda x, a, b: b >> a % 64)
define("v_ashrrev_i64", "i64", "u32 i64", lambda x, a, b: b >> a % 64)
define("v_lshlrev_b16", "u16", "u16 u16", lambda x, a, b: b << a % 16)
define("v_lshrrev_b16", "u16", "u16 u16", lambda x, a, b: b >> a % 16)
define("v_ashrrev_i16", "i16", "u16 i16", lambda x, a, b: b >> a % 16)

define("v_add_u32", "u32", "u32 u32", lambda x, a, b: a + b, saturates=True)
define("v_sub_u32", "u32", "u32 u32", lambda x, a, b: a - b, saturates=True)
define("v_subrev_u32", "u32", "u32 u32", lambda x, a, b: b - a, saturates=True)
define("v_add_i32", "i32", "i32 i32", lambda x, a, b: a + b, saturates=True)
define("v_sub_i32", "i32", "i32 i32", lambda x, a, b: a - b, saturates=True)
define("v_add_u16", "u16", "u16 u16", lambda x, a, b: a + b, saturates=True)
define("v_sub_u16", "u16", "u16 u16", lambda x, a, b: a - b, saturates=True)
define("v_subrev_u16", "u16", "u16 u16", lambda x, a, b: b - a, saturates=True)
define("v_add_i16", "i16", "i16 i16", lambda x, a, b: a + b, saturates=True, keeps_half=True)
define("v_sub_i16", "i16", "i16 i16", lambda x, a, b: a - b, saturates=True, keeps_half=True)
define("v_add_co_u32", "u32", "u32 u32", lambda x, a, b: (a + b, a + b > M32), saturates=True)
define("v_sub_co_u32", "u32", "u32 u32", lambda x, a, b: (a - b, b > a), saturates=True)
define("v_subrev_co_u32", "u32", "u32 u32", lambda x, a, b: (b - a, a > b), saturates=True)
define("v_addc_co_u32", "u32", "u32 u32",
       lambda x, a, b: (a + b + x.bit, a + b + x.bit > M32), saturates=True, reads_mask=True)  # fmt: skip
define("v_subb_co_u32", "u32", "u32 u32",
       lambda x, a, b: (a - b - x.bit, b + x.bit > a), saturates=True, reads_mask=True)  # fmt: skip
define("v_subbrev_co_u32", "u32", "u32 u32",
       lambda x, a, b: (b - a - x.bit, a + x.bit > b), saturates=True, reads_mask=True)  # fmt: skip
define("v_add3_u32", "u32", "u32 u32 u32", lambda x, a, b, c: a + b + c)
define("v_lshl_add_u32", "u32", "u32 u32 u32", lambda x, a, b, c: (a << b % 32) + c)
define("v_add_lshl_u32", "u32", "u32 u32 u32", lambda x, a, b, c: (a + b) << c % 32)
define("v_xad_u32", "u32", "u32 u32 u32", lambda x, a, b, c: (a ^ b) + c)
define("v_lshl_add_u64", "u64", "u64 u32 u64", lambda x, a, b, c: (a << b % 8) + c)

for _t in ("i32", "u32", "i16", "u16"):
    _keeps = _t.endswith("16")
    define(f"v_min_{_t}", _t, f"{_t} {_t}", lambda x, a, b: min(a, b))
    define(f"v_max_{_t}", _t, f"{_t} {_t}", lambda x, a, b: max(a, b))
    _three = f"{_t} {_t} {_t}"
    define(f"v_min3_{_t}", _t, _three, lambda x, a, b, c: min(a, b, c), keeps_half=_keeps)
    define(f"v_max3_{_t}", _t, _three, lambda x, a, b, c: max(a, b, c), keeps_half=_keeps)
    define(f"v_med3_{_t}", _t, _three, lambda x, a, b, c: sorted((a, b, c))[1], keeps_half=_keeps)

define("v_mul_lo_u32", "u32", "u32 u32", lambda x, a, b: a * b)
define("v_mul_hi_u32", "u32", "u32 u32", lambda x, a, b: a * b >> 32)
define("v_mul_hi_i32", "i32", "i32 i32", lambda x, a, b: a * b >> 32)
define("v_mul_i32_i24", "i32", "u32 u32", lambda x, a, b: signed(a, 24) * signed(b, 24))
define("v_mul_hi_i32_i24", "i32", "u32 u32", lambda x, a, b: signed(a, 24) * signed(b, 24) >> 32)
define("v_mul_u32_u24", "u32", "u32 u32", lambda x, a, b: a % 2**24 * (b % 2**24))
define("v_mul_hi_u32_u24", "u32", "u32 u32", lambda x, a, b: a % 2**24 * (b % 2**24) >> 32)
define("v_mul_lo_u16", "u16", "u16 u16", lambda x, a, b: a * b)
define("v_mad_i32_i24", "i32", "u32 u32 i32",
       lambda x, a, b, c: signed(a, 24) * signed(b, 24) + c, saturates=True)  # fmt: skip
define("v_mad_u32_u24", "u32", "u32 u32 u32",
       lambda x, a, b, c: a % 2**24 * (b % 2**24) + c, saturates=True)  # fmt: skip
define("v_mad_i32_i16", "i32", "i16 i16 i32", lambda x, a, b, c: a * b + c, saturates=True)
define("v_mad_u32_u16", "u32", "u16 u16 u32", lambda x, a, b, c: a * b + c, saturates=True)
define("v_mad_i16", "i16", "i16 i16 i16", lambda x, a, b, c: a * b + c, saturates=True, keeps_half=True)
define("v_mad_u16", "u16", "u16 u16 u16", lambda x, a, b, c: a * b + c, saturates=True, keeps_half=True)
define("v_mad_legacy_i16", "i16", "i16 i16 i16", lambda x, a, b, c: a * b + c, saturates=True)
define("v_mad_legacy_u16", "u16", "u16 u16 u16", lambda x, a, b, c: a * b + c, saturates=True)
define("v_mad_u64_u32", "u64", "u32 u32 u64",
       lambda x, a, b, c: (a * b + c, (a * b + c) >> 64 & 1), saturates=True)  # fmt: skip
define("v_mad_i64_i32", "i64", "i32 i32 i64",
       lambda x, a, b, c: (a * b + c, (a * b + c) >> 64 & 1), saturates=True)  # fmt: skip


def _sad(a: int, b: int, masked: bool = False) -> int:
    pairs = zip(parts(a, 8, 4), parts(b, 8, 4))
    return sum(abs(p - q) for p, q in pairs if not (masked and q == 0))


def _quad_sad(a: int, b: int, c: int, masked: bool, width: int) -> int:
    old = parts(c, width, 4)
    return joined([old[k] + _sad(a >> 8 * k, b, masked) for k in range(4)], width)


define("v_lerp_u8", "u32", "u32 u32 u32", lambda x, a, b, c: joined(
    [(p + q + (r & 1)) >> 1 for p, q, r in zip(parts(a, 8, 4), parts(b, 8, 4), parts(c, 8, 4))], 8))  # fmt: skip
define("v_sad_u8", "u32", "u32 u32 u32", lambda x, a, b, c: _sad(a, b) + c, saturates=True)
define("v_sad_hi_u8", "u32", "u32 u32 u32", lambda x, a, b, c: (_sad(a, b) << 16) + c, saturates=True)
define("v_sad_u16", "u32", "u32 u32 u32", lambda x, a, b, c: sum(
    abs(p - q) for p, q in zip(parts(a, 16, 2), parts(b, 16, 2))) + c, saturates=True)  # fmt: skip
define("v_sad_u32", "u32", "u32 u32 u32", lambda x, a, b, c: abs(a - b) + c, saturates=True)
define("v_msad_u8", "u32", "u32 u32 u32", lambda x, a, b, c: _sad(a, b, True) + c, saturates=True)
define("v_qsad_pk_u16_u8", "u64", "u64 u32 u64", lambda x, a, b, c: _quad_sad(a, b, c, False, 16))
define("v_mqsad_pk_u16_u8", "u64", "u64 u32 u64", lambda x, a, b, c: _quad_sad(a, b, c, True, 16))
define("v_mqsad_u32_u8", "b128", "u64 u32 b128", lambda x, a, b, c: _quad_sad(a, b, c, True, 32))
define("v_sat_pk_u8_i16", "u16", "u32",
       lambda x, a: joined([clamped(p, 0, 255) for p in parts(a, 16, 2, True)], 8))  # fmt: skip
define("v_cvt_pk_u16_u32", "u32", "u32 u32", lambda x, a, b: joined([min(a, 65535), min(b, 65535)], 16))
define("v_cvt_pk_i16_i32", "u32", "i32 i32",
       lambda x, a, b: joined([clamped(p, -32768, 32767) for p in (a, b)], 16))  # fmt: skip

# --- Floats --------------------------------------------------------------------------------------


def _mode(x: Context, f: Format) -> int:
    return x.round32 if f is F32 else x.round64


def _legacy_multiply(x: Context, a: int, b: int) -> int:
    if sf.is_zero(F32, a) or sf.is_zero(F32, b):
        return 0
    return sf.multiply(F32, a, b, x.round32)


def _fract(f: Format) -> Callable[..., int]:
    def function(x: Context, a: int) -> int:
        r = sf.subtract(f, a, sf.to_integral(f, a, "floor"), _mode(x, f))
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
        define(f"v_sub_{t}", t, two, lambda x, a, b: sf.subtract(f, a, b, _mode(x, f)))
        define(f"v_subrev_{t}", t, two, lambda x, a, b: _first_wins(f, sf.subtract(f, b, a, _mode(x, f)), a, b))
        define(f"v_min3_{t}", t, three, keeps_half=keeps,
               function=lambda x, a, b, c: sf.minimum(f, sf.minimum(f, a, b, x.ieee), c, x.ieee))  # fmt: skip
        define(f"v_max3_{t}", t, three, keeps_half=keeps,
               function=lambda x, a, b, c: sf.maximum(f, sf.maximum(f, a, b, x.ieee), c, x.ieee))  # fmt: skip
        define(f"v_med3_{t}", t, three, lambda x, a, b, c: sf.median(f, a, b, c, x.ieee), keeps_half=keeps)
    define(f"v_add_{t}", t, two, lambda x, a, b: sf.add(f, a, b, _mode(x, f)))
    define(f"v_mul_{t}", t, two, lambda x, a, b: sf.multiply(f, a, b, _mode(x, f)))
    define(f"v_fma_{t}", t, three, lambda x, a, b, c: sf.fma(f, a, b, c, _mode(x, f)), keeps_half=keeps)
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
define("v_fmac_f32", "f32", "f32 f32 f32", lambda x, a, b, c: sf.fma(F32, a, b, c, x.round32), accumulates=True)
define("v_fmac_f64", "f64", "f64 f64 f64", lambda x, a, b, c: sf.fma(F64, a, b, c, x.round64), accumulates=True)
define("v_fmamk_f32 v_fmaak_f32", "f32", "f32 f32 f32", lambda x, a, b, c: sf.fma(F32, a, b, c, x.round32))
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
        argument = math.copysign(math.inf, -1 if sf.negative(f, a) else 1) if sf.is_inf(f, a) else float(sf.value(f, a))
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
    return 0.0 if abs(x) > 256 else math.copysign(math.sin(math.fmod(x, 1.0) * math.tau), x) if x == 0 else _turns(x)


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
                return sign | int(_mode(x, f) == (sf.DOWN if sign else sf.UP))
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


def _div_scale(f: Format, large: int, tiny: int, scale: int) -> Callable[..., Tuple[int, bool]]:
    one = sf.encode(f, Fraction(1))

    def rounds_to_denormal(numerator: int, denominator: int) -> bool:
        q = _quotient(f, numerator, denominator)
        return q is not None and sf.is_denormal(f, sf.encode(f, q))

    def function(x: Context, a: int, b: int, c: int) -> Tuple[int, bool]:
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
        r = sf.fma(f, a, b, c, _mode(x, f))
        if not x.bit:
            return r
        return sf.ldexp(f, r, scale if f.field(c) > f.bias else -scale, _mode(x, f))

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
define("v_cubema_f32", "f32", "f32 f32 f32",
       lambda x, a, b, c: sf.multiply(F32, (a, b, c)[_cube_axis(a, b, c)], 0x40000000, x.round32))  # fmt: skip

# --- Conversions ---------------------------------------------------------------------------------

define("v_cvt_f32_i32", "f32", "i32", lambda x, a: sf.encode(F32, Fraction(a), x.round32))
define("v_cvt_f32_u32", "f32", "u32", lambda x, a: sf.encode(F32, Fraction(a), x.round32))
define("v_cvt_f64_i32", "f64", "i32", lambda x, a: sf.encode(F64, Fraction(a)))
define("v_cvt_f64_u32", "f64", "u32", lambda x, a: sf.encode(F64, Fraction(a)))
define("v_cvt_f16_i16", "f16", "i16", lambda x, a: sf.encode(F16, Fraction(a), x.round64))
define("v_cvt_f16_u16", "f16", "u16", lambda x, a: sf.encode(F16, Fraction(a), x.round64))
for _k in range(4):
    define(f"v_cvt_f32_ubyte{_k}", "f32", "u32",
           lambda x, a, k=_k: sf.encode(F32, Fraction(parts(a, 8, 4)[k])))  # fmt: skip
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
    define(f"v_cvt_pknorm_i16_{_name}", "u32", f"{_name} {_name}",
           lambda x, a, b, f=_f: joined([_norm(f, v, -1, 32767) for v in (a, b)], 16))  # fmt: skip
    define(f"v_cvt_pknorm_u16_{_name}", "u32", f"{_name} {_name}",
           lambda x, a, b, f=_f: joined([_norm(f, v, 0, 65535) for v in (a, b)], 16))  # fmt: skip
define("v_cvt_norm_i16_f16", "i16", "f16", lambda x, a: _norm(F16, a, -1, 32767))
define("v_cvt_norm_u16_f16", "u16", "f16", lambda x, a: _norm(F16, a, 0, 65535))
define("v_cvt_f32_f64", "f32", "f64", lambda x, a: sf.convert(F64, F32, a, x.round32))
define("v_cvt_f64_f32", "f64", "f32", lambda x, a: sf.convert(F32, F64, a))
define("v_cvt_f16_f32", "f16", "f32", lambda x, a: sf.convert(F32, F16, a, x.round64))
define("v_cvt_f32_f16", "f32", "f16", lambda x, a: sf.convert(F16, F32, a))
define("v_cvt_pkrtz_f16_f32", "pkh", "f32 f32",
       lambda x, a, b: joined([sf.convert(F32, F16, v, sf.ZERO) for v in (a, b)], 16))  # fmt: skip

FP8, BF8 = (3, 8), (2, 16)  # mantissa bits and bias of the FNUZ formats


def fnuz_value(kind: Tuple[int, int], code: int) -> Optional[Fraction]:
    mantissa_bits, bias = kind
    if code == 0x80:
        return None
    exponent, mantissa = (code & 0x7F) >> mantissa_bits, code & ((1 << mantissa_bits) - 1)
    significand = mantissa + ((1 << mantissa_bits) if exponent else 0)
    v = Fraction(significand) * Fraction(2) ** (max(exponent, 1) - bias - mantissa_bits)
    return -v if code & 0x80 else v


def fnuz_code(kind: Tuple[int, int], a: int, random: Optional[int] = None) -> int:
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


def _fnuz_to_f32(kind: Tuple[int, int], code: int) -> int:
    v = fnuz_value(kind, code & 0xFF)
    return F32.default_nan if v is None else sf.encode(F32, v)


for _kind, _name in ((FP8, "fp8"), (BF8, "bf8")):
    define(f"v_cvt_f32_{_name}", "f32", "u32", lambda x, a, k=_kind: _fnuz_to_f32(k, a))
    define(f"v_cvt_pk_f32_{_name}", "pkf", "u32",
           lambda x, a, k=_kind: joined([_fnuz_to_f32(k, a), _fnuz_to_f32(k, a >> 8)], 32))  # fmt: skip
    define(f"v_cvt_pk_{_name}_f32", "u16", "f32 f32", keeps_half=True,
           function=lambda x, a, b, k=_kind: joined([fnuz_code(k, a), fnuz_code(k, b)], 8))  # fmt: skip
    define(f"v_cvt_sr_{_name}_f32", "u8", "f32 u32", lambda x, a, b, k=_kind: fnuz_code(k, a, b))

# --- Packed --------------------------------------------------------------------------------------


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
define("v_pk_mov_b32", "pkf", "pkf pkf", lambda x, a, b: joined([a, b], 32))  # low dwords, as selected


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
        pairs = zip(parts(a, width, 32 // width, is_signed), parts(b, width, 32 // width, is_signed))
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
define("v_fma_mixlo_f16 v_fma_mixhi_f16", "f16", "mix mix mix", keeps_half=True,
       function=lambda x, a, b, c: sf.convert(F32, F16, sf.fma(F32, a, b, c, x.round32), x.round64))  # fmt: skip

# --- Comparisons ---------------------------------------------------------------------------------

RELATIONS: Dict[str, Callable[[Optional[int]], bool]] = {
    "f": lambda r: False, "lt": lambda r: r == -1, "eq": lambda r: r == 0, "le": lambda r: r in (-1, 0),
    "gt": lambda r: r == 1, "lg": lambda r: r in (-1, 1), "ge": lambda r: r in (0, 1),
    "o": lambda r: r is not None, "u": lambda r: r is None, "nge": lambda r: r not in (0, 1),
    "nlg": lambda r: r not in (-1, 1), "ngt": lambda r: r != 1, "nle": lambda r: r not in (-1, 0),
    "neq": lambda r: r != 0, "nlt": lambda r: r != -1, "tru": lambda r: True,
    "ne": lambda r: r != 0, "t": lambda r: True,
}  # fmt: skip
FLOAT_RELATIONS = "f lt eq le gt lg ge o u nge nlg ngt nle neq nlt tru".split()
INTEGER_RELATIONS = "f lt eq le gt ne ge t".split()

for _x in ("v_cmp", "v_cmpx"):
    for _t in ("i16", "u16", "i32", "u32", "i64", "u64"):
        for _r in INTEGER_RELATIONS:
            define(f"{_x}_{_r}_{_t}", "mask", f"{_t} {_t}",
                   lambda x, a, b, r=_r: (0, RELATIONS[r]((a > b) - (a < b))))  # fmt: skip
    for _t, _f in FLOATS.items():
        for _r in FLOAT_RELATIONS:
            define(f"{_x}_{_r}_{_t}", "mask", f"{_t} {_t}",
                   lambda x, a, b, r=_r, f=_f: (0, RELATIONS[r](sf.compare(f, a, b))))  # fmt: skip


def _class(f: Format, a: int) -> int:
    if sf.is_nan(f, a):
        return 0 if sf.is_signaling(f, a) else 1
    kinds = (sf.is_inf(f, a), f.field(a) > 0, sf.is_denormal(f, a), True)
    return ((2, 9), (3, 8), (4, 7), (5, 6))[kinds.index(True)][0 if sf.negative(f, a) else 1]


for _x in ("v_cmp", "v_cmpx"):
    for _t, _f in FLOATS.items():
        define(f"{_x}_class_{_t}", "mask", f"{_t} u32",
               lambda x, a, b, f=_f: (0, b >> _class(f, a) & 1))  # fmt: skip
