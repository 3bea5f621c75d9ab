"""How the vector references are written: an opcode is operand types and a function of its sources.

`REFERENCE[name]` is a Semantics: operand types and a function of the sources. Float operands are
bit patterns, signed types are signed ints. An integer result may be out of range: it wraps, or
saturates when the opcode saturates and the instruction clamps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Optional

import vector_softfloat as sf
from vector_softfloat import F16, F32, F64

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
    sources: tuple[str, ...]
    function: Callable[..., Result]
    accumulates: bool = False
    saturates: bool = False
    keeps_half: bool = False
    reads_mask: bool = False
    writes_mask: bool = False
    ulps: int = 0  # how far an elementary function may be off


REFERENCE: dict[str, Semantics] = {}


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
            dst,
            types,
            lane_result,
            accumulates,
            saturates,
            keeps_half,
            reads_mask,
            isinstance(probe, tuple),
            ulps,
        )


def signed(x: int, bits: int) -> int:
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def parts(x: int, width: int, count: int, is_signed: bool = False) -> list[int]:
    fields = [(x >> (width * k)) & ((1 << width) - 1) for k in range(count)]
    return [signed(p, width) for p in fields] if is_signed else fields


def joined(values: list[int], width: int) -> int:
    return sum((v & ((1 << width) - 1)) << (width * k) for k, v in enumerate(values))


def clamped(x: int, low: int, high: int) -> int:
    return max(low, min(high, x))


M32 = 0xFFFFFFFF
