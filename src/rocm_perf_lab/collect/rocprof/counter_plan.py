"""Spreads hardware counters over as few runs as their registers allow.

Blocks do not compete: a run can fill the registers of all of them. The fewest runs are therefore
those of the block with the longest queue. Counters of one formula stay in one run where that costs
no further run, because two runs never see exactly the same requests.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Optional

from rocm_perf_lab.arch.counter_registers import block_of, registers_per_pass

Pass = tuple[str, ...]


def plan_passes(groups: Iterable[Sequence[str]], target: str) -> tuple[Pass, ...]:
    """One tuple of counters per run; a counter that several groups name is collected once."""
    registers = registers_per_pass(target)
    by_block: dict[str, list[list[str]]] = {}
    seen: set[str] = set()
    for group in groups:
        parts: dict[str, list[str]] = {}
        for name in group:
            if name not in seen:
                seen.add(name)
                parts.setdefault(block_of(name), []).append(name)
        for block, names in parts.items():
            by_block.setdefault(block, []).append(names)
    passes: list[list[str]] = []
    for block in sorted(by_block):
        for position, names in enumerate(_fill(by_block[block], registers[block])):
            if position == len(passes):
                passes.append([])
            passes[position] += names
    return tuple(tuple(names) for names in passes)


def _fill(groups: Sequence[list[str]], size: int) -> list[list[str]]:
    """Bins of one block: whole groups if they fit into the fewest bins, else cut where full."""
    names = [name for group in groups for name in group]
    fewest = -(-len(names) // size)
    whole = _first_fit(groups, size)
    if whole is not None and len(whole) == fewest:
        return whole
    return [names[start : start + size] for start in range(0, len(names), size)]


def _first_fit(groups: Sequence[list[str]], size: int) -> Optional[list[list[str]]]:
    """Largest groups first; None when one is larger than a bin."""
    bins: list[list[str]] = []
    for group in sorted(groups, key=len, reverse=True):
        if len(group) > size:
            return None
        target = next((names for names in bins if len(names) + len(group) <= size), None)
        if target is None:
            bins.append(list(group))
        else:
            target += group
    return bins
