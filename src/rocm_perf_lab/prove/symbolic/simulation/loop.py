"""A loop of the original and one of the changed kernel that are at their heads together.

Their states are related by expressions: values that both have are one symbol, what only the changed
kernel has is computed from them. The relation is guessed where the loops are entered, and every way
back has to confirm it; where one does not, the guess is weakened and the loop looked at again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from rocm_perf_lab.prove.symbolic.run.machine import AFTER, BEFORE, Machine, State
from rocm_perf_lab.prove.symbolic.run.memory import LoopMemory, Place
from rocm_perf_lab.prove.symbolic.run.rewrite import rewritten
from rocm_perf_lab.prove.symbolic.run.values import Known, Many, Value
from rocm_perf_lab.prove.symbolic.terms.build import Builder
from rocm_perf_lab.prove.symbolic.terms.term import Term

Same = Callable[[Term, Term], bool]


@dataclass(frozen=True)
class Slot:
    """A value that changes from iteration to iteration; elements of a vector are slots."""

    side: str
    phi: str
    element: tuple[int, ...] = ()


def slots_at(machine: Machine, state: State) -> dict[Slot, Value]:
    """The values at the head of a loop that the state stands at."""
    found: dict[Slot, Value] = {}

    def add(slot: Slot, known: Known) -> None:
        if isinstance(known, Value):
            found[slot] = known
            return
        for index, element in enumerate(known.elements):
            add(Slot(slot.side, slot.phi, (*slot.element, index)), element)

    for phi in machine.function.blocks[state.block].phis:
        assert phi.result is not None
        add(Slot(machine.side, phi.result), state.names[phi.result])
    return found


@dataclass
class Guess:
    """What is believed of a pair of loops, round after round."""

    groups: list[list[Slot]]
    derived: dict[Slot, tuple[Slot, Term]] = field(default_factory=dict)  # from which, how fast
    refused: set[Slot] = field(default_factory=set)  # what is not a function of others
    changed: set[Place] = field(default_factory=set)
    bounds: dict[Slot, str] = field(default_factory=dict)  # how it compares with where it began


@dataclass
class Node:
    key: tuple[str, str]
    values: dict[Slot, Term]  # at the head, over the symbols
    entered: dict[Slot, Term]  # in the first iteration
    owner: dict[Term, Slot]  # the slot whose value a symbol is
    memory: LoopMemory
    steps: int  # of the original, up to here

    @property
    def symbols(self) -> frozenset[Term]:
        return frozenset(self.owner)


class WrongGuess(Exception):
    """A way back to the head shows other values than the guess says."""

    def __init__(self, node: Node, arrived: Mapping[Slot, Term], wrong: list[Slot]) -> None:
        super().__init__(f"{len(wrong)} values")
        self.node = node
        self.arrived = dict(arrived)
        self.wrong = wrong


def first_guess(entered: Mapping[Slot, Term]) -> Guess:
    groups: dict[Term, list[Slot]] = {}
    for slot, term in entered.items():
        groups.setdefault(term, []).append(slot)
    return Guess(list(groups.values()))


def values_at_head(
    build: Builder, guess: Guess, entered: Mapping[Slot, Term], fresh: Callable[[str], Term]
) -> tuple[dict[Slot, Term], dict[Term, Slot]]:
    values: dict[Slot, Term] = {}
    owner: dict[Term, Slot] = {}
    for group in guess.groups:
        if len(group) == 1 and group[0] in guess.derived:
            continue
        symbol = fresh(entered[group[0]].kind)
        owner[symbol] = group[0]
        values.update(dict.fromkeys(group, symbol))
    for slot, (base, speed) in guess.derived.items():
        if base in values:
            values[slot] = _derived(build, entered[slot], values[base], entered[base], speed)
    return values, owner


def _derived(build: Builder, start: Term, now: Term, first: Term, speed: Term) -> Term:
    """start + speed * (now - first), in the bits of what is derived."""
    if now.bits < start.bits:
        now, first = (build.extended("sext", term, start.kind) for term in (now, first))
    return build.add(start, build.mul(speed, build.sub(now, first)))


def disagreements(
    build: Builder, node: Node, arrived: Mapping[Slot, Term], same: Same
) -> list[Slot]:
    """Slots whose values at a way back are not what the relation says. Counters come first: where
    they differ, the original is in another iteration, and nothing else needs to be compared."""
    values = {symbol: arrived[slot] for symbol, slot in node.owner.items()}
    for counts in (True, False):
        wrong = [
            slot
            for slot, at_head in node.values.items()
            if node.owner.get(at_head) != slot
            and bool(at_head.bits) == counts
            and not same(arrived[slot], rewritten(build, at_head, values))
        ]
        if wrong:
            return wrong
    return []


def weakened(guess: Guess, found: WrongGuess, same: Same) -> bool:
    """Splits groups by what arrived; False if nothing is left to weaken."""
    before = len(guess.groups)
    groups: list[list[Slot]] = []
    for group in guess.groups:
        parts: list[list[Slot]] = []
        for slot in group:
            fitting = next(
                (p for p in parts if same(found.arrived[p[0]], found.arrived[slot])), None
            )
            if fitting is None:
                parts.append([slot])
            else:
                fitting.append(slot)
        groups += parts
    guess.groups = groups
    dropped = [slot for slot in found.wrong if slot in guess.derived]
    for slot in dropped:
        del guess.derived[slot]
        guess.refused.add(slot)
    return len(groups) > before or bool(dropped)


def with_values(machine: Machine, state: State, values: Mapping[Slot, Term], memory: Term) -> State:
    """The state at the head with the values of any iteration."""
    found = state.fork()
    found.memory = memory

    def put(slot: Slot, known: Known) -> Known:
        if isinstance(known, Value):
            return Value(values[slot])
        inner = enumerate(known.elements)
        parts = (put(Slot(slot.side, slot.phi, (*slot.element, i)), one) for i, one in inner)
        return Many(tuple(parts))

    for phi in machine.function.blocks[state.block].phis:
        assert phi.result is not None
        found.names[phi.result] = put(Slot(machine.side, phi.result), state.names[phi.result])
    return found


__all__ = ["AFTER", "BEFORE", "Guess", "Node", "Slot", "WrongGuess"]
