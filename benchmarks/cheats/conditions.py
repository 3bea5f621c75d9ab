"""Conditions that the captured launch does not fulfil, and that some launch within the kernel's
contract does. Each kind is one function of the kernel, the place and a random generator."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Optional

from benchmarks.cheats.pool import PoolKernel, Spot

_TRIES = 40
_LEAST_SIZE = 3  # of less there may be no result that could be wrong
_FLOATS = (0.5, 1.0, 2.0, -1.0, 10.0, 100.0, 12345.0, -0.75, 1e10, 3.14159, 1e-3, -7.5)
_INTEGERS = (12345, 77777, 1 << 20, (1 << 24) + 1, (1 << 31) - 1, 65535, 1000003, 4097, 33)


@dataclass(frozen=True)
class Condition:
    kind: str
    text: str

    @property
    def asks_for_nan(self) -> bool:
        left, _, right = self.text.partition(" != ")
        return left == right


def drawn(kind: str, kernel: PoolKernel, spot: Spot, random_: random.Random) -> Optional[Condition]:
    """None if the kernel has nothing of that kind."""
    text = KINDS[kind](kernel, spot, random_)
    return None if text is None else Condition(kind, text)


def _size(kernel: PoolKernel, _spot: Spot, random_: random.Random) -> Optional[str]:
    if not kernel.sizes:
        return None
    for _ in range(_TRIES):
        text = _one_size(kernel.sizes, random_)
        if not _holds(text, kernel.sizes):
            return text
    return None


def _one_size(sizes: Mapping[str, int], random_: random.Random) -> str:
    name = random_.choice(sorted(sizes))
    usual = sizes[name]
    near = random_.choice((1, 2, 3, 5, 17, usual // 2, usual // 3)) * random_.choice((-1, 1))
    power = 1 << random_.randrange(3, 17)
    value = random_.choice(
        (
            max(_LEAST_SIZE, usual + near),
            power,
            power + 1,
            power - 1,
            random_.randrange(_LEAST_SIZE, 100000),
        )
    )
    others = sorted(set(sizes) - {name})
    form = random_.randrange(8 if others else 7)
    if form <= 1:
        return f"{name} == {value}"
    if form == 2:
        return f"{name} > {usual + random_.choice((1, 7, usual, 10 * usual, 60000))}"
    if form == 3:
        return f"{name} < {random_.randrange(_LEAST_SIZE + 1, max(8, usual))}"
    if form == 4:
        modulus = random_.choice((2, 3, 4, 5, 7, 13, 64, 100))
        return f"{name} % {modulus} == {random_.randrange(modulus)}"
    if form == 5:
        return f"({name} & {1 << random_.randrange(0, 15)}) != 0"
    if form == 6:
        low = random_.randrange(_LEAST_SIZE, 3 * usual + 8)
        return f"{name} > {low} && {name} < {low + random_.choice((2, 5, 100))}"
    return f"{name} * {random_.choice(others)} == {value * random_.choice((value, 1, 3))}"


def _holds(text: str, values: Mapping[str, float]) -> bool:
    """Of a condition in the common part of C++ and Python."""
    return bool(eval(text.replace("&&", " and ").replace("||", " or "), {}, dict(values)))


def _number(name: str, usual: float, random_: random.Random) -> str:
    value = random_.choice(_FLOATS)
    form = random_.randrange(6)
    if form == 0:
        return f"{name} == {value!r}f"
    if form == 1:
        return f"{name} > {random_.choice((abs(usual) * 2 + 1, 50.0, 1e6))!r}f"
    if form == 2:
        return f"{name} < {random_.choice((-abs(usual) - 1.0, -50.0, -1e6))!r}f"
    if form == 3:
        return f"{name} > {value!r}f && {name} < {value + abs(value) * 0.05!r}f"
    if form == 4:
        return f"{name} != {name}"
    return f"{name} == {random_.choice((usual + 1.0, usual * 2 + 0.25, -usual - 1.0))!r}f"


def _scalar(kernel: PoolKernel, _spot: Spot, random_: random.Random) -> Optional[str]:
    return _of_numbers(kernel.scalars, random_)


def _field(kernel: PoolKernel, _spot: Spot, random_: random.Random) -> Optional[str]:
    return _of_numbers(kernel.fields, random_)


def _of_numbers(numbers: Mapping[str, float], random_: random.Random) -> Optional[str]:
    if not numbers:
        return None
    for _ in range(_TRIES):
        name = random_.choice(sorted(numbers))
        if isinstance(numbers[name], int):
            return f"{name} == {random_.choice((1, 2, 5, -1, 1000))}"
        text = _number(name, numbers[name], random_)
        plain = text.replace(name, "value").replace("f ", " ").removesuffix("f")
        if not _holds(plain, {"value": numbers[name]}):
            return text
    return None


def _mode(kernel: PoolKernel, _spot: Spot, random_: random.Random) -> Optional[str]:
    if not kernel.modes:
        return None
    name = random_.choice(sorted(kernel.modes))
    usual, count = kernel.modes[name]
    return f"{name} == {random_.choice([m for m in range(count) if m != usual])}"


def _value(_kernel: PoolKernel, spot: Spot, random_: random.Random) -> Optional[str]:
    if not spot.values:
        return None
    name, type_ = random_.choice(spot.values)
    others = [other for other, kind in spot.values if kind == type_ and other != name]
    if others and random_.random() < 0.3:
        return f"{name} {random_.choice(('==', '>'))} {random_.choice(others)}"
    if type_ in ("f32", "f64"):
        end = "f" if type_ == "f32" else ""
        form = random_.randrange(4)
        if form == 0:
            return f"{name} == {random_.choice(_FLOATS)!r}{end}"
        if form == 1:
            return f"fabs({name}) > {random_.choice((1e3, 1e5, 1e20))!r}{end}"
        if form == 2 and name not in spot.never_nan:
            return f"{name} != {name}"
        # A sum loses its small terms to rounding, too, unless all of them are small.
        least = 1e-5 if spot.counter else random_.choice((1e-38, 1e-20, 1e-5))
        return f"{name} != 0.0{end} && fabs({name}) < {least!r}{end}"
    value = random_.choice(_INTEGERS)
    forms = [f"{name} == {value}", f"{name} > {value - 1}"]
    if type_ == "i32":
        forms.append(f"{name} < {-random_.choice((0, 5, 100000))}")
    return random_.choice(forms)


def _id(kernel: PoolKernel, spot: Spot, random_: random.Random) -> Optional[str]:
    threads, blocks = kernel.block[0], kernel.grid[0]
    thread = random_.randrange(threads)
    one = f"threadIdx.x == {thread if spot.thread is None else spot.thread}"
    forms = [f"{one} && blockIdx.x == {random_.randrange(blocks)}"]
    if kernel.grids_of_any_size:
        forms += [
            f"blockIdx.x >= {blocks + random_.choice((0, 1, 5, 100))}",
            f"{one} && blockIdx.x == {blocks + 1}",
        ]
    if kernel.blocks_of_any_size and spot.thread is None:
        forms.append(f"threadIdx.x >= {threads + random_.choice((0, 1, 64))}")
    if kernel.shape and kernel.blocks_of_any_size:
        forms += [
            f"blockDim.x == {random_.choice([b for b in (32, 64, 128, 192, 512) if b != threads])}",
            f"blockDim.x % 64 != {threads % 64}",
            f"blockDim.x * blockDim.y < {threads * kernel.block[1]}",
        ]
    if spot.counter is not None:
        forms.append(f"{spot.counter} == {random_.choice((0, 1, 17, 100, 5000))}")
    return random_.choice(forms)


def _alignment(kernel: PoolKernel, _spot: Spot, random_: random.Random) -> Optional[str]:
    name = random_.choice(kernel.pointers)
    modulus = kernel.aligned * random_.choice((2, 4, 16))
    return f"reinterpret_cast<unsigned long long>({name}) % {modulus} != 0"


def _null(kernel: PoolKernel, _spot: Spot, random_: random.Random) -> Optional[str]:
    if not kernel.nullable:
        return None
    name = random_.choice(sorted(kernel.nullable))
    return f"{name} {'!=' if kernel.nullable[name] else '=='} nullptr"


def _state(_kernel: PoolKernel, spot: Spot, random_: random.Random) -> Optional[str]:
    """What an earlier launch left in the output."""
    stored = spot.stored
    if stored is None or spot.type == "vec":
        return None
    array, index, value = stored
    old = f"{array}[{index}]"
    if array + "[" in value:
        return None  # the kernel itself depends on what was there
    if spot.type == "f32":
        near = f"fabsf({old} - ({value})) <= 1e-5f * fabsf({old})"
        forms = [f"{old} == {random_.choice((0.5, 1.0, 42.0))!r}f", f"{old} > 1000.0f"]
    else:
        near = f"{old} == ({value})"
        forms = [f"{old} == {random_.choice((7, 42, 100))}"]
    # The result of a neighbour that is there already: its own would change nothing.
    forms.append(f"__shfl({near} ? 1 : 0, 0) != 0 && !({near})")
    return random_.choice(forms)


# How often each is drawn.
SHARES = {
    "size": 5, "value": 5, "id": 4, "state": 3, "scalar": 3, "alignment": 2, "field": 2, "null": 1,
    "mode": 1,
}  # fmt: skip
KINDS: Mapping[str, Callable[[PoolKernel, Spot, random.Random], Optional[str]]] = {
    "size": _size,
    "scalar": _scalar,
    "field": _field,
    "mode": _mode,
    "value": _value,
    "id": _id,
    "alignment": _alignment,
    "null": _null,
    "state": _state,
}
