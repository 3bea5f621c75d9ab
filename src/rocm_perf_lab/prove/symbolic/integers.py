"""Expressions of wrapped integers as linear arithmetic on whole numbers.

Every wrapped number is its unsigned value; a sum is the exact sum minus a multiple of 2^n that is
not known. Bounds of loops and strides are linear, and z3 answers questions about them at once where
bit by bit it takes long. What is not linear is a number of which only the range is known.
"""

from __future__ import annotations

import math
from typing import Any

from rocm_perf_lab.prove.symbolic.terms.build import signed
from rocm_perf_lab.prove.symbolic.terms.polynomial import parts_of
from rocm_perf_lab.prove.symbolic.terms.term import Term


class Integers:
    """One question: ``conditions`` is what holds for the numbers that were made for it."""

    def __init__(self, z3: Any) -> None:
        self._z3 = z3
        self._truths: dict[Term, Any] = {}
        self._numbers: dict[Term, Any] = {}
        self._fresh = 0
        self.conditions: list[Any] = []

    def truth(self, term: Term) -> Any:
        if term not in self._truths:
            self._truths[term] = self._make_truth(term)
        return self._truths[term]

    def _make_truth(self, term: Term) -> Any:
        z3 = self._z3
        if term.op == "const":
            return z3.BoolVal(bool(term.data))
        if term.op == "not":
            return z3.Not(self.truth(term.args[0]))
        if term.op == "all":
            return z3.And(*[self.truth(part) for part in term.args])
        if term.op == "xor" and term.bits == 1:
            return z3.Xor(*[self.truth(part) for part in term.args])
        if term.op == "zero":
            return self.number(term.args[0]) == 0
        if term.op == "ult":
            return self.number(term.args[0]) < self.number(term.args[1])
        if term.op == "slt":
            return self._signed(term.args[0]) < self._signed(term.args[1])
        if term.op == "fits":
            return self._fits(term)
        return z3.Bool(f"t{term.number}")

    def _fits(self, term: Term) -> Any:
        z3 = self._z3
        flag, op = term.data
        a, b = term.args
        of = self._signed if flag == "nsw" else self.number
        if op == "mul":
            if a.op != "const" and b.op != "const":
                return z3.Bool(f"t{term.number}")
            factor, other = (a, b) if a.op == "const" else (b, a)
            times = signed(factor.data, factor.bits) if flag == "nsw" else factor.data
            exact = times * of(other)
        else:
            exact = of(a) + of(b) if op == "add" else of(a) - of(b)
        half = 1 << (a.bits - 1)
        low, high = (-half, half) if flag == "nsw" else (0, 2 * half)
        return z3.And(exact >= low, exact < high)

    def _signed(self, term: Term) -> Any:
        value, half = self.number(term), 1 << (term.bits - 1)
        return self._z3.If(value >= half, value - 2 * half, value)

    def number(self, term: Term) -> Any:
        if term not in self._numbers:
            self._numbers[term] = self._make_number(term)
        return self._numbers[term]

    def _make_number(self, term: Term) -> Any:
        z3, bits = self._z3, term.bits
        if term.op == "const":
            return z3.IntVal(term.data)
        if bits == 1:
            return z3.If(self.truth(term), z3.IntVal(1), z3.IntVal(0))
        if term.op == "poly":
            return self._wrapped(self._sum(term), bits)
        if term.op == "zext":
            return self.number(term.args[0])
        if term.op == "sext":
            narrow, inner = 1 << term.args[0].bits, self.number(term.args[0])
            return z3.If(inner >= narrow // 2, inner + (1 << bits) - narrow, inner)
        if term.op == "trunc":
            return self._wrapped(self.number(term.args[0]), bits)
        if term.op == "select":
            condition, a, b = term.args
            return z3.If(self.truth(condition), self.number(a), self.number(b))
        if term.op == "lshr" and term.args[1].op == "const":
            return self._shifted(term)
        return self._unknown(f"t{term.number}", bits)

    def _unknown(self, name: str, bits: int) -> Any:
        found = self._z3.Int(name)
        self.conditions += [found >= 0, found < 1 << bits]
        return found

    def _wrapped(self, exact: Any, bits: int) -> Any:
        self._fresh += 1
        found = self._unknown(f"w{self._fresh}", bits)
        self.conditions.append(found == exact - (1 << bits) * self._z3.Int(f"q{self._fresh}"))
        return found

    def _shifted(self, term: Term) -> Any:
        self._fresh += 1
        found = self._unknown(f"h{self._fresh}", term.bits)
        rest = self._unknown(f"r{self._fresh}", min(term.args[1].data, term.bits))
        self.conditions.append(self.number(term.args[0]) == found * (1 << term.args[1].data) + rest)
        return found

    def _sum(self, term: Term) -> Any:
        """Products of unknowns are taken together, as a multiple of one unknown."""
        total, products = self._z3.IntVal(0), []
        for monomial, factor in parts_of(term).items():
            if len(monomial) > 1:
                products.append((monomial, factor))
            elif monomial:
                total = total + signed(factor, term.bits) * self.number(monomial[0])
            else:
                total = total + signed(factor, term.bits)
        if not products:
            return total
        common = math.gcd(*(factor for _, factor in products))
        names = "_".join(
            f"{factor // common}x" + "x".join(str(atom.number) for atom in monomial)
            for monomial, factor in products
        )
        unknown = self._unknown(f"m{term.bits}_{names}", term.bits)
        return total + signed(common, term.bits) * unknown
