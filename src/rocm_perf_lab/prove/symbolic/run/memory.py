"""Memory as an expression: the stores and events of a thread, in sequence.

A load is a function of the memory and the address. It looks past stores that cannot have changed
what it reads, so that a load that was moved is still the same expression.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Optional

from rocm_perf_lab.prove.symbolic.run.values import Root
from rocm_perf_lab.prove.symbolic.solver import Solver
from rocm_perf_lab.prove.symbolic.terms.build import Builder
from rocm_perf_lab.prove.symbolic.terms.polynomial import constant_of, parts_of
from rocm_perf_lab.prove.symbolic.terms.term import Term

FLAT, GLOBAL, LDS, CONSTANT, PRIVATE = 0, 1, 3, 4, 5
FIRST_MEMORY = "at the start"


@dataclass(frozen=True)
class Place:
    """Bytes in memory that an access reads or writes."""

    space: int
    address: Term
    size: int


@dataclass
class LoopMemory:
    """The memory at the head of a loop, in any iteration. What no store of the loop changes is what
    it was in front of the loop; that is assumed of a place first, and checked at every way back."""

    symbol: Term
    before: Term
    first: int  # symbols from this number on are of this loop or of loops in it
    kept: dict[Place, None] = field(default_factory=dict)
    changed: set[Place] = field(default_factory=set)
    ways_back: list[tuple[Term, tuple[Term, ...]]] = field(default_factory=list)


class Memories:
    def __init__(self, build: Builder, solver: Solver) -> None:
        self._build = build
        self._solver = solver
        self.first = build.plain("memory", "mem", data=FIRST_MEMORY)
        self.loops: dict[Term, LoopMemory] = {}
        self.asks_solver = False  # whether addresses are compared by more than their normal form

    def stored(self, memory: Term, place: Place, value: Term, note: str) -> Term:
        data = (place.space, place.size, note)
        return self._build.plain("store", "mem", (memory, place.address, value), data)

    def event(self, memory: Term, name: str, args: Iterable[Term] = ()) -> Term:
        """After it other threads may have written."""
        return self._build.plain("event", "mem", (memory, *args), name)

    def loaded(
        self, memory: Term, place: Place, kind: str, note: str, facts: tuple[Term, ...]
    ) -> Term:
        if place.space == CONSTANT:
            return self._build.plain("load", kind, (place.address,), ("constant", note))
        found = self._seen_from(memory, place, facts)
        if (
            found.op == "store"
            and found.args[1] is place.address
            and _window(found.data[0]) == _window(place.space)
            and found.args[2].kind == kind
        ):
            return found.args[2]
        data = (_window(place.space), note)
        return self._build.plain("load", kind, (found, place.address), data)

    def _seen_from(self, memory: Term, place: Place, facts: tuple[Term, ...]) -> Term:
        """The latest memory in which the place was possibly written."""
        while True:
            step = self._step(memory, place, facts)
            if step is None:
                return memory
            memory = step

    def _step(self, memory: Term, place: Place, facts: tuple[Term, ...]) -> Optional[Term]:
        if memory.op == "store":
            return memory.args[0] if self._apart(memory, place, facts) else None
        if memory.op == "event":
            return memory.args[0] if self._never_written(place) else None
        loop = self.loops.get(memory)
        if loop is not None and self._keeps(loop, place):
            return loop.before
        return None

    def _keeps(self, loop: LoopMemory, place: Place) -> bool:
        if place in loop.kept:
            return True
        # An address of symbols that the loop made is another one in each iteration.
        if place in loop.changed or any(s.number >= loop.first for s in place.address.symbols):
            return False
        loop.kept[place] = None
        for memory, facts in loop.ways_back:
            if not self.still_there(loop, place, memory, facts):
                del loop.kept[place]
                loop.changed.add(place)
                return False
        return True

    def still_there(
        self, loop: LoopMemory, place: Place, memory: Term, facts: tuple[Term, ...]
    ) -> bool:
        """Whether nothing between the loop's head and ``memory`` wrote to the place."""
        while memory is not loop.symbol:
            step = self._step(memory, place, facts)
            if step is None:
                return False
            memory = step
        return True

    def _never_written(self, place: Place) -> bool:
        root = root_of(place.address)
        return root is not None and (root.constant or root.space == PRIVATE)

    def _apart(self, store: Term, place: Place, facts: tuple[Term, ...]) -> bool:
        space, size, _ = store.data
        address = store.args[1]
        if space != place.space and FLAT not in (space, place.space):
            return True
        if address.kind != place.address.kind:
            return False
        distance = constant_of(self._build.sub(address, place.address))
        if distance is not None:
            modulus = 1 << address.bits
            return distance >= place.size and modulus - distance >= size
        if roots_apart(root_of(address), root_of(place.address)):
            return True
        if not self.asks_solver:
            return False
        build = self._build
        kind = address.kind
        distance_term = build.sub(address, place.address)
        far = build.compared("uge", distance_term, build.const(kind, place.size))
        back = build.sub(build.const(kind, 0), distance_term)
        behind = build.compared("uge", back, build.const(kind, size))
        return self._solver.implies(facts, build.both(far, behind))


def _window(space: int) -> int:
    """Global memory has the same addresses through either kind of pointer."""
    return GLOBAL if space == FLAT else space


def root_of(address: Term) -> Optional[Root]:
    """The one pointer that an address is computed from; None where that is not plain."""
    found = None
    for monomial, factor in parts_of(address).items():
        roots = [atom for atom in monomial if isinstance(atom.data, Root)]
        if not roots:
            continue
        if found is not None or len(monomial) != 1 or factor != 1:
            return None
        found = roots[0].data
    return found if isinstance(found, Root) else None


def roots_apart(one: Optional[Root], other: Optional[Root]) -> bool:
    if one is None or other is None or one == other:
        return False
    if one.alone or other.alone:
        return True
    own = [root.where != "argument" and root.size != 0 for root in (one, other)]
    return all(own)  # two variables; an argument may point at one of them
