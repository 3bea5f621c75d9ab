"""Functions of HIP and C++ whose effects are known by their names."""

from __future__ import annotations

import re

PURE = "pure"  # the result depends on the arguments alone
BARRIER = "barrier"
ATOMIC = "atomic"
EXCHANGE = "exchange"
ASSIGNMENT = "assignment"  # the first argument becomes the second
UNKNOWN = "unknown"

_MATH = re.compile(
    r"(?:std::)?(?:abs|acosh?|asinh?|atan[2h]?|cbrt|ceil|copysign|cos(?:h|pi)?|erfc?|exp(?:10|2|m1)?|"
    r"fabs|fdim|floor|fma|fmax|fmin|fmod|hypot|ilogb|ldexp|lgamma|log(?:10|1p|2|b)?|nearbyint|pow|"
    r"remainder|rhypot|rint|round|rsqrt|scalbn|sin(?:h|pi)?|sqrt|tanh?|tgamma|trunc)f?$"
)
_OTHER_VALUES = re.compile(
    r"(?:(?:std::)?(?:min|max|isnan|isinf|isfinite|signbit)|u(?:min|max)|ll(?:min|max)|l?labs|"
    r"__u?mul(?:24|hi)|__(?:clz|ffs|popc|brev)(?:ll)?|__f(?:maf|add|sub|mul|div|sqrt|rcp)_rn|"
    r"__(?:exp|exp10|log|log2|log10|pow|sin|cos|tan)f|__fdividef|"
    r"__u?int_as_float|__float_as_u?int|__builtin_(?:fma|sqrt|fabs|fmin|fmax|exp2|log2|inf|huge_val)f?)$"
)
_HALVES = re.compile(
    r"(?:__h(?:abs|neg|add|sub|mul|div|fma|max|min)2?(?:_rn|_sat)?|__h(?:fma2?_relu|isnan2?|isinf)|"
    r"__hb?(?:eq|ne|le|lt|ge|gt)u?2?|h2?(?:exp|exp2|exp10|log|log2|log10|sqrt|rsqrt|rcp|sin|cos|"
    r"ceil|floor|rint|trunc)|__[a-z]+2?2(?:half|float|u?int|u?short|u?ll)2?(?:_r[nzdu])?|"
    r"__half_as_u?short|__u?short_as_half)$"
)
_MAKE_VECTOR = re.compile(r"make_u?(?:char|short|int|long|longlong|float|double)[1-4]$")
_VALUE_MADE = re.compile(r"(?:(?:\w+::)*HIP_vector_type::HIP_vector_type|(__half2?)::\1)$")
# Assignments of vectors and halves: overloaded, and nothing but that.
_ASSIGNMENT = re.compile(r"(?:(?:\w+::)*HIP_vector_type|__half2?)::operator=$")
_BARRIER = re.compile(
    r"(?:__syncthreads\w*|__syncwarp|__threadfence\w*|__builtin_amdgcn_(?:s_barrier\w*|"
    r"wave_barrier|fence|s_waitcnt|sched_barrier|sched_group_barrier)|(?:.*::)?sync)$"
)
_ATOMIC = re.compile(
    r"(?:(?:safe|unsafe)?[aA]tomic\w*|__hip_atomic_\w+|__atomic_\w+|__builtin_amdgcn_\w*atomic\w*|"
    r"__builtin_amdgcn_ds_f(?:add|min|max)\w*)$"
)
_EXCHANGE = re.compile(
    r"(?:__shfl\w*|__ballot\w*|__any\w*|__all\w*|__activemask|__match\w*|__reduce\w*|"
    r"__builtin_amdgcn_(?:ds_b?permute|ds_swizzle|readlane|readfirstlane|writelane|ballot\w*|"
    r"mov_dpp\w*|update_dpp|permlane\w*|mfma\w*))$"
)


def kind_of(name: str, is_users_own: bool) -> str:
    """``name`` is qualified; a function of the user's own is not known, whatever its name."""
    if is_users_own:
        return UNKNOWN
    if any(p.match(name) for p in (_MATH, _OTHER_VALUES, _HALVES, _MAKE_VECTOR, _VALUE_MADE)):
        return PURE
    for pattern, kind in (
        (_ASSIGNMENT, ASSIGNMENT),
        (_BARRIER, BARRIER),
        (_ATOMIC, ATOMIC),
        (_EXCHANGE, EXCHANGE),
    ):
        if pattern.match(name):
            return kind
    return UNKNOWN
