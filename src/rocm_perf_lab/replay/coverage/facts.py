"""What is known of an instruction that was executed, and the same of several dispatches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Optional

# Bits of Covered.facts, or'ed over all waves and executions. docs/coverage.md says what the sides
# of an instruction are.
REACHED = 1  # executed, with whatever lanes
ACTIVE = 2  # with at least one lane active
TAKEN = 4  # conditional branches
NOT_TAKEN = 8
TRUE = 16  # comparisons, selects and others that have two sides
FALSE = 32
ALL_FACTS = REACHED | ACTIVE | TAKEN | NOT_TAKEN | TRUE | FALSE

Pair = tuple[int, int]


@dataclass(frozen=True)
class Covered:
    """One instruction that was reached."""

    offset: int  # bytes from the kernel's symbol; functions that it calls may lie before it
    facts: int
    pairs: tuple[Pair, ...] = ()  # comparisons: some of the operands, as raw bits

    def has(self, facts: int) -> bool:
        """Whether all of these are known."""
        return self.facts & facts == facts


@dataclass(frozen=True)
class Work:
    """What a dispatch did, each byte counted once. Kernel arguments and code are left out."""

    read_bytes: int  # of global memory, read before the dispatch wrote them itself
    written_bytes: int
    flops: int  # of active lanes, and of matrix instructions; a fused multiply-add is two
    executed: int = 0  # instructions of waves
    longest_wave: int = 0  # instructions of the wave that executed most
    written_hash: int = 0  # of which bytes it wrote, with whatever values


@dataclass(frozen=True)
class DispatchCoverage:
    kernel: str
    dispatch: int  # from 0, in the order in which the process dispatched
    ended: bool  # False: a fault, or the time limit, ended the process
    instructions: Mapping[int, Covered]  # by offset, those that were reached
    work: Optional[Work] = None  # None: not told


def merged(coverages: Iterable[DispatchCoverage]) -> Mapping[int, Covered]:
    """What several dispatches of the same code have shown together, in the order of offsets.

    Raises ``ValueError`` for dispatches of different kernels: the same offset is other code there.
    """
    found: list[Mapping[int, Covered]] = []
    kernel = None
    for coverage in coverages:
        if kernel not in (None, coverage.kernel):
            raise ValueError(f"coverage of {kernel} and {coverage.kernel} cannot be merged")
        kernel = coverage.kernel
        found.append(coverage.instructions)
    return united(*found)


def united(*several: Mapping[int, Covered]) -> Mapping[int, Covered]:
    """What is known of the same code, in the order of offsets."""
    facts: dict[int, int] = {}
    pairs: dict[int, dict[Pair, None]] = {}
    for instructions in several:
        for offset, seen in instructions.items():
            facts[offset] = facts.get(offset, 0) | seen.facts
            if seen.pairs:
                pairs.setdefault(offset, {}).update(dict.fromkeys(seen.pairs))
    return {
        offset: Covered(offset, facts[offset], tuple(pairs.get(offset, ())))
        for offset in sorted(facts)
    }
