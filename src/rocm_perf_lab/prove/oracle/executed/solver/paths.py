"""All ways from the start of a kernel to one of its instructions, as one state and one condition.

Where ways meet, the state is one of theirs. Where a loop begins, what it writes may be anything
that an iteration leaves which began with anything; it is entered from outside, or goes round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional

from rocm_perf_lab.prove.oracle.executed.flow import Parsed
from rocm_perf_lab.prove.oracle.executed.known import Condition, Known, Operand
from rocm_perf_lab.prove.oracle.executed.solver.graph import Graph
from rocm_perf_lab.prove.oracle.executed.solver.induction import Side, kept
from rocm_perf_lab.prove.oracle.executed.solver.state import State, World, is_vector
from rocm_perf_lab.prove.oracle.executed.solver.step import execute, targets
from rocm_perf_lab.prove.oracle.executed.solver.words import RELATIONS

_MOST_INSTRUCTIONS = 6000  # of all blocks on the way; more is not tried
_ASKED = {
    "s_cbranch_scc1": ("scc", True), "s_cbranch_scc0": ("scc", False),
    "s_cbranch_vccnz": ("vcc", True), "s_cbranch_vccz": ("vcc", False),
    "s_cbranch_execnz": ("exec", True), "s_cbranch_execz": ("exec", False),
}  # fmt: skip


class TooLong(Exception):
    pass


@dataclass(frozen=True)
class Way:
    """``reached`` is true where a run is here in this state."""

    reached: Any
    state: State


@dataclass
class Ways:
    code: Sequence[Parsed]
    graph: Graph
    world: World
    known: Mapping[int, Known]  # where blocks begin, in every run
    asked: Parsed  # the instruction
    side: Side  # that is asked for
    _steps: int = 0
    _most: int = _MOST_INSTRUCTIONS
    _start: dict[str, Any] = field(default_factory=dict)

    def to(self, begin: int, at: int) -> Way:
        """To the instruction ``at`` of the block that begins there."""
        state = State(self.world, self._start)
        self.world.facts.append(state.exec != 0)
        first = Way(self.world.z3.BoolVal(True), state)
        way = self._through(frozenset(self.graph.order), 0, first, (begin,), frozenset())[begin]
        return Way(way.reached, self._executed(way, begin, at))

    def _through(
        self,
        among: frozenset[int],
        first: int,
        entering: Way,
        wanted: Sequence[int],
        going: frozenset[int],
    ) -> dict[int, Way]:
        """Where the ``wanted`` blocks begin, on ways that begin with the block ``first`` and go
        round in no loop but by ``_looped``; ``going``: first blocks of loops that are under way."""
        needed = frozenset().union(*(self.graph.leading_to(one, among) for one in wanted))
        at: dict[int, Way] = {}
        incoming: dict[int, list[Way]] = {first: [entering]}
        for begin in self.graph.order:
            if begin not in needed or begin not in incoming:
                continue
            way = self._met(incoming[begin])
            if begin in self.graph.loops and begin not in going:
                way = self._looped(begin, way, going)
            self._assume(begin, way)
            at[begin] = way
            if any(one in needed for one in self._following(begin)):
                end = self._executed(way, begin, self.graph.blocks[begin].end)
                for following, condition in self._left(begin, end):
                    if (begin, following) not in self.graph.back and following in needed:
                        reached = self.world.z3.And(way.reached, condition)
                        incoming.setdefault(following, []).append(Way(reached, end))
        return at

    def _looped(self, first: int, entering: Way, going: frozenset[int]) -> Way:
        """The state at the start of any iteration."""
        loop, z3 = self.graph.loops[first], self.world.z3
        state = entering.state.copy()
        state.scc = self.world.truth()
        for begin in loop:
            block = self.graph.blocks[begin]
            for one in self.code[block.begin : block.end]:
                for text in targets(one):
                    state.forget(text)
        before = Way(entering.reached, state)
        lasts = [last for last, to in self.graph.back if to == first]
        spent, most = self._steps, self._most
        self._most = spent + (most - spent) // 2  # the rest is for what follows
        try:
            reached = self._through(loop, first, before, lasts, going | {first})
        except TooLong:
            return before
        finally:
            self._most = most
        round_again = []
        for last in lasts:
            way = reached.get(last)
            if way is None:
                continue
            end = self._executed(way, last, self.graph.blocks[last].end)
            for following, condition in self._left(last, end):
                if following == first:
                    round_again.append(Way(z3.And(way.reached, condition), end))
        if self._may_change(loop):
            ends = [(one.reached, one.state) for one in round_again]
            enters, starts = (entering.reached, entering.state), (before.reached, before.state)
            body = [self.code[at] for begin in sorted(loop) for at in self._places(begin)]
            self.world.facts += kept(self.world, body, self.side, enters, starts, ends)
        is_first = self.world.truth()
        ways = [Way(z3.And(entering.reached, is_first), entering.state)]
        ways += [Way(z3.And(one.reached, z3.Not(is_first)), one.state) for one in round_again]
        return self._met(ways)

    def _places(self, begin: int) -> range:
        return range(begin, self.graph.blocks[begin].end)

    def _may_change(self, loop: frozenset[int]) -> bool:
        """Whether a loop writes what the side that is asked for depends on."""
        state = State(self.world, self._start)
        asked = {name for text in self.asked.operands for name in state.names(text)}
        written = (
            name
            for begin in loop
            for at in self._places(begin)
            for text in targets(self.code[at])
            for name in state.names(text)
        )
        return any(name in asked and is_vector(name) for name in written)

    def _met(self, ways: Sequence[Way]) -> Way:
        if len(ways) == 1:
            return ways[0]
        z3 = self.world.z3
        state = ways[-1].state.copy()
        for way in reversed(ways[:-1]):
            for name in {*state.held, *way.state.held}:
                mine, others = state.register(name), way.state.register(name)
                if mine is not others:
                    state.held[name] = z3.If(way.reached, others, mine)
            state.scc = z3.If(way.reached, way.state.scc, state.scc)
        return Way(z3.Or(*[way.reached for way in ways]), state)

    def _executed(self, way: Way, begin: int, end: int) -> State:
        self._steps += end - begin
        if self._steps > self._most:
            raise TooLong
        after = way.state.copy()
        self.world.reached = way.reached
        for one in self.code[begin:end]:
            execute(one, after)
        return after

    def _following(self, begin: int) -> list[int]:
        return [following for _, following in self.graph.blocks[begin].after]

    def _left(self, begin: int, state: State) -> list[tuple[int, Any]]:
        """What follows, and when. The first one is where the branch leads."""
        following = self._following(begin)
        if len(following) < 2:
            return [(one, self.world.z3.BoolVal(True)) for one in following]
        taken = self._taken(self.code[self.graph.blocks[begin].end - 1].name, state)
        return [(following[0], taken), (following[1], self.world.z3.Not(taken))]

    def _taken(self, name: str, state: State) -> Any:
        asked = _ASKED.get(name)
        if asked is None:
            return self.world.truth()
        what, is_set = asked
        value = state.scc if what == "scc" else state.read(what, 64) != 0
        return value if is_set else self.world.z3.Not(value)

    def _assume(self, begin: int, way: Way) -> None:
        """What ranges and comparisons of scalar registers tell of every run."""
        known = self.known.get(begin)
        if known is None:
            return
        z3, said = self.world.z3, []
        for name, (low, high) in known.ranges.items():
            value = way.state.read(name, 32)
            if value is not None:
                said += [z3.UGE(value, low), z3.ULE(value, high)]
        for relation in known.relations:
            holds = self._relation(relation, way.state)
            if holds is not None:
                said.append(holds)
        if said:
            self.world.facts.append(z3.Implies(way.reached, z3.And(*said)))

    def _relation(self, relation: Condition, state: State) -> Optional[Any]:
        a, b = self._value(relation.first, state), self._value(relation.second, state)
        if a is None or b is None:
            return None
        return RELATIONS[relation.relation][not relation.signed](self.world.z3, a, b)

    def _value(self, operand: Operand, state: State) -> Optional[Any]:
        if isinstance(operand, int):
            return self.world.z3.BitVecVal(operand, 32)
        return state.read(operand, 32)
