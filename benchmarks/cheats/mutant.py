"""Faults at random: a kernel, a place in it, a condition, and what goes wrong where it holds."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.cheats import conditions, faults
from benchmarks.cheats.pool import POOL, PoolKernel

_TRIES = 100


@dataclass(frozen=True)
class Mutant:
    seed: int
    index: int
    kernel: PoolKernel
    condition: conditions.Condition
    fault: str
    statement: str  # the faulty one
    text: str  # the whole kernel, under the name of the mutant

    @property
    def key(self) -> str:
        return f"{self.seed}-{self.index}"

    @property
    def name(self) -> str:
        return mutant_name(self.kernel, self.index)


def mutant_name(kernel: PoolKernel, index: int) -> str:
    return f"{kernel.name}_m{index}"


def mutants(seed: int, count: int, pool: Sequence[PoolKernel] = POOL) -> Iterator[Mutant]:
    """The same ones for the same seed; a larger count continues a smaller one."""
    for index in range(count):
        yield _mutant(seed, index, pool)


def _mutant(seed: int, index: int, pool: Sequence[PoolKernel]) -> Mutant:
    random_ = random.Random(f"{seed}/{index}")
    while True:
        # The kind is drawn first: few kernels have structures, modes or optional pointers.
        shares = conditions.SHARES
        kind = random_.choices(sorted(shares), [shares[one] for one in sorted(shares)])[0]
        condition = None
        for _ in range(_TRIES):
            kernel = random_.choice(pool)
            spot = random_.choice(kernel.spots)
            condition = conditions.drawn(kind, kernel, spot, random_)
            if condition is not None:
                break
        fault = random_.choice(sorted(faults.KINDS))
        if condition is None:
            continue
        statement = faults.drawn(fault, spot, condition, random_)
        if statement is None:
            continue
        text = with_statement(kernel, spot.text, statement, mutant_name(kernel, index))
        return Mutant(seed, index, kernel, condition, fault, statement, text)


def with_statement(kernel: PoolKernel, old: str, new: str, name: str) -> str:
    """The kernel with one statement in the place of another, under another name."""
    text = kernel.text
    assert text.count(old) == 1, f"{kernel.name} has {text.count(old)} times {old}"
    return renamed(text.replace(old, new), kernel.name, name)


def renamed(text: str, old: str, new: str) -> str:
    """Templates of the pool have one parameter T, and are launched for float."""
    copy, times = re.subn(rf"\b{old}\(", f"{new}(", text, count=1)
    assert times == 1, old
    if not copy.startswith("template <class T>"):
        return copy
    head = re.sub(r"\bT\b", "float", copy.partition(">\n")[2].partition(" {")[0])
    return f"{copy}\ntemplate {head.replace(f'{new}(', f'{new}<float>(')};"


def all_in_one(kernel: PoolKernel, texts: Sequence[str]) -> str:
    """The program with the mutants of one kernel behind it: one build for all of them."""
    program = kernel.source.read_text("utf-8")
    end = kernel.span[1]
    return program[:end] + "".join(f"\n\n{text}" for text in texts) + program[end:]
