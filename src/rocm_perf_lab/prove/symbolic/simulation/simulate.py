"""Both versions side by side: for every way of the changed kernel the original has one with the
same effects, from loop head to loop head.

A proof by induction over the steps of the changed kernel. At two loop heads that were reached
together, memory is the same and the values are related (``loop``); from there each way of the
changed kernel to its next loop head is followed by as many steps of the original as it takes to get
to a state that is related again.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Optional

from rocm_perf_lab.prove.symbolic.reasons import NotProven
from rocm_perf_lab.prove.symbolic.run.debts import Debts
from rocm_perf_lab.prove.symbolic.run.equality import Equality
from rocm_perf_lab.prove.symbolic.run.machine import AFTER, BEFORE, Machine, State
from rocm_perf_lab.prove.symbolic.run.memory import LoopMemory, Memories
from rocm_perf_lab.prove.symbolic.run.path import Path
from rocm_perf_lab.prove.symbolic.run.walk import Stop, Walker
from rocm_perf_lab.prove.symbolic.simulation import loop as loops
from rocm_perf_lab.prove.symbolic.simulation.bounds import bounds
from rocm_perf_lab.prove.symbolic.simulation.loop import Guess, Node, Slot, WrongGuess
from rocm_perf_lab.prove.symbolic.simulation.pace import derived_values
from rocm_perf_lab.prove.symbolic.solver import Solver
from rocm_perf_lab.prove.symbolic.terms.build import Builder
from rocm_perf_lab.prove.symbolic.terms.term import Term

_MOST_BLOCKS = 60_000
_MOST_STEPS = 17  # of the original for one of the changed kernel: unrolled by 16 at most
_MOST_ROUNDS = 8


class Simulation:
    def __init__(
        self, before: Machine, after: Machine, memories: Memories, solver: Solver, seconds: float
    ) -> None:
        self.build: Builder = before.build
        self._walkers = {
            BEFORE: Walker(before, self._spend),
            AFTER: Walker(after, self._spend),
        }
        self._memories = memories
        self._solver = solver
        self._equality = Equality(self.build, solver)
        self._debts = Debts(self.build, solver, self._walkers[BEFORE], self._decided)
        self._nodes: list[Node] = []
        self._steps = 0  # of the original, on the current way
        self._fresh = 0
        self._blocks = 0
        self._end = time.thread_time() + seconds
        self.lockstep = False  # lanes meet: both have to branch alike
        self.asks_bounds = False  # of counters: more that is known, and more to be asked about

    def run(self, before: State, after: State) -> None:
        self._explore(before, after, Path())

    def _spend(self) -> None:
        self._blocks += 1
        if self._blocks > _MOST_BLOCKS or time.thread_time() > self._end:
            raise NotProven("there are too many ways through the kernel to look at all of them")

    def _symbol(self, kind: str) -> Term:
        self._fresh += 1
        return self.build.plain("symbol", kind, data=f"s{self._fresh}")

    def _open(self, condition: Term, path: Path) -> Optional[bool]:
        """What is plain to see."""
        if condition.op == "const":
            return bool(condition.data)
        if _holds(condition, path):
            return True
        negated = self.build.negated(condition)
        return False if _holds(negated, path) else None

    def _decided(self, condition: Term, path: Path) -> Optional[bool]:
        plain = self._open(condition, path)
        if plain is not None:
            return plain
        facts = path.known()
        if self._solver.implies(facts, condition):
            return True
        return False if self._solver.implies(facts, self.build.negated(condition)) else None

    def _explore(self, before: State, after: State, path: Path) -> None:
        path.turns = {BEFORE: [], AFTER: []}
        for stop in self._walkers[AFTER].walk(after.fork(), path.fork(), self._open):
            steps = self._steps
            try:
                self._follow(before, stop.path, stop, self._steps)
            except (NotProven, WrongGuess):
                self._steps = steps
                if not self._solver.contradicts(stop.path.known()):
                    raise
            self._steps = steps

    def _follow(self, before: State, path: Path, after: Stop, began: int) -> None:
        """The original from where it stands to where it is related to the changed kernel."""
        steps = self._steps
        failed: Optional[Exception] = None
        if after.head is not None and before.block in self._walkers[BEFORE].heads:
            try:
                self._meet(before, path.fork(), after)
                return
            except (NotProven, WrongGuess) as why:
                self._steps = steps
                if isinstance(why, _Committed):
                    raise
                failed = None if isinstance(why, _StandsStill) else why
        if steps - began >= _MOST_STEPS:
            raise failed or NotProven("the loops of both versions do not run together")
        try:
            self._go_on(before, path, after, began)
        except (NotProven, WrongGuess) as why:
            self._steps = steps
            raise _better(failed, why) from None

    def _go_on(self, before: State, path: Path, after: Stop, began: int) -> None:
        steps = self._steps
        walker = self._walkers[BEFORE]
        strict = steps > began and before.block in walker.heads
        for stop in walker.walk(before.fork(), path.fork(), self._decided, strict):
            self._steps = steps + 1
            try:
                if stop.head is not None:
                    self._follow(stop.state, stop.path, after, began)
                elif after.head is None:
                    self._finish(stop.state, stop.path, after)
                else:
                    raise NotProven("the original ends where the changed kernel has a loop")
            except (NotProven, WrongGuess):
                if not self._solver.contradicts(stop.path.known()):
                    raise
        self._steps = steps

    def _finish(self, before: State, path: Path, after: Stop) -> None:
        self._compare_turns(path)
        self._compare_memory(before, after.state, path)
        self._debts.settle(path, None)

    def _compare_turns(self, path: Path) -> None:
        if self.lockstep and path.turns[BEFORE] != path.turns[AFTER]:
            raise NotProven("lanes exchange values, and the two versions branch differently")

    def _compare_memory(self, before: State, after: State, path: Path) -> None:
        difference = self._equality.difference(before.memory, after.memory, path.known())
        if difference is not None:
            raise NotProven(difference, rank=1)

    def _meet(self, before: State, path: Path, after: Stop) -> None:
        """Both stand at heads of loops."""
        self._compare_turns(path)
        self._compare_memory(before, after.state, path)
        assert after.head is not None
        key = (before.block, after.head)
        node = next((node for node in reversed(self._nodes) if node.key == key), None)
        if node is None:
            self._enter(before, path, after)
        else:
            self._close(node, before, path, after)

    def _arrived(self, before: State, path: Path, after: Stop) -> dict[Slot, Term]:
        """The values at both heads; what they rely on is owed."""
        found = {}
        for machine, state in (
            (self._walkers[BEFORE].machine, before),
            (self._walkers[AFTER].machine, after.state),
        ):
            for slot, value in loops.slots_at(machine, state).items():
                machine.keep(value.needs, None, path)
                found[slot] = value.term
        return found

    def _close(self, node: Node, before: State, path: Path, after: Stop) -> None:
        if self._steps <= node.steps:
            raise _StandsStill("the changed kernel loops while the original stands still")
        arrived = self._arrived(before, path, after)
        facts = path.known()
        wrong = loops.disagreements(
            self.build, node, arrived, lambda a, b: self._equality.same(a, b, facts)
        )
        if wrong:
            raise WrongGuess(node, arrived, wrong)
        self._debts.settle(path, before)
        memory = before.memory
        node.memory.ways_back.append((memory, facts))
        for place in list(node.memory.kept):
            if not self._memories.still_there(node.memory, place, memory, facts):
                node.memory.changed.add(place)
                raise WrongGuess(node, arrived, [])

    def _enter(self, before: State, path: Path, after: Stop) -> None:
        entered = self._arrived(before, path, after)
        self._debts.settle(path, before)
        guess = loops.first_guess(entered)
        if self.asks_bounds:
            guess.bounds = bounds(self, entered, before, path)
        assert after.head is not None
        own = {slot for slot in entered if slot.side == AFTER}
        alike = {
            slot for group in guess.groups if any(s.side == BEFORE for s in group) for slot in group
        }
        committed = own <= alike
        for _ in range(_MOST_ROUNDS):
            derived_values(self, guess, entered, before, after.state)
            try:
                self._round(guess, entered, before, path, after)
                return
            except WrongGuess as why:
                if why.node.key != (before.block, after.head) or why.node.entered is not entered:
                    raise
                guess.changed |= why.node.memory.changed
                if not why.wrong:
                    continue
                if not loops.weakened(guess, why, lambda a, b: a is b):
                    raise _why_not(self, why, committed) from None
            except NotProven as why:
                raise (_Committed(why.why, why.line, why.rank) if committed else why) from None
        raise NotProven(
            "no relation between the values of the loops was found", self.line(after.head)
        )

    def _round(
        self, guess: Guess, entered: dict[Slot, Term], before: State, path: Path, after: Stop
    ) -> None:
        assert after.head is not None
        values, owner = loops.values_at_head(self.build, guess, entered, self._symbol)
        self._fresh += 1
        symbol = self.build.plain("memory", "mem", data=f"in loop {self._fresh}")
        first = min((one.number for one in (*owner, symbol)), default=symbol.number)
        memory = LoopMemory(symbol, before.memory, first, changed=guess.changed)
        self._memories.loops[symbol] = memory
        node = Node((before.block, after.head), values, entered, owner, memory, self._steps)
        inside = path.fork()
        for slot, relation in guess.bounds.items():
            inside.learn(self.build.compared(relation, values[slot], entered[slot]))
        self._nodes.append(node)
        try:
            self._explore(
                loops.with_values(self._walkers[BEFORE].machine, before, values, symbol),
                loops.with_values(self._walkers[AFTER].machine, after.state, values, symbol),
                inside,
            )
        finally:
            self._nodes.pop()

    def line(self, head: str, side: str = AFTER) -> Optional[int]:
        return line_of_head(self._walkers[side].machine, head)

    def walker(self, side: str) -> Walker:
        return self._walkers[side]

    def generic(self, machine: Machine, state: State) -> tuple[State, dict[Slot, Term]]:
        """The state at a head with a symbol for everything that changes."""
        slots = loops.slots_at(machine, state)
        values = {slot: self._symbol(value.term.kind) for slot, value in slots.items()}
        self._fresh += 1
        memory = self.build.plain("memory", "mem", data=f"tried {self._fresh}")
        return loops.with_values(machine, state, values, memory), values

    def decided(self, condition: Term, path: Path) -> Optional[bool]:
        return self._open(condition, path)

    def implied(self, facts: Iterable[Term], goal: Term) -> bool:
        return self._solver.implies(facts, goal)


class _StandsStill(NotProven):
    """The original has to go on first."""


class _Committed(NotProven):
    """The loops that were paired are the right ones: other pairs are not tried."""


def _holds(condition: Term, path: Path) -> bool:
    parts = condition.args if condition.op == "all" else (condition,)
    return all(part in path.facts for part in parts)


def _better(failed: Optional[Exception], why: Exception) -> Exception:
    """Of several pairings that fail, the one with the fewest values that differ tells most."""
    if failed is None:
        return why
    if isinstance(why, _Committed):
        return why
    if isinstance(failed, WrongGuess) and isinstance(why, WrongGuess):
        return why if len(why.wrong) < len(failed.wrong) else failed
    if isinstance(failed, NotProven) and isinstance(why, NotProven):
        return why if why.rank > failed.rank else failed
    return why if isinstance(why, WrongGuess) else failed


def _why_not(simulation: Simulation, why: WrongGuess, committed: bool) -> NotProven:
    line = simulation.line(why.node.key[1])
    text = "a value that the loop carries is computed otherwise"
    return _Committed(text, line, 2) if committed else NotProven(text, line, 2)


def line_of_head(machine: Machine, head: str) -> Optional[int]:
    block = machine.function.blocks[head]
    lines = [one.line for one in (*block.body, block.end, *block.phis) if one.line]
    return lines[0] if lines else None


__all__ = ["Simulation"]
