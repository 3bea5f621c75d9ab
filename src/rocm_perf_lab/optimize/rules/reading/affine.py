"""Indices as polynomials of thread and block indices, loop variables and other names.

``row * n + k`` with ``row = blockIdx.x * blockDim.x + threadIdx.x`` is
``blockIdx.x*blockDim.x*n + threadIdx.x*n + k``. Local variables that are set once, where they are
declared, are replaced by what they are set to. Integers are taken as unbounded: a program in which
an index overflows is not looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Optional

from rocm_perf_lab.optimize.rules.reading.fixed_values import set_once
from rocm_perf_lab.optimize.rules.reading.syntax import VARIABLES, integer_value, stripped
from rocm_perf_lab.optimize.rules.rule import Situation
from rocm_perf_lab.optimize.source.model import Node

Polynomial = Mapping[tuple[str, ...], int]  # sorted factors of each term, with its coefficient
ONE: tuple[str, ...] = ()
THREAD_X, THREAD_Y, THREAD_Z = "threadIdx.x", "threadIdx.y", "threadIdx.z"
_BUILT_IN = ("threadIdx", "blockIdx", "blockDim", "gridDim")
_CASTS = frozenset({"CStyleCastExpr", "CXXStaticCastExpr", "CXXFunctionalCastExpr"})


class Indices:
    """Of one kernel."""

    def __init__(self, situation: Situation) -> None:
        self._data = situation.data
        self.set_once = set_once(situation.kernel)

    def polynomial(self, node: Node) -> Optional[Polynomial]:
        """None for what is no sum of products of names and whole numbers."""
        inner = stripped(node)
        number = integer_value(inner, self._data)
        if number is not None:
            return {ONE: number} if number else {}
        if inner.kind == "MemberRefExpr":
            name = built_in(inner, self._data)
            return {(name,): 1} if name else None
        if inner.kind == "DeclRefExpr":
            return self._of_name(inner)
        if inner.kind in _CASTS and inner.children:
            return self.polynomial(inner.children[-1])
        if inner.kind == "BinaryOperator" and inner.operator in ("+", "-", "*"):
            one, other = (self.polynomial(child) for child in inner.children)
            if one is None or other is None:
                return None
            if inner.operator == "*":
                return _product(one, other)
            return added(one, other, 1 if inner.operator == "+" else -1)
        return None

    def _of_name(self, node: Node) -> Optional[Polynomial]:
        referent = node.referent
        if referent is None or referent.kind not in VARIABLES:
            return None
        value = None if referent.at_namespace_scope else self.set_once.get(referent.name)
        expanded = self.polynomial(value) if value is not None else None
        return expanded if expanded is not None else {(referent.name,): 1}


def built_in(node: Node, data: bytes) -> Optional[str]:
    """``threadIdx.x`` and its like, as one name."""
    base = stripped(node.children[0]) if node.children else node
    if base.kind == "DeclRefExpr" and base.name in _BUILT_IN:
        return b"".join(node.span.of(data).split()).decode()
    return None


def added(one: Polynomial, other: Polynomial, sign: int = 1) -> Polynomial:
    total = Counter(one)
    for factors, number in other.items():
        total[factors] += sign * number
    return {factors: number for factors, number in total.items() if number}


def _product(one: Polynomial, other: Polynomial) -> Polynomial:
    total: Counter[tuple[str, ...]] = Counter()
    for left, first in one.items():
        for right, second in other.items():
            total[tuple(sorted(left + right))] += first * second
    return {factors: number for factors, number in total.items() if number}


def coefficient(index: Polynomial, name: str) -> Optional[Polynomial]:
    """What ``name`` is multiplied by, empty when it does not occur; None when it is squared."""
    found = {}
    for factors, number in index.items():
        if factors.count(name) > 1:
            return None
        if name in factors:
            rest = list(factors)
            rest.remove(name)
            found[tuple(rest)] = number
    return found


def names_in(index: Polynomial) -> frozenset[str]:
    return frozenset(name for factors in index for name in factors)
