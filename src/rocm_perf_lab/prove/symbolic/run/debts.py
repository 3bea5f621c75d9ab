"""What the changed kernel relies on has to follow from what the original does."""

from __future__ import annotations

from typing import Optional

from rocm_perf_lab.prove.symbolic.reasons import NotProven
from rocm_perf_lab.prove.symbolic.run.machine import State
from rocm_perf_lab.prove.symbolic.run.memory import Place, root_of
from rocm_perf_lab.prove.symbolic.run.path import Access, Owed, Path
from rocm_perf_lab.prove.symbolic.run.walk import Decide, Walker
from rocm_perf_lab.prove.symbolic.solver import Solver
from rocm_perf_lab.prove.symbolic.terms.build import Builder
from rocm_perf_lab.prove.symbolic.terms.polynomial import constant_of
from rocm_perf_lab.prove.symbolic.terms.term import Term

_SCALAR = 8  # bytes


class Debts:
    def __init__(self, build: Builder, solver: Solver, before: Walker, decide: Decide) -> None:
        self._build = build
        self._solver = solver
        self._before = before
        self._decide = decide

    def settle(self, path: Path, before: Optional[State]) -> None:
        """Shows all that is owed; the original may yet do on its way from ``before`` what the
        changed kernel did early."""
        pending = [access for access in path.pending if not self._allowed(access, path)]
        owed = [one for one in dict.fromkeys(path.owed) if not self._shown(one, path)]
        if (pending or owed) and before is not None:
            pending, owed = self._later(pending, owed, path, before)
        if pending:
            raise NotProven(
                "the changed kernel accesses memory that the original does not",
                pending[0].line,
                rank=2,
            )
        if owed:
            raise NotProven(self._told(owed[0].need), owed[0].line, rank=3)
        path.pending, path.owed = [], []

    def _allowed(self, access: Access, path: Path) -> bool:
        place = access.place
        known = path.accessed.get(place)
        if known is not None and known >= access.align:
            return True
        if any(self._covers(other, align, access) for other, align in path.accessed.items()):
            return True
        # Variables of the kernel are aligned for numbers of up to 8 bytes, not for vectors.
        return access.align <= place.size <= _SCALAR and self._inside(place, path)

    def _covers(self, other: Place, align: int, access: Access) -> bool:
        """An access of the original that has all bytes of this one, as well aligned."""
        place = access.place
        if other.space != place.space or other.address.kind != place.address.kind:
            return False
        distance = constant_of(self._build.sub(place.address, other.address))
        if distance is None or distance + place.size > other.size:
            return False
        return align >= access.align and distance % max(access.align, 1) == 0

    def _inside(self, place: Place, path: Path) -> bool:
        """Whether a place lies in a variable of the kernel, or in what the runtime passes to it."""
        root = root_of(place.address)
        if root is None or root.size is None or place.size > root.size:
            return False
        build, kind = self._build, place.address.kind
        offset = build.sub(place.address, build.plain("value", kind, data=root))
        within = build.compared("ule", offset, build.const(kind, root.size - place.size))
        return self._solver.implies(path.known(), within)

    def _shown(self, one: Owed, path: Path) -> bool:
        if one.need in path.facts or (not one.used and one.need in path.kept):
            return True
        if one.need.op == "inside":
            return self._address_shown(one.need.args[0], path)
        if one.need.op == "promise":
            return False
        known = path.known()
        if self._solver.implies(known, one.need):
            return True
        # A value that the original keeps, too: there it may be poison for the same reason.
        return not one.used and self._solver.implies((*known, *path.kept), one.need)

    def _address_shown(self, address: Term, path: Path) -> bool:
        accessed = {place.address: None for place in path.accessed}
        if address in accessed or self._inside(Place(0, address, 0), path):
            return True
        known, root = path.known(), root_of(address)
        return root is not None and any(
            self._solver.implies(known, self._build.equal(other, address))
            for other in accessed
            if root_of(other) == root
        )

    def _later(
        self, pending: list[Access], owed: list[Owed], path: Path, before: State
    ) -> tuple[list[Access], list[Owed]]:
        """What the original does on every way from here to its next loop head. It gets there:
        barriers and atomics return, and what it would do without meaning it does not do."""
        late_access: list[Access] = []
        late_owed: list[Owed] = []
        for stop in self._before.walk(before.fork(), path.fork(), self._decide):
            late_access += [one for one in pending if not self._allowed(one, stop.path)]
            late_owed += [one for one in owed if not self._shown(one, stop.path)]
        return late_access, late_owed

    def _told(self, need: Term) -> str:
        if need.op == "inside":
            return "an address that the changed kernel computes may lie outside of its array"
        if need.op == "fits":
            return (
                "a number that the changed kernel computes may overflow where the original does not"
            )
        return "the changed kernel relies on something that the original does not"
