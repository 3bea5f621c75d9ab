"""Expressions that exist once: two of them are equal exactly when they are the same object."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any


class Term:
    """``kind`` is "i32", "float", "mem", ...; a pointer is an integer as wide as an address."""

    __slots__ = ("args", "bits", "data", "kind", "number", "op", "symbols")

    def __init__(
        self, number: int, op: str, kind: str, args: tuple[Term, ...], data: Hashable
    ) -> None:
        self.number = number
        self.op = op
        self.kind = kind
        self.args = args
        self.data: Any = data
        self.bits = int(kind[1:]) if kind[0] == "i" and kind[1:].isdigit() else 0
        own = {self} if op in ("symbol", "memory") else set()
        self.symbols: frozenset[Term] = frozenset(own.union(*(arg.symbols for arg in args)))

    def __repr__(self) -> str:
        if self.op == "const":
            return f"{self.data}"
        if self.op in ("symbol", "memory", "value"):
            return f"{self.data}"
        if self.op == "poly":
            return "(" + " + ".join(_told(m, c) for m, c in self.data) + ")"
        inner = ", ".join(map(repr, self.args))
        note = f"[{self.data}]" if self.data is not None else ""
        return f"{self.op}{note}({inner})"


def _told(monomial: tuple[Term, ...], factor: int) -> str:
    return "*".join([*([str(factor)] if factor != 1 or not monomial else []), *map(repr, monomial)])


class Arena:
    """All expressions of one proof. Numbers follow creation, so runs are alike."""

    def __init__(self) -> None:
        self._known: dict[tuple[Hashable, ...], Term] = {}

    def make(self, op: str, kind: str, args: Iterable[Term] = (), data: Hashable = None) -> Term:
        args = tuple(args)
        key = (op, kind, args, data)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Term(len(self._known), op, kind, args, data)
        return found
