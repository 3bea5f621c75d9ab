"""A counter never comes to lie behind where it began, whatever else its loop does.

Shown of the original alone, by induction: from any iteration in which that holds, every way back to
the head keeps it. Only of what is compared at the head: there the original has no meaning if the
first value overflowed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from rocm_perf_lab.prove.symbolic.ir.model import Block, Local
from rocm_perf_lab.prove.symbolic.reasons import NotProven
from rocm_perf_lab.prove.symbolic.run.flow import loop_bodies
from rocm_perf_lab.prove.symbolic.run.machine import BEFORE, State
from rocm_perf_lab.prove.symbolic.run.path import Path
from rocm_perf_lab.prove.symbolic.simulation import loop as loops
from rocm_perf_lab.prove.symbolic.simulation.loop import Slot
from rocm_perf_lab.prove.symbolic.terms.term import Term

if TYPE_CHECKING:
    from rocm_perf_lab.prove.symbolic.simulation.simulate import Simulation

_NOT_BEHIND = {"s": ("sge", "sle"), "u": ("uge", "ule")}


def bounds(
    simulation: Simulation, entered: Mapping[Slot, Term], before: State, path: Path
) -> dict[Slot, str]:
    """By counter: how it compares with what it was when the loop was entered. ``path`` learns that
    the loop is entered with numbers that did not overflow."""
    machine = simulation.walker(BEFORE).machine
    first = loops.slots_at(machine, before)
    found: dict[Slot, str] = {}
    for phi, sign in _compared(machine.function.blocks[before.block]):
        slot = Slot(BEFORE, phi)
        if slot not in entered or entered[slot].bits < 2:
            continue
        for need in sorted(first[slot].needs, key=lambda term: term.number):
            path.learn(need)
        for relation in _NOT_BEHIND[sign]:
            if _is_kept(simulation, slot, relation, entered[slot], before, path):
                found[slot] = relation
                break
    return found


def _compared(head: Block) -> Iterator[tuple[str, str]]:
    """Values at the head whose comparison decides whether the loop goes on, and its sign."""
    phis = {phi.result for phi in head.phis}
    if not head.end.operands or not isinstance(head.end.operands[0].value, Local):
        return
    condition = head.end.operands[0].value.name
    for one in head.body:
        if one.op == "icmp" and one.result == condition:
            for operand in one.operands:
                if isinstance(operand.value, Local) and operand.value.name in phis:
                    yield operand.value.name, "u" if one.detail.startswith("u") else "s"


def _is_kept(
    simulation: Simulation,
    slot: Slot,
    relation: str,
    entered: Term,
    before: State,
    path: Path,
) -> bool:
    walker, build = simulation.walker(BEFORE), simulation.build
    start, values = simulation.generic(walker.machine, before)
    known = path.fork()
    known.learn(build.compared(relation, values[slot], entered))
    body = loop_bodies(walker.machine.function)[before.block]
    try:
        for stop in walker.walk(start, known, simulation.decided):
            if stop.head is None:
                continue
            if stop.head != before.block:
                if stop.head in body:
                    return False  # a loop in the loop: what it does is not looked at
                continue
            value = loops.slots_at(walker.machine, stop.state)[slot]
            kept = build.compared(relation, value.term, entered)
            if not simulation.implied(stop.path.known(), kept):
                return False
    except NotProven:
        return False
    return True
