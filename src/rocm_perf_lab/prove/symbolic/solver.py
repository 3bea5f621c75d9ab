"""Questions about integers, answered by z3 where it is installed.

A question is whether facts exclude something. Products of unknowns, loads and floating point are
unknowns of their own: what is excluded for any values of them is excluded for the real ones.
"""

from __future__ import annotations

import importlib
import math
import time
from collections.abc import Iterable
from typing import Any, Optional

from rocm_perf_lab.prove.symbolic.integers import Integers
from rocm_perf_lab.prove.symbolic.terms.build import Builder
from rocm_perf_lab.prove.symbolic.terms.polynomial import parts_of
from rocm_perf_lab.prove.symbolic.terms.term import Term

NOT_INSTALLED = "z3-solver is not installed"
# z3 counts its own steps: the same question gets the same answer on a busy machine.
_EFFORT_PER_SECOND = 1_000_000
_QUESTION_EFFORT = 2_000_000
_LINEAR_EFFORT = 300_000
_USED_UP = "the time for the solver is used up"
_SLOWEST = 3  # time of this thread on a processor, in multiples of the time that was given
_BINARY = {
    "and": lambda z3, a, b: a & b,
    "or": lambda z3, a, b: a | b,
    "xor": lambda z3, a, b: a ^ b,
    "lshr": lambda z3, a, b: z3.LShR(a, b),
    "ashr": lambda z3, a, b: a >> b,
    "shl": lambda z3, a, b: a << b,
    "udiv": lambda z3, a, b: z3.UDiv(a, b),
    "urem": lambda z3, a, b: z3.URem(a, b),
    "sdiv": lambda z3, a, b: a / b,
    "srem": lambda z3, a, b: z3.SRem(a, b),
}
_SEEN_THROUGH = frozenset(
    {*_BINARY, "const", "poly", "zext", "sext", "trunc", "select"}
    | {"not", "all", "zero", "slt", "ult", "fits"}
)
_DIVISIONS = ("udiv", "urem", "sdiv", "srem")


class Solver:
    """``seconds`` is the time for all questions of one attempt, on an idle machine."""

    def __init__(self, build: Builder, seconds: float) -> None:
        self._build = build
        self._seconds = seconds
        self.lacking: Optional[str] = None
        self.begin()
        self._answers: dict[tuple[frozenset[Term], Term], bool] = {}
        self._made: dict[Term, Any] = {}
        self._leaves: dict[Term, frozenset[Term]] = {}
        self.asked = 0
        try:
            self._z3: Any = importlib.import_module("z3")
        except ImportError:
            self._z3 = None
        self._counted = 0 if self._z3 is None else self._count(self._z3.Solver())

    def begin(self) -> None:
        """Another attempt has as much time again."""
        self._left = int(self._seconds * _EFFORT_PER_SECOND)
        self._latest = time.thread_time() + _SLOWEST * self._seconds
        if self.lacking == _USED_UP:
            self.lacking = None

    def implies(self, facts: Iterable[Term], goal: Term) -> bool:
        """Whether ``goal`` holds wherever all facts do. False means: not shown."""
        known = frozenset(facts)
        if goal is self._build.true or goal in known or self._build.false in known:
            return True
        if self._build.negated(goal) in known or goal is self._build.false:
            return self._ask(known, self._build.false)
        return self._ask(known, goal)

    def contradicts(self, facts: Iterable[Term]) -> bool:
        return self.implies(facts, self._build.false)

    def _ask(self, facts: frozenset[Term], goal: Term) -> bool:
        key = (facts, goal)
        if key not in self._answers:
            answer = self._answer(facts, goal)
            is_cut_short = self._left <= 0 or self.lacking == _USED_UP
            if is_cut_short and not answer:
                return False  # another attempt may have the time
            self._answers[key] = answer
        return self._answers[key]

    def _answer(self, facts: frozenset[Term], goal: Term) -> bool:
        """First with the facts about the same unknowns, then with all that hang together."""
        if goal is self._build.false:
            return self._asked(frozenset(fact for fact in facts if not self._is_opaque(fact)), goal)
        near = self._related(facts, self._unknowns(goal), 1)
        if self._asked(near, goal):
            return True
        far = self._related(facts, self._unknowns(goal), len(facts))
        return far != near and self._asked(far, goal)

    def _is_opaque(self, fact: Term) -> bool:
        """It says nothing about numbers that a question could be about."""
        inner = fact.args[0] if fact.op == "not" else fact
        return inner.op in ("inside", "promise", "fcmp", "same") or (
            inner.op == "fits"
            and inner.data[1] == "mul"
            and not any(arg.op == "const" for arg in inner.args)
        )

    def _related(
        self, facts: frozenset[Term], unknowns: frozenset[Term], rounds: int
    ) -> frozenset[Term]:
        found: set[Term] = set()
        for _ in range(rounds):
            more = {
                fact
                for fact in facts
                if fact not in found
                and not self._is_opaque(fact)
                and self._unknowns(fact) & unknowns
            }
            if not more:
                break
            found |= more
            unknowns = unknowns.union(*(self._unknowns(fact) for fact in more))
        return frozenset(found)

    def _unknowns(self, term: Term) -> frozenset[Term]:
        """What the solver knows nothing about: where its view of an expression ends."""
        if term not in self._leaves:
            if term.op in _SEEN_THROUGH:
                inner = (self._unknowns(arg) for arg in term.args)
                self._leaves[term] = frozenset().union(*inner)
            else:
                self._leaves[term] = frozenset({term})
        return self._leaves[term]

    def _asked(self, facts: frozenset[Term], goal: Term) -> bool:
        if self._z3 is None:
            self.lacking = NOT_INSTALLED
            return False
        if self._left <= 0 or time.thread_time() > self._latest:
            self.lacking = _USED_UP
            return False
        self.asked += 1
        return self._asked_linear(facts, goal) or self._asked_bits(facts, goal)

    def _asked_linear(self, facts: frozenset[Term], goal: Term) -> bool:
        integers = Integers(self._z3)
        claims = [integers.truth(fact) for fact in sorted(facts, key=lambda term: term.number)]
        if goal is not self._build.false:
            claims.append(self._z3.Not(integers.truth(goal)))
        solver = self._z3.SolverFor("QF_LIA")
        solver.set("rlimit", min(_LINEAR_EFFORT, self._left))
        solver.add(*claims, *integers.conditions)
        answer = solver.check()
        self._left -= self._effort(solver)
        return bool(answer == self._z3.unsat)

    def _asked_bits(self, facts: frozenset[Term], goal: Term) -> bool:
        if self._left <= 0:
            return False
        solver = self._z3.SolverFor("QF_BV")
        solver.set("rlimit", min(_QUESTION_EFFORT, self._left))
        for fact in sorted(facts, key=lambda term: term.number):
            solver.add(self._truth(fact))
        if goal is not self._build.false:
            solver.add(self._z3.Not(self._truth(goal)))
        answer = solver.check()
        self._left -= self._effort(solver)
        return bool(answer == self._z3.unsat)

    def _effort(self, asked: Any) -> int:
        count = self._count(asked)
        spent, self._counted = count - self._counted, count
        return spent

    def _count(self, solver: Any) -> int:
        """Steps of z3 so far, in the whole process: the oracle asks there, too."""
        statistics = solver.statistics()
        if "rlimit count" not in list(statistics.keys()):
            return 0
        return int(statistics.get_key_value("rlimit count"))

    def _truth(self, term: Term) -> Any:
        if term not in self._made:
            self._made[term] = self._make_truth(term)
        return self._made[term]

    def _make_truth(self, term: Term) -> Any:
        z3 = self._z3
        if term.op == "const":
            return z3.BoolVal(bool(term.data))
        if term.op == "not":
            return z3.Not(self._truth(term.args[0]))
        if term.op == "all":
            return z3.And(*[self._truth(part) for part in term.args])
        if term.op == "xor" and term.bits == 1:
            return z3.Xor(*[self._truth(part) for part in term.args])
        if term.op == "zero":
            return self._number(term.args[0]) == 0
        if term.op in ("slt", "ult"):
            a, b = (self._number(arg) for arg in term.args)
            return a < b if term.op == "slt" else z3.ULT(a, b)
        if term.op == "fits":
            return self._fits(term)
        if term.op in ("poly", "trunc"):
            return self._number(term) == 1
        return z3.Bool(f"t{term.number}")

    def _fits(self, term: Term) -> Any:
        """``nsw`` and ``nuw``: the exact result fits into the bits that there are."""
        z3 = self._z3
        flag, op = term.data
        a, b = (self._number(arg) for arg in term.args)
        if op == "mul" and not any(arg.op == "const" for arg in term.args):
            return z3.Bool(f"t{term.number}")
        bits = term.args[0].bits
        wide = 2 * bits if op == "mul" else bits + 2
        more = wide - bits
        extend = z3.SignExt if flag == "nsw" else z3.ZeroExt
        x, y = extend(more, a), extend(more, b)
        exact = {"add": x + y, "sub": x - y, "mul": x * y}[op]
        wrapped = {"add": a + b, "sub": a - b, "mul": a * b}[op]
        return exact == extend(more, wrapped)

    def _number(self, term: Term) -> Any:
        if term.bits == 1:  # its entry is the truth value
            return self._make_number(term)
        if term not in self._made:
            self._made[term] = self._make_number(term)
        return self._made[term]

    def _make_number(self, term: Term) -> Any:
        z3, bits = self._z3, term.bits
        if term.op == "const":
            return z3.BitVecVal(term.data, bits)
        if term.op == "poly":
            return self._sum(term)
        if term.op == "trunc":
            return z3.Extract(bits - 1, 0, self._number(term.args[0]))
        if bits == 1:
            return z3.If(self._truth(term), z3.BitVecVal(1, 1), z3.BitVecVal(0, 1))
        if term.op in ("zext", "sext"):
            extend = z3.ZeroExt if term.op == "zext" else z3.SignExt
            return extend(bits - term.args[0].bits, self._number(term.args[0]))
        if term.op == "select":
            condition, a, b = term.args
            return z3.If(self._truth(condition), self._number(a), self._number(b))
        if term.op in _BINARY and (term.op not in _DIVISIONS or term.args[1].op == "const"):
            return _BINARY[term.op](z3, *[self._number(arg) for arg in term.args])
        return z3.BitVec(f"t{term.number}", bits)

    def _sum(self, term: Term) -> Any:
        """Products of unknowns are taken together, as a multiple of one unknown: a stride that is a
        sum of products is one number in every multiple of it."""
        z3, bits = self._z3, term.bits
        total = z3.BitVecVal(0, bits)
        products = []
        for monomial, factor in parts_of(term).items():
            if len(monomial) > 1:
                products.append((monomial, factor))
                continue
            value = self._number(monomial[0]) if monomial else z3.BitVecVal(1, bits)
            total = total + value * z3.BitVecVal(factor, bits)
        if not products:
            return total
        common = math.gcd(*(factor for _, factor in products))
        names = "_".join(
            f"{factor // common}x" + "x".join(str(atom.number) for atom in monomial)
            for monomial, factor in products
        )
        return total + z3.BitVec(f"m{bits}_{names}", bits) * z3.BitVecVal(common, bits)
