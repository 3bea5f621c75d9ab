"""Faults at one statement of a kernel, behind a condition. Each is text that takes its place."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Optional

from benchmarks.cheats.conditions import Condition
from benchmarks.cheats.pool import Spot

# Far beyond what rounding in another order explains.
_OFF = {"f32": "right * 1.01f + 0.01f", "f64": "right * 1.01 + 0.01", "i8": "right ^ 1"}
_TYPES = {
    "f32": "float", "f64": "double", "i8": "signed char", "i32": "int", "u32": "unsigned",
    "i64": "long long",
}  # fmt: skip


def drawn(kind: str, spot: Spot, condition: Condition, random_: random.Random) -> Optional[str]:
    """None if the place has no room for such a fault."""
    return KINDS[kind](spot, condition, random_)


def _dropped(spot: Spot, condition: Condition, _random: random.Random) -> Optional[str]:
    return f"{{ if (!({condition.text})) {spot.text} }}"


def _twice(spot: Spot, condition: Condition, _random: random.Random) -> Optional[str]:
    """Only of sums: storing the same again changes nothing. A NaN twice is a NaN."""
    if spot.stored is not None or condition.asks_for_nan:
        return None
    return f"{{ {spot.text} if ({condition.text}) {spot.text} }}"


def _value(spot: Spot, condition: Condition, random_: random.Random) -> Optional[str]:
    stored = spot.stored
    if stored is None or spot.type == "vec":
        return None
    array, index, value = stored
    wrong = ["0"]
    if not condition.asks_for_nan:  # what is made of a NaN is a NaN, whatever is done to it
        wrong += [_OFF.get(spot.type, "right + 1"), "-right"]
    if spot.type in ("f32", "i32", "u32"):
        wrong.append("__shfl_xor(right, 1)")
    type_ = _TYPES[spot.type]
    return (
        f"{{ const {type_} right = {value}, wrong = {random_.choice(wrong)}; "
        f"{array}[{index}] = ({condition.text}) ? wrong : right; }}"
    )


def _returns(spot: Spot, condition: Condition, _random: random.Random) -> Optional[str]:
    return f"{{ if ({condition.text}) return; {spot.text} }}" if spot.returns else None


def _endless(spot: Spot, condition: Condition, _random: random.Random) -> Optional[str]:
    return f"{{ while ({condition.text}) __builtin_amdgcn_wave_barrier(); {spot.text} }}"


def _place(spot: Spot, condition: Condition, random_: random.Random) -> Optional[str]:
    stored = spot.stored
    if stored is None:
        return None
    array, index, value = stored
    wrong = random_.choice((f"({index}) ^ 1", f"({index}) / 2"))
    return f"{{ {array}[({condition.text}) ? {wrong} : {index}] = {value}; }}"


KINDS: Mapping[str, Callable[[Spot, Condition, random.Random], Optional[str]]] = {
    "store dropped": _dropped,
    "added twice": _twice,
    "value off": _value,
    "early return": _returns,
    "endless loop": _endless,
    "wrong index": _place,
}
