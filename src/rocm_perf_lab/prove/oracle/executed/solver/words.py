"""What instructions compute from their sources, as expressions of z3. Pure.

A name is without ``s_`` or ``v_`` and without its encoding. What is not here is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Compute = Callable[..., Any]  # of z3 and the sources
_SHIFTS = 31

# By the name without its type: of 32 bits, or of 64 where the name ends so.
_LOGIC: Mapping[str, Compute] = {
    "mov": lambda z3, a: a,
    "not": lambda z3, a: ~a,
    "and": lambda z3, a, b: a & b,
    "or": lambda z3, a, b: a | b,
    "xor": lambda z3, a, b: a ^ b,
    "nand": lambda z3, a, b: ~(a & b),
    "nor": lambda z3, a, b: ~(a | b),
    "xnor": lambda z3, a, b: ~(a ^ b),
    "andn2": lambda z3, a, b: a & ~b,
    "orn2": lambda z3, a, b: a | ~b,
}
WORDS: Mapping[str, Compute] = {
    **{f"{name}_b32": compute for name, compute in _LOGIC.items()},
    "add_i32": lambda z3, a, b: a + b,
    "add_u32": lambda z3, a, b: a + b,
    "sub_i32": lambda z3, a, b: a - b,
    "sub_u32": lambda z3, a, b: a - b,
    "subrev_u32": lambda z3, a, b: b - a,
    "mul_i32": lambda z3, a, b: a * b,
    "mul_lo_u32": lambda z3, a, b: a * b,
    "lshl_b32": lambda z3, a, b: a << (b & _SHIFTS),
    "lshr_b32": lambda z3, a, b: z3.LShR(a, b & _SHIFTS),
    "ashr_i32": lambda z3, a, b: a >> (b & _SHIFTS),
    "lshlrev_b32": lambda z3, a, b: b << (a & _SHIFTS),
    "lshrrev_b32": lambda z3, a, b: z3.LShR(b, a & _SHIFTS),
    "ashrrev_i32": lambda z3, a, b: b >> (a & _SHIFTS),
    "min_i32": lambda z3, a, b: z3.If(a < b, a, b),
    "max_i32": lambda z3, a, b: z3.If(a > b, a, b),
    "min_u32": lambda z3, a, b: z3.If(z3.ULT(a, b), a, b),
    "max_u32": lambda z3, a, b: z3.If(z3.UGT(a, b), a, b),
    "add3_u32": lambda z3, a, b, c: a + b + c,
    "lshl_add_u32": lambda z3, a, b, c: (a << (b & _SHIFTS)) + c,
    "add_lshl_u32": lambda z3, a, b, c: (a + b) << (c & _SHIFTS),
    "lshl_or_b32": lambda z3, a, b, c: (a << (b & _SHIFTS)) | c,
    "and_or_b32": lambda z3, a, b, c: (a & b) | c,
    "or3_b32": lambda z3, a, b, c: a | b | c,
    "xad_u32": lambda z3, a, b, c: (a ^ b) + c,
}
LONG_WORDS: Mapping[str, Compute] = {
    **{f"{name}_b64": compute for name, compute in _LOGIC.items()},
    "add_u64": lambda z3, a, b: a + b,
    "sub_u64": lambda z3, a, b: a - b,
}
SAVE_EXEC: Mapping[str, Compute] = {  # of the source and of exec
    "and_saveexec_b64": lambda z3, a, b: a & b,
    "or_saveexec_b64": lambda z3, a, b: a | b,
    "xor_saveexec_b64": lambda z3, a, b: a ^ b,
    "andn2_saveexec_b64": lambda z3, a, b: a & ~b,
    "orn2_saveexec_b64": lambda z3, a, b: a | ~b,
}
RELATIONS: Mapping[str, tuple[Compute, Compute]] = {  # signed and unsigned
    "lt": (lambda z3, a, b: a < b, lambda z3, a, b: z3.ULT(a, b)),
    "le": (lambda z3, a, b: a <= b, lambda z3, a, b: z3.ULE(a, b)),
    "gt": (lambda z3, a, b: a > b, lambda z3, a, b: z3.UGT(a, b)),
    "ge": (lambda z3, a, b: a >= b, lambda z3, a, b: z3.UGE(a, b)),
    "eq": (lambda z3, a, b: a == b, lambda z3, a, b: a == b),
    "ne": (lambda z3, a, b: a != b, lambda z3, a, b: a != b),
    "lg": (lambda z3, a, b: a != b, lambda z3, a, b: a != b),
}
# Scalar instructions after which SCC tells whether the result is not 0.
NOT_ZERO = frozenset({*_LOGIC, "lshl", "lshr", "ashr"} - {"mov"})
CARRIES: Mapping[str, Compute] = {  # SCC of others
    "add_u32": lambda z3, a, b: z3.ULT(a + b, a),
    "sub_u32": lambda z3, a, b: z3.ULT(a, b),
    "add_i32": lambda z3, a, b: ((a ^ (a + b)) & (b ^ (a + b))) < 0,
    "sub_i32": lambda z3, a, b: ((a ^ b) & (a ^ (a - b))) < 0,
    "min_i32": lambda z3, a, b: a < b,
    "min_u32": lambda z3, a, b: z3.ULT(a, b),
}
