"""Right kernels that the fuzzer breaks: where their results are made, and what a condition can ask.

All are kernels of the programs of ``tests/adversarial``. The numbers beside arguments are those of
the captured launch, so that a condition can be drawn that the captured launch does not fulfil.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

PROGRAMS = Path(__file__).resolve().parents[2] / "tests" / "adversarial" / "programs"


@dataclass(frozen=True)
class Spot:
    """A statement that makes a part of the result, and what is in scope there."""

    text: str
    type: str  # of what it writes: f32, f64, i8, i32, u32, i64, or vec
    values: tuple[tuple[str, str], ...] = ()  # expressions that come from memory, with their types
    returns: bool = True  # a return there leaves no barrier behind that others wait at
    counter: Optional[str] = None  # of the loop around it
    never_nan: tuple[str, ...] = ()
    thread: Optional[int] = None  # of a block: the only one that comes there

    @property
    def stored(self) -> Optional[tuple[str, str, str]]:
        """Array, index and value of a plain store."""
        found = re.fullmatch(r"(\w+)\[(.+?)\] = (.+);", self.text, re.DOTALL)
        return None if found is None else (found[1], found[2], found[3])


@dataclass(frozen=True)
class PoolKernel:
    program: str
    name: str
    spots: tuple[Spot, ...]
    grid: tuple[int, int]  # in blocks
    block: tuple[int, int]
    sizes: Mapping[str, int] = field(default_factory=dict)
    scalars: Mapping[str, float] = field(default_factory=dict)
    fields: Mapping[str, float] = field(default_factory=dict)
    modes: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # captured, number of them
    pointers: tuple[str, ...] = ()
    nullable: Mapping[str, bool] = field(default_factory=dict)  # whether it was null
    shape: bool = True  # whether it reads blockDim: only then do its arguments hold it
    blocks_of_any_size: bool = True
    grids_of_any_size: bool = True
    aligned: int = 4  # bytes, by the types behind its pointers

    @property
    def source(self) -> Path:
        return PROGRAMS / f"{self.program}.hip"

    @property
    def span(self) -> tuple[int, int]:
        text = program_text(self.source)
        head = re.search(rf"(?:template <class T>\n)?__global__ [^;{{]*\b{self.name}\(", text)
        assert head is not None, self.name
        return head.start(), text.index("\n}\n", head.start()) + 2

    @property
    def text(self) -> str:
        start, end = self.span
        return program_text(self.source)[start:end]


@functools.cache
def program_text(source: Path) -> str:
    return source.read_text("utf-8")


def _f(*names: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, "f32") for name in names)


def _i(*names: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, "i32") for name in names)


def _u(*names: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, "u32") for name in names)


_STEP = {
    "step.time": 0.125,
    "step.drag": 0.0,
    "step.low": -4.0,
    "step.high": 4.0,
    "step.wraps": 0,
}
_MODE = {"static_cast<int>(mode)": (1, 5)}

POOL = (
    PoolKernel(
        "scalars", "activate", (Spot("out[i] = y;", "f32", _f("x", "in[0]")),), (8, 1), (256, 1),
        sizes={"n": 2048}, scalars={"slope": 0.01}, modes=_MODE, pointers=("in", "out"),
    ),
    PoolKernel(
        "scalars", "axpby",
        (Spot("y[i] = alpha * x[i] + beta * y[i];", "f32", _f("x[i]", "y[i]")),),
        (8, 1), (256, 1), sizes={"n": 2048}, scalars={"alpha": 1.0, "beta": 0.0},
        pointers=("x", "y"),
    ),
    PoolKernel(
        "scalars", "gemv",
        (
            Spot("y[row] = sum;", "f32", _f("x[0]", "a[row]")),
            Spot("sum += a[row * columns + k] * x[k];", "f32", _f("x[k]"), counter="k"),
        ),
        (1, 1), (128, 1), sizes={"rows": 128, "columns": 32}, scalars={"alpha": 1.0},
        pointers=("a", "x", "y"), nullable={"bias": True},
    ),
    PoolKernel(
        "scalars", "add_bias", (Spot("out[at] = value;", "f32", _f("in[at]", "in[column]")),),
        (1, 16), (32, 8), sizes={"rows": 128, "columns": 32}, pointers=("in", "out"),
        nullable={"bias": False, "residual": True},
    ),
    PoolKernel(
        "scalars", "advance",
        (Spot("place[i] = p;", "f32", _f("p", "v")), Spot("speed[i] = v;", "f32", _f("p", "v"))),
        (8, 1), (256, 1), sizes={"n": 2048}, fields=_STEP, pointers=("place", "speed"),
    ),
    PoolKernel(
        "scalars", "quantise",
        (Spot("out[i] = static_cast<signed char>(q);", "i8", _f("in[i]")),),
        (4, 1), (256, 1), sizes={"n": 2048, "zero": 3}, scalars={"scale": 20.0},
        pointers=("in", "out"),
    ),
    PoolKernel(
        "integers", "split",
        (
            Spot("page[i] = keys[i] / size;", "u32", _u("keys[i]", "keys[0]")),
            Spot("offset[i] = keys[i] % size;", "u32", _u("keys[i]")),
        ),
        (8, 1), (256, 1), sizes={"n": 2048, "size": 48}, pointers=("keys", "page"),
    ),
    PoolKernel(
        "integers", "mix", (Spot("out[i] = h;", "u32", _u("in[i]", "h")),), (8, 1), (256, 1),
        sizes={"n": 2048, "rounds": 4}, pointers=("in", "out"),
    ),
    PoolKernel(
        "integers", "block_scan", (Spot("out[i] = part[t];", "i32", _i("in[i]", "part[t]")),),
        (8, 1), (256, 1), sizes={"n": 2048}, pointers=("in", "out"),
    ),
    PoolKernel(
        "integers", "lookup",
        (
            Spot(
                "out[i] = k >= 0 && k < entries ? table[k] : 0.0f;", "f32",
                (*_i("k"), *_f("table[0]")),
            ),
        ),
        (8, 1), (256, 1), sizes={"n": 2048, "entries": 2048}, pointers=("table", "index", "out"),
    ),
    PoolKernel(
        "integers", "count", (Spot("atomicAdd(&bins[k], 1);", "atomic", _i("k")),), (4, 1),
        (256, 1), sizes={"n": 2048, "size": 2048}, pointers=("keys", "bins"),
    ),
    PoolKernel(
        "integers", "strided",
        (
            Spot(
                "out[i] = in[at % n] + static_cast<int>(at >> 20);", "i32",
                _i("in[i]", "static_cast<int>(at)"),
            ),
        ),
        (8, 1), (256, 1), sizes={"n": 2048, "stride": 7}, pointers=("in", "out"),
    ),
    PoolKernel(
        "integers", "row_totals",
        (
            Spot("out[blockIdx.x] = sum;", "i64", _i("row[0]"), thread=0),
            Spot("sum += row[k];", "i64", _i("row[k]"), counter="k"),
        ),
        (16, 1), (64, 1), sizes={"columns": 128}, pointers=("in", "out"), blocks_of_any_size=False,
        aligned=8,
    ),
    PoolKernel(
        "integers", "keep_above",
        (Spot("out[place + before] = value;", "i32", _i("value"), returns=False),),
        (1, 1), (64, 1), sizes={"n": 2048, "limit": 500}, pointers=("in", "out"), shape=False,
        blocks_of_any_size=False, grids_of_any_size=False,
    ),
    PoolKernel(
        "fields", "heat",
        (Spot("out[at] = c + k * (l + r + u + d - 4.0f * c);", "f32", _f("c", "l", "u")),),
        (4, 2), (16, 16), sizes={"width": 64, "height": 32}, scalars={"k": 0.2},
        pointers=("in", "out"),
    ),
    PoolKernel(
        "fields", "forces",
        (
            Spot("force[i] = make_float4(fx, fy, fz, me.w);", "vec", _f("me.x", "me.w")),
            Spot("fx += strength * dx;", "f32", _f("other.x", "dx", "other.w"), counter="j"),
        ),
        (2, 1), (64, 1), sizes={"n": 128}, scalars={"soften": 0.01}, pointers=("body", "force"),
        aligned=16,
    ),
    PoolKernel(
        "fields", "total",
        (
            Spot("out[blockIdx.x] = part[0];", "f32", _f("in[0]", "part[0]"), thread=0),
            Spot("sum += in[i];", "f32", _f("in[i]"), returns=False, counter="i"),
        ),
        (4, 1), (256, 1), sizes={"n": 2048}, pointers=("in", "out"),
    ),
    PoolKernel(
        "fields", "normalise",
        (
            Spot("out[blockIdx.x * pitch + k] = row[k] * scale;", "f32", _f("row[k]", "sum")),
            Spot("sum += row[k] * row[k];", "f32", _f("row[k]"), returns=False, counter="k"),
        ),
        (32, 1), (64, 1), sizes={"columns": 60, "pitch": 64}, pointers=("in", "out"), shape=False,
        blocks_of_any_size=False,
    ),
    PoolKernel(
        "fields", "largest",
        (
            Spot("value[row] = best;", "f32", _f("best", "in[0]"), never_nan=("best",)),
            Spot("where[row] = place;", "i32", _f("best"), never_nan=("best",)),
        ),
        (1, 1), (32, 1), sizes={"rows": 32, "columns": 64}, pointers=("in", "value", "where"),
    ),
    PoolKernel(
        "fields", "ratio",
        (
            Spot(
                "out[i] = bottom == 0.0f ? copysignf(1.0f, top) : top / bottom;", "f32",
                _f("top", "bottom"),
            ),
        ),
        (8, 1), (256, 1), sizes={"n": 2048}, pointers=("a", "b", "out"),
    ),
    PoolKernel(
        "fields", "relax", (Spot("out[2 * i + 1] = y + weight * (x - y);", "f32", _f("x", "y")),),
        (4, 1), (256, 1), sizes={"n": 2048}, scalars={"weight": 0.25}, pointers=("in", "out"),
    ),
    PoolKernel(
        "fields", "product",
        (
            Spot("c[row * n + column] = sum;", "f32", _f("sum", "a[row * k]")),
            Spot(
                "sum += a[row * k + i] * b[i * n + column];", "f32",
                _f("a[row * k + i]", "b[i * n + column]"), counter="i",
            ),
        ),
        (2, 2), (16, 16), sizes={"m": 32, "n": 32, "k": 48}, pointers=("a", "b", "c"),
    ),
    PoolKernel(
        "fields", "scale_copy", (Spot("out[i] = in[i] * factor;", "f32", _f("in[i]", "in[0]")),),
        (8, 1), (256, 1), sizes={"n": 2048}, scalars={"factor": 3.0}, pointers=("in", "out"),
    ),
    PoolKernel(
        "kernels", "scale_add", (Spot("out[i] = 2.0f * a[i] + b[i];", "f32", _f("a[i]", "b[i]")),),
        (8, 1), (256, 1), sizes={"n": 4096}, pointers=("a", "b", "out"),
    ),
    PoolKernel(
        "kernels", "block_sum",
        (Spot("out[blockIdx.x] = part[0];", "f32", _f("part[0]", "in[0]"), thread=0),),
        (16, 1), (256, 1), sizes={"n": 4096}, pointers=("in", "out"),
    ),
    PoolKernel(
        "kernels", "softmax",
        (
            Spot(
                "out[blockIdx.x * columns + i] = expf(row[i] - largest) / sum;", "f32",
                _f("row[i]", "largest"), never_nan=("largest",),
            ),
            Spot(
                "sum += expf(row[i] - largest);", "f32", _f("row[i]"), returns=False, counter="i"
            ),
        ),
        (8, 1), (256, 1), sizes={"columns": 512}, pointers=("in", "out"), shape=False,
        blocks_of_any_size=False,
    ),
    PoolKernel(
        "kernels", "dot",
        (Spot("sum += a[i] * b[i];", "f64", (("a[i]", "f64"),), counter="i"),),
        (1, 1), (256, 1), sizes={"n": 4096}, pointers=("a", "b", "out"), aligned=8,
    ),
)  # fmt: skip
