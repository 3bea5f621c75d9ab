"""Functions that a kernel calls: which of them compute in double when they get one."""

from __future__ import annotations

# Each has a form for float with an f behind its name, and under its own name one for double.
_MATH = """
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cospi erf erfc erfcinv erfcx
    erfinv exp exp10 exp2 expm1 fabs fdim floor fma fmax fmin fmod hypot ldexp lgamma log log10
    log1p log2 nearbyint nextafter normcdf pow rcbrt remainder rhypot rint round rsqrt sin sinh
    sinpi sqrt tan tanh tgamma trunc
"""
_FAST = {
    "__expf": "exp", "__exp10f": "exp10", "__logf": "log", "__log2f": "log2", "__log10f": "log10",
    "__sinf": "sin", "__cosf": "cos", "__tanf": "tan", "__powf": "pow", "__fsqrt_rn": "sqrt",
    "__frsqrt_rn": "rsqrt",
}  # fmt: skip
IN_DOUBLE = {**{f"{name}f": name for name in _MATH.split()}, **_FAST}

# They add or put their value into memory of the type that is there.
ATOMICS = frozenset({"atomicAdd", "unsafeAtomicAdd", "safeAtomicAdd", "atomicExch"})

# They have forms for both types, or change nothing of what they get, or store it.
_OTHERS = """
    abs max min isnan isinf isfinite signbit
    __shfl __shfl_up __shfl_down __shfl_xor
    __shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync
    __ldg __builtin_nontemporal_load __builtin_nontemporal_store
    __half2float __float2half __float2half_rn __bfloat162float __float2bfloat16
    make_float1 make_float2 make_float3 make_float4
"""
ALIKE = ATOMICS | frozenset(_MATH.split()) | frozenset(_OTHERS.split())
