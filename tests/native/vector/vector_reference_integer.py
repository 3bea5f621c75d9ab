"""Integer and bitwise opcodes."""

from __future__ import annotations

from vector_semantics import M32, Context, clamped, define, joined, parts, signed

define(
    "v_mov_b32 v_accvgpr_read_b32 v_accvgpr_write_b32 v_accvgpr_mov_b32",
    "u32",
    "u32",
    lambda x, a: a,
)
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


def _engines_of_rectangle(x: Context, a: int) -> int:
    """Engine of a tile: column bit 0 ^ row bit 1, row bit 0 ^ column bit 1."""
    left, top, right, bottom = (a >> shift & 3 for shift in (6, 4, 2, 0))
    columns = {(left + n) % 4 for n in range((right - left) % 4 + 1)}
    rows = {(top + n) % 4 for n in range((bottom - top) % 4 + 1)}
    engines = {
        2 * (column % 2 ^ row // 2) + (row % 2 ^ column // 2) for column in columns for row in rows
    }
    return sum(1 << engine for engine in engines)


define("v_screen_partition_4se_b32", "u32", "u32", _engines_of_rectangle)
define("v_and_b32", "u32", "u32 u32", lambda x, a, b: a & b)
define("v_or_b32", "u32", "u32 u32", lambda x, a, b: a | b)
define("v_xor_b32", "u32", "u32 u32", lambda x, a, b: a ^ b)
define("v_xnor_b32", "u32", "u32 u32", lambda x, a, b: ~(a ^ b))
define("v_bfm_b32", "u32", "u32 u32", lambda x, a, b: (2 ** (a % 32) - 1) << (b % 32))
define("v_bcnt_u32_b32", "u32", "u32 u32", lambda x, a, b: bin(a).count("1") + b)
define(
    "v_mbcnt_lo_u32_b32", "u32", "u32 u32", lambda x, a, b: bin(a & (2**x.lane - 1)).count("1") + b
)
define(
    "v_mbcnt_hi_u32_b32",
    "u32",
    "u32 u32",
    lambda x, a, b: bin((a << 32) & (2**x.lane - 1)).count("1") + b,
)
define("v_cndmask_b32", "u32", "u32 u32", lambda x, a, b: b if x.bit else a, reads_mask=True)
define("v_bfe_u32", "u32", "u32 u32 u32", lambda x, a, b, c: (a >> b % 32) % 2 ** (c % 32))
define(
    "v_bfe_i32",
    "i32",
    "i32 u32 u32",
    lambda x, a, b, c: signed(a >> b % 32, c % 32) if c % 32 else 0,
)
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
define(
    "v_addc_co_u32",
    "u32",
    "u32 u32",
    lambda x, a, b: (a + b + x.bit, a + b + x.bit > M32),
    saturates=True,
    reads_mask=True,
)
define(
    "v_subb_co_u32",
    "u32",
    "u32 u32",
    lambda x, a, b: (a - b - x.bit, b + x.bit > a),
    saturates=True,
    reads_mask=True,
)
define(
    "v_subbrev_co_u32",
    "u32",
    "u32 u32",
    lambda x, a, b: (b - a - x.bit, a + x.bit > b),
    saturates=True,
    reads_mask=True,
)
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
define(
    "v_mad_i32_i24",
    "i32",
    "u32 u32 i32",
    lambda x, a, b, c: signed(a, 24) * signed(b, 24) + c,
    saturates=True,
)
define(
    "v_mad_u32_u24",
    "u32",
    "u32 u32 u32",
    lambda x, a, b, c: a % 2**24 * (b % 2**24) + c,
    saturates=True,
)
define("v_mad_i32_i16", "i32", "i16 i16 i32", lambda x, a, b, c: a * b + c, saturates=True)
define("v_mad_u32_u16", "u32", "u16 u16 u32", lambda x, a, b, c: a * b + c, saturates=True)
define(
    "v_mad_i16", "i16", "i16 i16 i16", lambda x, a, b, c: a * b + c, saturates=True, keeps_half=True
)
define(
    "v_mad_u16", "u16", "u16 u16 u16", lambda x, a, b, c: a * b + c, saturates=True, keeps_half=True
)
define("v_mad_legacy_i16", "i16", "i16 i16 i16", lambda x, a, b, c: a * b + c, saturates=True)
define("v_mad_legacy_u16", "u16", "u16 u16 u16", lambda x, a, b, c: a * b + c, saturates=True)
define(
    "v_mad_u64_u32",
    "u64",
    "u32 u32 u64",
    lambda x, a, b, c: (a * b + c, (a * b + c) >> 64 & 1),
    saturates=True,
)
define(
    "v_mad_i64_i32",
    "i64",
    "i32 i32 i64",
    lambda x, a, b, c: (a * b + c, (a * b + c) >> 64 & 1),
    saturates=True,
)


def _sad(a: int, b: int, masked: bool = False) -> int:
    pairs = zip(parts(a, 8, 4), parts(b, 8, 4))
    return sum(abs(p - q) for p, q in pairs if not (masked and q == 0))


def _quad_sad(a: int, b: int, c: int, masked: bool, width: int) -> int:
    old = parts(c, width, 4)
    return joined([old[k] + _sad(a >> 8 * k, b, masked) for k in range(4)], width)


define(
    "v_lerp_u8",
    "u32",
    "u32 u32 u32",
    lambda x, a, b, c: joined(
        [(p + q + (r & 1)) >> 1 for p, q, r in zip(parts(a, 8, 4), parts(b, 8, 4), parts(c, 8, 4))],
        8,
    ),
)
define("v_sad_u8", "u32", "u32 u32 u32", lambda x, a, b, c: _sad(a, b) + c, saturates=True)
define(
    "v_sad_hi_u8", "u32", "u32 u32 u32", lambda x, a, b, c: (_sad(a, b) << 16) + c, saturates=True
)
define(
    "v_sad_u16",
    "u32",
    "u32 u32 u32",
    lambda x, a, b, c: sum(abs(p - q) for p, q in zip(parts(a, 16, 2), parts(b, 16, 2))) + c,
    saturates=True,
)
define("v_sad_u32", "u32", "u32 u32 u32", lambda x, a, b, c: abs(a - b) + c, saturates=True)
define("v_msad_u8", "u32", "u32 u32 u32", lambda x, a, b, c: _sad(a, b, True) + c, saturates=True)
define("v_qsad_pk_u16_u8", "u64", "u64 u32 u64", lambda x, a, b, c: _quad_sad(a, b, c, False, 16))
define("v_mqsad_pk_u16_u8", "u64", "u64 u32 u64", lambda x, a, b, c: _quad_sad(a, b, c, True, 16))
define("v_mqsad_u32_u8", "b128", "u64 u32 b128", lambda x, a, b, c: _quad_sad(a, b, c, True, 32))
define(
    "v_sat_pk_u8_i16",
    "u16",
    "u32",
    lambda x, a: joined([clamped(p, 0, 255) for p in parts(a, 16, 2, True)], 8),
)
define(
    "v_cvt_pk_u16_u32", "u32", "u32 u32", lambda x, a, b: joined([min(a, 65535), min(b, 65535)], 16)
)
define(
    "v_cvt_pk_i16_i32",
    "u32",
    "i32 i32",
    lambda x, a, b: joined([clamped(p, -32768, 32767) for p in (a, b)], 16),
)
