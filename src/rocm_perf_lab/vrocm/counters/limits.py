"""What fits into one pass: every block counts only as many events as it has registers."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable
from dataclasses import dataclass

from rocm_perf_lab.vrocm.counters.definitions import Catalogue


@dataclass(frozen=True)
class Excess:
    """A block that is asked for more than it has."""

    block: str
    needed: int
    registers: int


def excesses(catalogue: Catalogue, names: Iterable[str]) -> list[Excess]:
    """The blocks that cannot count these counters in one pass; empty when they fit."""
    needed: Tally[str] = Tally()
    registers = {}
    for event in catalogue.events(names):
        block = catalogue.counters[event.name].block
        if block is not None:
            needed[block.name] += 1
            registers[block.name] = block.registers
    return [
        Excess(name, count, registers[name])
        for name, count in sorted(needed.items())
        if count > registers[name]
    ]
