"""What a name of IR stands for: an expression, and what has to hold for it to mean anything.

IR's flags (``nsw``, ``inbounds``, ...) make a value poison where they do not hold. Of the original
kernel that may be assumed where it is used; of the changed one it has to be shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Union

from rocm_perf_lab.prove.symbolic.terms.build import Builder
from rocm_perf_lab.prove.symbolic.terms.term import Term

NOTHING: frozenset[Term] = frozenset()


@dataclass(frozen=True)
class Value:
    term: Term
    needs: frozenset[Term] = NOTHING


@dataclass(frozen=True)
class Many:
    """A vector, array or struct: element by element."""

    elements: tuple[Known, ...]


Known = Union[Value, Many]


@dataclass(frozen=True)
class Root:
    """Where an address comes from. ``name`` is the same in both versions."""

    where: str  # "argument", "global", "private"
    name: str
    space: int
    size: Optional[int] = None
    alone: bool = False  # no other pointer of the kernel leads there: __restrict__
    constant: bool = False  # and nobody writes there while the kernel runs

    def __repr__(self) -> str:
        return self.name


def all_needs(known: Known) -> frozenset[Term]:
    if isinstance(known, Value):
        return known.needs
    return NOTHING.union(*(all_needs(element) for element in known.elements))


def under(build: Builder, condition: Term, needs: frozenset[Term]) -> frozenset[Term]:
    """Needs that count only where the condition holds."""
    return frozenset(build.implied(condition, need) for need in needs)


def chosen(build: Builder, condition: Value, a: Known, b: Known) -> Known:
    if isinstance(a, Many) and isinstance(b, Many):
        pairs = zip(a.elements, b.elements)
        return Many(tuple(chosen(build, condition, one, other) for one, other in pairs))
    assert isinstance(a, Value)
    assert isinstance(b, Value)
    needs = condition.needs
    needs |= under(build, condition.term, a.needs)
    needs |= under(build, build.negated(condition.term), b.needs)
    return Value(build.select(condition.term, a.term, b.term), needs - {build.true})
