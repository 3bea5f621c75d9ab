"""Sides that no run can show, by z3 where it is installed.

The question is whether some registers and some memory lead to a side: not whether a host launches
that. No answer in time, and anything that is not understood, means that a run may show it.
"""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional

from rocm_perf_lab.collect.disassembly import Instruction
from rocm_perf_lab.prove.oracle.executed.conditions import is_conjunction
from rocm_perf_lab.prove.oracle.executed.feasible import settled
from rocm_perf_lab.prove.oracle.executed.flow import (
    Block,
    Parsed,
    blocks_of,
    has_unknown_jumps,
    parsed,
)
from rocm_perf_lab.prove.oracle.executed.solver.graph import Graph, graph_of
from rocm_perf_lab.prove.oracle.executed.solver.paths import TooLong, Way, Ways
from rocm_perf_lab.prove.oracle.executed.solver.state import State, World
from rocm_perf_lab.prove.oracle.executed.solver.step import (
    compared,
    has_indexed_registers,
    selected,
    sources,
)
from rocm_perf_lab.prove.oracle.executed.unseen import (
    CLEARED,
    FIRST_IDLE,
    NEVER,
    NOT_BOTH,
    NOT_NEITHER,
    ONLY_FIRST,
    SECOND_IDLE,
    Unseen,
    is_vector_work,
)

# z3 counts its own steps: the same question gets the same answer on a busy machine.
_EFFORT = 4_000_000
MOST_QUESTIONS = 32  # of one code: where more was not seen, trials have to show it
_EXTREME = re.compile(r"[sv]_(?P<which>min|max)_(?P<type>[iu])32(?:_e\d+)?$")
_UNDECIDED = (FIRST_IDLE, SECOND_IDLE, NOT_BOTH, NOT_NEITHER)
_AND = re.compile(r"[sv]_and_b32(?:_e\d+)?$")
INSTALL = "`pip install z3-solver` lets the oracle ask whether any run can show it"


def installed() -> Optional[Any]:
    try:
        return importlib.import_module("z3")
    except ImportError:
        return None


@dataclass
class Solver:
    """Of one listing."""

    listing: Sequence[Instruction]
    _answers: dict[tuple[int, str], bool] = field(default_factory=dict)

    @functools.cached_property
    def _code(self) -> list[Parsed]:
        return [parsed(one.text) for one in self.listing]

    @functools.cached_property
    def _blocks(self) -> dict[int, Block]:
        return blocks_of(self.listing, self._code)

    @functools.cached_property
    def _graph(self) -> Optional[Graph]:
        code = self._code
        if not code or has_unknown_jumps(code) or has_indexed_registers(code):
            return None
        return graph_of(self._blocks)

    def possible(self, wanted: Sequence[Unseen]) -> tuple[Unseen, ...]:
        """Those that a run may show."""
        if not wanted or len(wanted) > MOST_QUESTIONS or installed() is None:
            return tuple(wanted)
        return tuple(one for one in wanted if not self._is_impossible(one))

    def _is_impossible(self, one: Unseen) -> bool:
        key = (one.offset, one.what)
        if key not in self._answers:
            self._answers[key] = self._ask(one)
        return self._answers[key]

    def _ask(self, one: Unseen) -> bool:
        z3, graph = installed(), self._graph
        if z3 is None or graph is None:
            return False
        entry = self.listing[0].address
        at = next(n for n, i in enumerate(self.listing) if i.address == entry + one.offset)
        begin = next(b for b in graph.order if self._blocks[b].begin <= at < self._blocks[b].end)
        code = self._code[at]
        ways = Ways(
            self._code, graph, World(z3), settled(self._code, self._blocks) or {}, code,
            lambda state: _is_first(code, one.what, state),
        )  # fmt: skip
        try:
            way = ways.to(begin, at)
        except TooLong:
            return False
        return any(
            _excluded(z3, [*ways.world.facts, way.reached, claim], hint)
            for claim, is_of_lane in _claims(code, one.what, way)
            for hint in (None, *(() if is_of_lane else ways.world.firsts))
        )


def _excluded(z3: Any, facts: Sequence[Any], hint: Optional[Any]) -> bool:
    solver = z3.SolverFor("QF_BV")
    solver.set("rlimit", _EFFORT)
    solver.add(*facts)
    if hint is not None:
        solver.add(hint)
    return bool(solver.check() == z3.unsat)


def _claims(one: Parsed, what: str, way: Way) -> Iterator[tuple[Any, bool]]:
    """What is true where the side is shown, and whether that is about the lane that is followed."""
    state = way.state
    z3, is_vector = state.world.z3, is_vector_work(one.name)
    yield (state.exec != 0 if is_vector else z3.BoolVal(True)), False
    here = state.is_awake if is_vector else z3.BoolVal(True)
    if what == NEVER:
        yield here, is_vector
        return
    is_first = _is_first(one, what, state)
    if is_first is not None:
        yield z3.And(here, is_first), is_vector


def _is_first(one: Parsed, what: str, state: State) -> Optional[Any]:
    """That the side is shown which is missing."""
    z3 = state.world.z3
    if what == NEVER:
        return None
    if what == CLEARED:
        return _cleared(one, state) if _AND.match(one.name) else None
    if what in _UNDECIDED:
        return _of_two_conditions(one, what, state)
    extreme = _EXTREME.match(one.name)
    if extreme is not None:
        return _extreme(one, extreme, what, state)
    if one.name.startswith("v_cndmask_b32"):
        side = selected(one, state)
    elif one.name.startswith("s_cselect"):
        side = state.scc
    else:
        side = compared(one, state)
    if side is None:
        return None
    return z3.Not(side) if what == ONLY_FIRST else side


def _extreme(one: Parsed, match: re.Match[str], what: str, state: State) -> Optional[Any]:
    read, z3 = sources(one, state), state.world.z3
    if read is None:
        return None
    a, b = read
    less, more = (a < b, b < a) if match["type"] == "i" else (z3.ULT(a, b), z3.ULT(b, a))
    first_wins = less if match["which"] == "min" else more
    second_wins = more if match["which"] == "min" else less
    return second_wins if what == ONLY_FIRST else first_wins


def _of_two_conditions(one: Parsed, what: str, state: State) -> Optional[Any]:
    """That they are in the lane that is followed as nobody has seen them."""
    read, world = sources(one, state, 64), state.world
    if read is None:
        return None
    lane, z3 = world.lane, world.z3
    first, second = (value & lane != 0 for value in read)
    if "n2" in one.name:
        second = z3.Not(second)
    conjunction = is_conjunction(one.name)
    if what == NOT_BOTH:
        found = z3.And(first, second)
    elif what == NOT_NEITHER:
        found = z3.Not(z3.Or(first, second))
    elif (what == SECOND_IDLE) == conjunction:
        found = z3.And(first, z3.Not(second))
    else:
        found = z3.And(second, z3.Not(first))
    return z3.And(state.is_awake, found)


def _cleared(one: Parsed, state: State) -> Optional[Any]:
    """A bit of a source that is no constant."""
    read, z3 = sources(one, state), state.world.z3
    if read is None:
        return None
    named = [v for v, text in zip(read, one.operands[1:]) if state.names(text)]
    return z3.Or(*[value & ~(read[0] & read[1]) != 0 for value in named])
