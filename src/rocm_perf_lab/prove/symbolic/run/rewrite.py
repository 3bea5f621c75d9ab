"""Expressions with other values for some symbols, in normal form again."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rocm_perf_lab.prove.symbolic.terms.build import Builder
from rocm_perf_lab.prove.symbolic.terms.polynomial import parts_of
from rocm_perf_lab.prove.symbolic.terms.term import Term

_INTEGER = frozenset(["lshr", "ashr", "shl", "udiv", "sdiv", "urem", "srem", "and", "or", "xor"])


def rewritten(build: Builder, term: Term, values: Mapping[Term, Term]) -> Term:
    known: dict[Term, Term] = dict(values)
    wanted = frozenset(values)

    def of(one: Term) -> Term:
        if one in known:
            return known[one]
        if not (one.symbols & wanted):
            return one
        known[one] = _made_again(build, one, of)
        return known[one]

    return of(term)


def _made_again(build: Builder, one: Term, of: Callable[[Term], Term]) -> Term:
    if one.op == "poly":
        total = build.const(one.kind, 0)
        for monomial, factor in parts_of(one).items():
            product = build.const(one.kind, factor)
            for atom in monomial:
                product = build.mul(product, of(atom))
            total = build.add(total, product)
        return total
    args = [of(arg) for arg in one.args]
    if one.op in _INTEGER:
        return build.integer(one.op, *args)
    if one.op in ("zext", "sext"):
        return build.extended(one.op, args[0], one.kind)
    if one.op == "trunc":
        return build.truncated(args[0], one.kind)
    if one.op == "select":
        return build.select(*args)
    if one.op == "not":
        return build.negated(args[0])
    if one.op == "all":
        total = build.true
        for part in args:
            total = build.both(total, part)
        return total
    if one.op == "zero":
        return build.equal(args[0], build.const(args[0].kind, 0))
    if one.op in ("slt", "ult"):
        return build.compared(one.op, *args)
    if one.op == "product":
        return build.mul(*args)
    return build.plain(one.op, one.kind, args, one.data)
