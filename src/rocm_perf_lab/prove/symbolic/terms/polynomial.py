"""Sums and products of integers modulo 2^n, as a sum of products in one order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Optional

from rocm_perf_lab.prove.symbolic.terms.term import Arena, Term

Monomial = tuple[Term, ...]
_MOST_TERMS = 64  # a product of long sums stays a product


def parts_of(term: Term) -> dict[Monomial, int]:
    if term.op == "const":
        return {(): term.data} if term.data else {}
    if term.op == "poly":
        return dict(term.data)
    return {(term,): 1}


def from_parts(arena: Arena, kind: str, parts: Mapping[Monomial, int]) -> Term:
    modulus = 1 << int(kind[1:])
    kept = {monomial: factor % modulus for monomial, factor in parts.items() if factor % modulus}
    if not kept:
        return arena.make("const", kind, (), 0)
    if len(kept) == 1:
        ((monomial, factor),) = kept.items()
        if not monomial:
            return arena.make("const", kind, (), factor)
        if factor == 1 and len(monomial) == 1:
            return monomial[0]
    ordered = sorted(kept.items(), key=lambda part: [atom.number for atom in part[0]])
    atoms = sorted({a for monomial in kept for a in monomial}, key=lambda atom: atom.number)
    return arena.make("poly", kind, atoms, tuple(ordered))


def added(arena: Arena, first: Term, second: Term, factor: int = 1) -> Term:
    """first + factor * second"""
    parts = parts_of(first)
    for monomial, value in parts_of(second).items():
        parts[monomial] = parts.get(monomial, 0) + factor * value
    return from_parts(arena, first.kind, parts)


def multiplied(arena: Arena, first: Term, second: Term) -> Term:
    one, other = parts_of(first), parts_of(second)
    if len(one) * len(other) > _MOST_TERMS:
        ordered = sorted((first, second), key=lambda term: term.number)
        return arena.make("product", first.kind, ordered)
    parts: dict[Monomial, int] = {}
    for left, a in one.items():
        for right, b in other.items():
            monomial = tuple(sorted(left + right, key=lambda atom: atom.number))
            parts[monomial] = parts.get(monomial, 0) + a * b
    return from_parts(arena, first.kind, parts)


def constant_of(term: Term) -> Optional[int]:
    return term.data if term.op == "const" else None


def quotient(arena: Arena, whole: Term, part: Term) -> Optional[Term]:
    """A factor with ``part * factor == whole``, where it is plain to see."""
    parts = parts_of(part)
    if len(parts) != 1:
        return arena.make("const", whole.kind, (), 1) if whole is part else None
    ((divisor, by),) = parts.items()
    found: dict[Monomial, int] = {}
    for monomial, factor in parts_of(whole).items():
        rest = list(monomial)
        for atom in divisor:
            if atom not in rest:
                return None
            rest.remove(atom)
        if by == 0 or factor % by:
            return None
        found[tuple(rest)] = factor // by
    return from_parts(arena, whole.kind, found)
