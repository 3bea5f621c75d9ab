"""What stays true in a loop, shown by induction. Pure.

A loop in which lanes stop one after the other keeps a mask of those that have; what is true of a
lane when it stops is true as long as it sleeps. Masks that the loop writes are tried with the side
that is asked for, and what an iteration does not keep is left out until the rest is kept.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any, Callable, Optional

from rocm_perf_lab.prove.oracle.executed.flow import Parsed
from rocm_perf_lab.prove.oracle.executed.solver.state import State, World, is_vector
from rocm_perf_lab.prove.oracle.executed.solver.step import targets

_EFFORT = 1_000_000
_MOST_MASKS = 6
_LANES = 64
Claim = Callable[[State], Any]
Side = Callable[[State], Optional[Any]]  # whether an instruction in this state shows it
Place = tuple[Any, State]  # whether a run comes there, and how


def kept(
    world: World, body: Sequence[Parsed], side: Side, entering: Place, inside: Place,
    again: Sequence[Place],
) -> list[Any]:  # fmt: skip
    """Facts about ``inside``, the start of any iteration, which ends in one of ``again``."""
    found = [
        one for one in _claims(world, body, side, inside[1]) if _holds(world, entering, one, [])
    ]
    while found:
        assumed = [one(inside[1]) for one in found]
        still = [one for one in found if all(_holds(world, end, one, assumed) for end in again)]
        if len(still) == len(found):
            return [world.z3.Implies(inside[0], fact) for fact in assumed]
        found = still
    return []


def _claims(world: World, body: Sequence[Parsed], side: Side, state: State) -> Iterator[Claim]:
    if side(state) is None:
        return
    z3 = world.z3
    yield lambda there: z3.Not(side(there))
    for text in _masks(body, state)[:_MOST_MASKS]:
        yield functools.partial(_stopped, text)
        yield functools.partial(_without_side, world, text, side)


def _stopped(mask: str, state: State) -> Any:
    """No lane of the mask is active."""
    return state.exec & state.read(mask, _LANES) == 0


def _without_side(world: World, mask: str, side: Side, state: State) -> Any:
    """The lane does not show the side if it is in the mask."""
    is_in = state.read(mask, _LANES) & world.lane != 0
    return world.z3.Implies(is_in, world.z3.Not(side(state)))


def _masks(body: Sequence[Parsed], state: State) -> list[str]:
    """Pairs of scalar registers that the loop writes, those first with which it changes lanes."""
    changing = [text for one in body if "exec" in one.operands[:1] for text in one.operands[1:]]
    written = [text for one in body for text in targets(one)]
    return [
        text
        for text in dict.fromkeys([*changing, *written])
        if text in written
        and text != "exec"
        and len(state.names(text)) == 2
        and not any(map(is_vector, state.names(text)))
    ]


def _holds(world: World, place: Place, claim: Claim, assumed: Sequence[Any]) -> bool:
    reached, state = place
    solver = world.z3.SolverFor("QF_BV")
    solver.set("rlimit", _EFFORT)
    solver.add(*world.facts, reached, *assumed, world.z3.Not(claim(state)))
    return bool(solver.check() == world.z3.unsat)
