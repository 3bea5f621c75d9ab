"""Making expressions: every operation puts its result into a normal form.

Each rule here is an identity of wrapped integers or of truth values, for all values. Floating point
has no identities: an operation is itself, with its operands in their order.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from rocm_perf_lab.prove.symbolic.terms import polynomial
from rocm_perf_lab.prove.symbolic.terms.polynomial import constant_of, parts_of
from rocm_perf_lab.prove.symbolic.terms.term import Arena, Term

_COMMUTATIVE = frozenset({"and", "or", "xor"})


class Builder:
    def __init__(self) -> None:
        self.arena = Arena()
        self.true = self.const("i1", 1)
        self.false = self.const("i1", 0)

    def plain(self, op: str, kind: str, args: Iterable[Term] = (), data: Hashable = None) -> Term:
        """An operation of which nothing is known but that it is a function."""
        return self.arena.make(op, kind, args, data)

    def const(self, kind: str, value: int) -> Term:
        return self.arena.make("const", kind, (), value % (1 << int(kind[1:])))

    def add(self, a: Term, b: Term) -> Term:
        return polynomial.added(self.arena, a, b)

    def sub(self, a: Term, b: Term) -> Term:
        return polynomial.added(self.arena, a, b, -1)

    def mul(self, a: Term, b: Term) -> Term:
        return polynomial.multiplied(self.arena, a, b)

    def quotient(self, whole: Term, part: Term) -> Term | None:
        return polynomial.quotient(self.arena, whole, part)

    def integer(self, op: str, a: Term, b: Term) -> Term:
        """An integer operation by LLVM's name, for operands for which it is defined."""
        if op in ("add", "sub", "mul"):
            return {"add": self.add, "sub": self.sub, "mul": self.mul}[op](a, b)
        x, y = constant_of(a), constant_of(b)
        if x is not None and y is not None:
            folded = _folded(op, x, y, a.bits)
            if folded is not None:
                return self.const(a.kind, folded)
        if a.bits == 1 and op in _COMMUTATIVE:
            return self._logic(op, a, b)
        if y is not None:
            simple = self._with_constant(op, a, b, y)
            if simple is not None:
                return simple
        if op in _COMMUTATIVE:
            if a is b:
                return self.const(a.kind, 0) if op == "xor" else a
            if x is not None:
                return self.integer(op, b, a)
            a, b = sorted((a, b), key=lambda term: term.number)
        return self.plain(op, a.kind, (a, b))

    def _with_constant(self, op: str, a: Term, b: Term, y: int) -> Term | None:
        mask = (1 << a.bits) - 1
        power = y.bit_length() - 1 if y and y & (y - 1) == 0 else None
        if op == "shl" and y < a.bits:
            return self.mul(a, self.const(a.kind, 1 << y))
        if y == 0 and op in ("lshr", "ashr", "or", "xor"):
            return a
        if op == "and" and y in (0, mask):
            return a if y else b
        if op == "or" and y == mask:
            return b
        if op == "udiv" and power is not None:
            return a if power == 0 else self.plain("lshr", a.kind, (a, self.const(a.kind, power)))
        if op == "urem" and power is not None:
            return self.integer("and", a, self.const(a.kind, y - 1))
        return None

    def _logic(self, op: str, a: Term, b: Term) -> Term:
        if op == "and":
            return self.both(a, b)
        if op == "or":
            return self.negated(self.both(self.negated(a), self.negated(b)))
        for first, second in ((a, b), (b, a)):
            if first is self.true:
                return self.negated(second)
            if first is self.false:
                return second
        if a is b:
            return self.false
        flip = (a.op == "not") != (b.op == "not")
        args = sorted((_positive(a), _positive(b)), key=lambda term: term.number)
        if args[0] is args[1]:
            return self.true if flip else self.false
        found = self.plain("xor", "i1", args)
        return self.negated(found) if flip else found

    def negated(self, a: Term) -> Term:
        if a.op == "const":
            return self.false if a.data else self.true
        return a.args[0] if a.op == "not" else self.plain("not", "i1", (a,))

    def both(self, a: Term, b: Term) -> Term:
        """A conjunction of any number of parts, each once and in one order."""
        parts = {part for term in (a, b) for part in (term.args if term.op == "all" else (term,))}
        parts.discard(self.true)
        if self.false in parts or any(self.negated(part) in parts for part in parts):
            return self.false
        if len(parts) <= 1:
            return next(iter(parts), self.true)
        return self.plain("all", "i1", sorted(parts, key=lambda term: term.number))

    def implied(self, condition: Term, then: Term) -> Term:
        return self.negated(self.both(condition, self.negated(then)))

    def equal(self, a: Term, b: Term) -> Term:
        if not a.bits:
            return self.true if a is b else self.plain("same", "i1", (a, b))
        if a.bits == 1:
            return self.negated(self._logic("xor", a, b))
        return self._is_zero(self.sub(a, b))

    def _is_zero(self, difference: Term) -> Term:
        value = constant_of(difference)
        if value is not None:
            return self.false if value else self.true
        opposite = self.sub(self.const(difference.kind, 0), difference)
        leading = min(parts_of(difference).items(), key=lambda part: _order(part[0]))
        other = min(parts_of(opposite).items(), key=lambda part: _order(part[0]))
        chosen = difference if leading[1] <= other[1] else opposite
        return self.plain("zero", "i1", (chosen,))

    def compared(self, predicate: str, a: Term, b: Term) -> Term:
        """``icmp``"""
        if predicate in ("eq", "ne"):
            found = self.equal(a, b)
            return found if predicate == "eq" else self.negated(found)
        sign, order = predicate[0], predicate[1:]
        if order in ("gt", "le"):
            found = self._less(sign, b, a)
        else:
            found = self._less(sign, a, b)
        return self.negated(found) if order in ("ge", "le") else found

    def _less(self, sign: str, a: Term, b: Term) -> Term:
        x, y = constant_of(a), constant_of(b)
        if a is b:
            return self.false
        if x is not None and y is not None:
            if sign == "s":
                x, y = signed(x, a.bits), signed(y, b.bits)
            return self.true if x < y else self.false
        if sign == "u":
            if y == 0:
                return self.false
            if y == 1:
                return self.equal(a, self.const(a.kind, 0))
            if x == 0:
                return self.negated(self.equal(b, a))
        return self.plain("slt" if sign == "s" else "ult", "i1", (a, b))

    def select(self, condition: Term, a: Term, b: Term) -> Term:
        if condition.op == "not":
            return self.select(condition.args[0], b, a)
        if condition.op == "const":
            return a if condition.data else b
        if a is b:
            return a
        if a.bits == 1 and a.kind == "i1":
            chosen = self.both(condition, a)
            other = self.both(self.negated(condition), b)
            return self.negated(self.both(self.negated(chosen), self.negated(other)))
        return self.plain("select", a.kind, (condition, a, b))

    def extended(self, op: str, a: Term, kind: str) -> Term:
        """``zext`` or ``sext``"""
        if a.kind == kind:
            return a
        value = constant_of(a)
        if value is not None:
            return self.const(kind, signed(value, a.bits) if op == "sext" else value)
        if a.op == "zext" or (a.op == op and op == "sext"):
            return self.plain(a.op, kind, a.args)
        return self.plain(op, kind, (a,))

    def truncated(self, a: Term, kind: str) -> Term:
        """Lower bits of a sum are the sum of lower bits."""
        if a.kind == kind:
            return a
        bits = int(kind[1:])
        if a.op in ("const", "poly"):
            total = self.const(kind, 0)
            for monomial, factor in parts_of(a).items():
                product = self.const(kind, factor)
                for atom in monomial:
                    product = self.mul(product, self.truncated(atom, kind))
                total = self.add(total, product)
            return total
        if a.op in ("zext", "sext"):
            inner = a.args[0]
            if inner.bits > bits:
                return self.truncated(inner, kind)
            return inner if inner.bits == bits else self.plain(a.op, kind, (inner,))
        if a.op == "trunc":
            return self.truncated(a.args[0], kind)
        return self.plain("trunc", kind, (a,))

    def bitcast(self, a: Term, kind: str) -> Term:
        if a.op == "bitcast":
            a = a.args[0]
        return a if a.kind == kind else self.plain("bitcast", kind, (a,))


def _positive(term: Term) -> Term:
    return term.args[0] if term.op == "not" else term


def _order(monomial: tuple[Term, ...]) -> list[int]:
    return [atom.number for atom in monomial]


def signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def _folded(op: str, x: int, y: int, bits: int) -> int | None:
    """None where the operation is not defined for these values."""
    if op in ("udiv", "urem", "sdiv", "srem") and y == 0:
        return None
    if op in ("shl", "lshr", "ashr") and y >= bits:
        return None
    a, b = signed(x, bits), signed(y, bits)
    if op in ("sdiv", "srem"):
        magnitude = abs(a) // abs(b)
        result = magnitude if (a < 0) == (b < 0) else -magnitude
        return result if op == "sdiv" else a - b * result
    simple = {
        "and": lambda: x & y,
        "or": lambda: x | y,
        "xor": lambda: x ^ y,
        "shl": lambda: x << y,
        "lshr": lambda: x >> y,
        "ashr": lambda: a >> y,
        "udiv": lambda: x // y,
        "urem": lambda: x % y,
    }
    return simple[op]() if op in simple else None
