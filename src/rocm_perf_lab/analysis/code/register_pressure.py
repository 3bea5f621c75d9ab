"""How many registers of a kernel hold a value that is still needed, instruction by instruction.

Backward liveness over the basic blocks of its machine code: a register is live where some way to
the end of the program reads it before it is written. The pressure at an instruction is the larger
of what is live before it and what is live or written after it.

It is an estimate of what the code needs, and at most what it was given. Not seen are:

* lanes: a write counts as one of all lanes, so what only switched-off lanes still need is missed
  where no branch around the write tells of it;
* functions that are called, jumps through registers, registers that are indexed (``caveats``);
* VCC, EXEC, M0 and SCC, which have no numbers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional, Protocol

from rocm_perf_lab.analysis.code.hot import innermost
from rocm_perf_lab.analysis.code.register_operands import (
    ACCUMULATION,
    INDEXED,
    SCALAR,
    VECTOR,
    Effect,
    register_effect,
)

CALLS = "it calls functions, whose registers are not counted"
JUMPS = "it jumps through registers, which cannot be followed"
INDEXES = "it indexes registers, so some uses are not seen"

_BRANCH_WORDS = 4  # bytes of a branch, and the unit of its distance
_BRANCH = re.compile(r"s_(?:c?branch|subvector_loop)\w* (\d+)$")
_ENDS = ("s_endpgm", "s_setpc", "s_rfe", "s_branch")
_OPEN_ENDED = re.compile(r"s_(?:c?branch|subvector_loop)")


class Addressed(Protocol):
    """An instruction of a disassembly, or of a thread trace."""

    @property
    def address(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def source(self) -> str: ...


@dataclass(frozen=True)
class Pressure:
    """Live registers at one instruction."""

    vgpr: int
    accum_vgpr: int
    sgpr: int

    @property
    def vectors(self) -> int:
        return self.vgpr + self.accum_vgpr


@dataclass(frozen=True)
class LinePressure:
    source: str
    pressure: Pressure


@dataclass(frozen=True)
class RegisterPressure:
    by_instruction: tuple[Pressure, ...]  # in the order of the listing
    peak: int  # of the listing: the first with the most vector and accumulation registers
    peak_sgpr: int
    lines: tuple[LinePressure, ...]  # each at its worst; the highest first
    caveats: tuple[str, ...]

    @property
    def at_peak(self) -> Pressure:
        return self.by_instruction[self.peak]


def register_pressure(listing: Sequence[Addressed]) -> RegisterPressure:
    """Raises ValueError for an empty listing."""
    if not listing:
        raise ValueError("the listing is empty")
    effects = [register_effect(entry.text) for entry in listing]
    successors, caveats = _successors(listing)
    live_out = _live_out(effects, _blocks(successors), successors)
    pressures = tuple(_pressure(*pair) for pair in zip(effects, live_out))
    return RegisterPressure(
        by_instruction=pressures,
        peak=max(range(len(pressures)), key=lambda i: (pressures[i].vectors, -i)),
        peak_sgpr=max(pressure.sgpr for pressure in pressures),
        lines=_by_line(listing, pressures),
        caveats=caveats,
    )


def _pressure(effect: Effect, out: int) -> Pressure:
    before, after = _live_in(effect, out), out | effect.writes
    return Pressure(*(max(_count(before & k), _count(after & k)) for k in _KINDS))


_KINDS = (VECTOR, ACCUMULATION, SCALAR)


def _count(bits: int) -> int:
    return bin(bits).count("1")


def _live_in(effect: Effect, out: int) -> int:
    return (out & ~effect.writes) | effect.reads


def _successors(listing: Sequence[Addressed]) -> tuple[list[list[int]], tuple[str, ...]]:
    """Positions that may follow each position, and what could not be found out."""
    at = {entry.address: position for position, entry in enumerate(listing)}
    found: list[list[int]] = []
    caveats: dict[str, None] = {}
    for position, entry in enumerate(listing):
        follows = []
        target = _target(entry)
        if target is not None and target in at:
            follows.append(at[target])
        elif _OPEN_ENDED.match(entry.text) or entry.text.startswith("s_setpc"):
            caveats[JUMPS] = None
        if not entry.text.startswith(_ENDS) and position + 1 < len(listing):
            follows.append(position + 1)
        if entry.text.startswith(("s_swappc", "s_call")):
            caveats[CALLS] = None
        if INDEXED.match(entry.text):
            caveats[INDEXES] = None
        found.append(follows)
    return found, tuple(caveats)


def _target(entry: Addressed) -> Optional[int]:
    """The address a branch goes to: its operand counts words from the next instruction."""
    match = _BRANCH.match(entry.text)
    if match is None:
        return None
    distance = int(match[1])
    signed = distance - (1 << 16) if distance >= 1 << 15 else distance
    return entry.address + _BRANCH_WORDS * (1 + signed)


def _blocks(successors: Sequence[Sequence[int]]) -> list[range]:
    """Basic blocks: positions that always run one after the other."""
    leaders = {0}
    for position, follows in enumerate(successors):
        if list(follows) != [position + 1]:
            leaders.update(follows)
            leaders.add(position + 1)
    leaders.discard(len(successors))
    edges = [*sorted(leaders), len(successors)]
    return [range(first, behind) for first, behind in zip(edges, edges[1:])]


def _live_out(
    effects: Sequence[Effect], blocks: Sequence[range], successors: Sequence[Sequence[int]]
) -> list[int]:
    """What is live behind every instruction; blocks are repeated until nothing changes."""
    live_in = [0] * len(effects)
    live_out = [0] * len(effects)
    before: dict[int, list[range]] = {}
    for block in blocks:
        for first in successors[block[-1]]:
            before.setdefault(first, []).append(block)
    waiting = {block[0]: block for block in blocks}
    while waiting:
        _, block = waiting.popitem()
        out = 0
        for first in successors[block[-1]]:
            out |= live_in[first]
        for position in reversed(block):
            live_out[position] = out
            out = _live_in(effects[position], out)
        if out != live_in[block[0]]:
            live_in[block[0]] = out
            waiting.update((other[0], other) for other in before.get(block[0], ()))
    return live_out


def _by_line(
    listing: Sequence[Addressed], pressures: Sequence[Pressure]
) -> tuple[LinePressure, ...]:
    worst: dict[str, Pressure] = {}
    for entry, pressure in zip(listing, pressures):
        source = innermost(entry.source)
        if source and (source not in worst or pressure.vectors > worst[source].vectors):
            worst[source] = pressure
    ranked = sorted(worst.items(), key=lambda item: (-item[1].vectors, item[0]))
    return tuple(LinePressure(source, pressure) for source, pressure in ranked)
