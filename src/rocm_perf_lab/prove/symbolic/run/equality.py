"""Whether two expressions are the same: by their form, by the solver, or part by part."""

from __future__ import annotations

from typing import Optional

from rocm_perf_lab.prove.symbolic.solver import Solver
from rocm_perf_lab.prove.symbolic.terms.build import Builder
from rocm_perf_lab.prove.symbolic.terms.term import Term

Facts = tuple[Term, ...]
_DEEPEST = 60


class Equality:
    def __init__(self, build: Builder, solver: Solver) -> None:
        self._build = build
        self._solver = solver

    def same(self, a: Term, b: Term, facts: Facts, depth: int = _DEEPEST) -> bool:
        if a is b:
            return True
        if a.kind != b.kind or depth == 0:
            return False
        if a.bits:
            goal = self._build.equal(a, b)
            if goal is self._build.false:
                return False
            if self._solver.implies(facts, goal):
                return True
        if a.op in ("poly", "const", "symbol", "memory", "value"):
            return False
        alike = a.op == b.op and a.data == b.data and len(a.args) == len(b.args)
        return alike and all(self.same(x, y, facts, depth - 1) for x, y in zip(a.args, b.args))

    def difference(self, a: Term, b: Term, facts: Facts) -> Optional[str]:
        """The first thing in which two memories differ, in words; None if they are the same."""
        mine, theirs = _chain(a, b), _chain(b, a)
        if len(mine) != len(theirs) or _start(a, mine) is not _start(b, theirs):
            if a is b:
                return None
            return (
                f"it stores or synchronises {len(theirs)} times where the original does so "
                f"{len(mine)} times"
            )
        for one, other in zip(mine, theirs):
            why = self._step_difference(one, other, facts)
            if why is not None:
                return why
        return None

    def _step_difference(self, one: Term, other: Term, facts: Facts) -> Optional[str]:
        if one.op != other.op or one.data != other.data or len(one.args) != len(other.args):
            return "stores, barriers or atomics come in another order, or of another type"
        names = ("memory", "address", "value")
        for place, (x, y) in enumerate(zip(one.args[1:], other.args[1:]), 1):
            if not self.same(x, y, facts):
                what = "the operand of a synchronising operation"
                if one.op == "store":
                    what = f"the {names[place]} of a store"
                return f"{what} is not shown to be the same"
        return None


def _chain(memory: Term, other: Term) -> list[Term]:
    """Stores and events from the last memory that both have on."""
    theirs = set()
    walk: Optional[Term] = other
    while walk is not None:
        theirs.add(walk)
        walk = walk.args[0] if walk.op in ("store", "event") else None
    found = []
    while memory not in theirs and memory.op in ("store", "event"):
        found.append(memory)
        memory = memory.args[0]
    return found[::-1]


def _start(memory: Term, chain: list[Term]) -> Term:
    return chain[0].args[0] if chain else memory
