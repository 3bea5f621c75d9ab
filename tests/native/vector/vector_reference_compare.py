"""Comparisons and classification."""

from __future__ import annotations

from collections.abc import Callable
from typing import Optional

import vector_softfloat as sf
from vector_semantics import FLOATS, define
from vector_softfloat import Format

RELATIONS: dict[str, Callable[[Optional[int]], bool]] = {
    "f": lambda r: False,
    "lt": lambda r: r == -1,
    "eq": lambda r: r == 0,
    "le": lambda r: r in (-1, 0),
    "gt": lambda r: r == 1,
    "lg": lambda r: r in (-1, 1),
    "ge": lambda r: r in (0, 1),
    "o": lambda r: r is not None,
    "u": lambda r: r is None,
    "nge": lambda r: r not in (0, 1),
    "nlg": lambda r: r not in (-1, 1),
    "ngt": lambda r: r != 1,
    "nle": lambda r: r not in (-1, 0),
    "neq": lambda r: r != 0,
    "nlt": lambda r: r != -1,
    "tru": lambda r: True,
    "ne": lambda r: r != 0,
    "t": lambda r: True,
}
FLOAT_RELATIONS = [
    "f",
    "lt",
    "eq",
    "le",
    "gt",
    "lg",
    "ge",
    "o",
    "u",
    "nge",
    "nlg",
    "ngt",
    "nle",
    "neq",
    "nlt",
    "tru",
]
INTEGER_RELATIONS = ["f", "lt", "eq", "le", "gt", "ne", "ge", "t"]

for _x in ("v_cmp", "v_cmpx"):
    for _t in ("i16", "u16", "i32", "u32", "i64", "u64"):
        for _r in INTEGER_RELATIONS:
            define(
                f"{_x}_{_r}_{_t}",
                "mask",
                f"{_t} {_t}",
                lambda x, a, b, r=_r: (0, RELATIONS[r]((a > b) - (a < b))),
            )
    for _t, _f in FLOATS.items():
        for _r in FLOAT_RELATIONS:
            define(
                f"{_x}_{_r}_{_t}",
                "mask",
                f"{_t} {_t}",
                lambda x, a, b, r=_r, f=_f: (0, RELATIONS[r](sf.compare(f, a, b))),
            )


def _class(f: Format, a: int) -> int:
    if sf.is_nan(f, a):
        return 0 if sf.is_signaling(f, a) else 1
    kinds = (sf.is_inf(f, a), f.field(a) > 0, sf.is_denormal(f, a), True)
    return ((2, 9), (3, 8), (4, 7), (5, 6))[kinds.index(True)][0 if sf.negative(f, a) else 1]


for _x in ("v_cmp", "v_cmpx"):
    for _t, _f in FLOATS.items():
        define(
            f"{_x}_class_{_t}",
            "mask",
            f"{_t} u32",
            lambda x, a, b, f=_f: (0, b >> _class(f, a) & 1),
        )
