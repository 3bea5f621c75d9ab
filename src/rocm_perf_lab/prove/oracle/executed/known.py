"""What is known of registers at one place of a kernel, for every run that gets there. Pure.

A register has a range of unsigned values, two scalar registers may be known to compare in one way.
Nothing is known of a register that is not mentioned.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Optional, Union

Operand = Union[str, int]  # a register, or a constant of 32 bits
Relation = Literal["lt", "le", "eq", "ne"]
Range = tuple[int, int]  # both ends belong to it

_ALL = (1 << 32) - 1
_TOP = 1 << 31
_ANYTHING: Range = (0, _ALL)


class Condition(NamedTuple):
    relation: Relation
    signed: bool  # of no matter for eq and ne
    first: Operand
    second: Operand

    def negated(self) -> Condition:
        if self.relation == "lt":
            return Condition("le", self.signed, self.second, self.first)
        if self.relation == "le":
            return Condition("lt", self.signed, self.second, self.first)
        other: Relation = "ne" if self.relation == "eq" else "eq"
        return self._replace(relation=other)


@dataclass
class Known:
    ranges: dict[str, Range] = field(default_factory=dict)
    relations: frozenset[Condition] = frozenset()
    # What SCC tells: the condition that it is 1, and whether that is known to hold.
    condition: Optional[Condition] = None
    scc: Optional[bool] = None

    def copy(self) -> Known:
        return Known(dict(self.ranges), self.relations, self.condition, self.scc)

    def range_of(self, operand: Operand) -> Range:
        if isinstance(operand, int):
            return operand & _ALL, operand & _ALL
        return self.ranges.get(operand, _ANYTHING)

    def set(self, register: str, new: Optional[Range]) -> None:
        """The register gets a value of this range; None: any."""
        self.ranges.pop(register, None)
        self.relations = frozenset(
            one for one in self.relations if register not in (one.first, one.second)
        )
        if self.condition and register in (self.condition.first, self.condition.second):
            self.condition = None
        if new is not None and new != _ANYTHING:
            self.ranges[register] = new

    def forget(self, prefix: str) -> None:
        for register in [one for one in self.ranges if one.startswith(prefix)]:
            self.set(register, None)

    # --- conditions -------------------------------------------------------------------------------

    def holds(self, condition: Condition) -> Optional[bool]:
        if self._implies(condition):
            return True
        return False if self._implies(condition.negated()) else None

    def _implies(self, condition: Condition) -> bool:
        relation, signed, first, second = condition
        a, b = self._as(signed, first), self._as(signed, second)
        if relation == "eq":
            return (a == b and a[0] == a[1]) or condition in self.relations
        if relation == "ne":
            below = Condition("lt", signed, first, second)
            above = Condition("lt", signed, second, first)
            return self._implies(below) or self._implies(above) or condition in self.relations
        if a[1] < b[0] or (relation == "le" and a[1] <= b[0]):
            return True
        strict = condition._replace(relation="lt")
        return strict in self.relations or (relation == "le" and condition in self.relations)

    def _as(self, signed: bool, operand: Operand) -> Range:
        low, high = self.range_of(operand)
        if not signed or high < _TOP:
            return low, high
        return (low - 2 * _TOP, high - 2 * _TOP) if low >= _TOP else (-_TOP, _TOP - 1)

    def assume(self, condition: Condition) -> Optional[Known]:
        """The same where the condition holds; None where it cannot."""
        if self.holds(condition) is False:
            return None
        relation, signed, first, second = condition
        found = self.copy()
        a, b = self._as(signed, first), self._as(signed, second)
        if relation == "eq":
            shared = (max(a[0], b[0]), min(a[1], b[1]))
            kept = found._narrow(first, shared) and found._narrow(second, shared)
        elif relation == "ne":
            kept = found._without(first, b) and found._without(second, a)
        else:
            apart = 1 if relation == "lt" else 0
            kept = found._narrow(first, (a[0], min(a[1], b[1] - apart)))
            kept = kept and found._narrow(second, (max(b[0], a[0] + apart), b[1]))
        if not kept:
            return None
        if isinstance(first, str) and isinstance(second, str):
            found.relations |= {condition}
        return found

    def _narrow(self, operand: Operand, to: Range) -> bool:
        """False if nothing is left. ``to`` may be signed; across zero it is no unsigned range."""
        low, high = to
        if low > high:
            return False
        if isinstance(operand, int) or low < 0 <= high:
            return True
        if high < 0:
            low, high = low + 2 * _TOP, high + 2 * _TOP
        own = self.range_of(operand)
        low, high = max(low, own[0]), min(high, own[1])
        if low > high:
            return False
        if (low, high) != _ANYTHING:
            self.ranges[operand] = (low, high)
        return True

    def _without(self, operand: Operand, other: Range) -> bool:
        low, high = self.range_of(operand)
        if other[0] != other[1] or isinstance(operand, int):
            return True
        low += low == other[0]
        high -= high == other[0]
        return self._narrow(operand, (low, high))


def joined(one: Known, other: Known) -> Known:
    """What is known whichever of both is the case."""
    ranges = {
        register: (min(low, other.ranges[register][0]), max(high, other.ranges[register][1]))
        for register, (low, high) in one.ranges.items()
        if register in other.ranges
    }
    relations = frozenset(
        relation
        for relation in _candidates(one, other)
        if one.holds(relation) and other.holds(relation)
    )
    same = one.condition == other.condition and one.scc == other.scc
    if not same:
        return Known(ranges, relations)
    return Known(ranges, relations, one.condition, one.scc)


def _candidates(one: Known, other: Known) -> Iterable[Condition]:
    return one.relations | other.relations
