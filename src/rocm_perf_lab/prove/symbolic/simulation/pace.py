"""Values that only the changed kernel carries: guessed from how fast they and others change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Optional

from rocm_perf_lab.prove.symbolic.reasons import NotProven
from rocm_perf_lab.prove.symbolic.run.machine import AFTER, BEFORE, State
from rocm_perf_lab.prove.symbolic.run.path import Path
from rocm_perf_lab.prove.symbolic.simulation import loop as loops
from rocm_perf_lab.prove.symbolic.simulation.loop import Guess, Slot
from rocm_perf_lab.prove.symbolic.terms.term import Term

if TYPE_CHECKING:
    from rocm_perf_lab.prove.symbolic.simulation.simulate import Simulation


def derived_values(
    simulation: Simulation, guess: Guess, entered: Mapping[Slot, Term], before: State, after: State
) -> None:
    """Adds guesses for what has no partner; a way back that contradicts one removes it."""
    alone = [
        group[0]
        for group in guess.groups
        if len(group) == 1 and group[0].side == AFTER and group[0] not in guess.derived
    ]
    alone = [s for s in alone if s not in guess.refused and entered[s].bits > 1]
    if not alone:
        return
    own = _pace(simulation, AFTER, after)
    other = _pace(simulation, BEFORE, before)
    partners = {s for g in guess.groups if any(t.side == BEFORE for t in g) for s in g}
    for slot in alone:
        for pace, side in ((own, AFTER), (other, BEFORE)):
            bases = [base for base in pace if base in partners and base.side == side]
            found = _speed(simulation, slot, own, bases, pace, entered)
            if found is not None:
                guess.derived[slot] = found
                break


def _speed(
    simulation: Simulation,
    slot: Slot,
    own: Mapping[Slot, Term],
    bases: list[Slot],
    pace: Mapping[Slot, Term],
    entered: Mapping[Slot, Term],
) -> Optional[tuple[Slot, Term]]:
    build = simulation.build
    if slot not in own:
        return None
    for base in bases:
        step = pace[base]
        if step.bits > entered[slot].bits or step.bits < 2:
            continue
        wide = build.extended("sext", step, entered[slot].kind)
        speed = build.quotient(own[slot], wide)
        if speed is not None:
            return base, speed
    return None


def _pace(simulation: Simulation, side: str, state: State) -> dict[Slot, Term]:
    """By how much each integer at the head changes in one iteration, where that is always the same
    amount. One version alone; what is found is only a guess."""
    walker = simulation.walker(side)
    start, values = simulation.generic(walker.machine, state)
    symbols = frozenset(values.values())
    found: dict[Slot, set[Term]] = {slot: set() for slot in values}
    head = state.block
    try:
        for stop in walker.walk(start, Path(), simulation.decided):
            if stop.head != head:
                continue
            for slot, value in loops.slots_at(walker.machine, stop.state).items():
                if value.term.bits:
                    found[slot].add(simulation.build.sub(value.term, values[slot]))
    except NotProven:
        return {}
    return {
        slot: next(iter(steps))
        for slot, steps in found.items()
        if len(steps) == 1 and not (next(iter(steps)).symbols & symbols)
    }
