"""Instructions that compute: a result, and what has to hold for it."""

from __future__ import annotations

from typing import Callable

from rocm_perf_lab.prove.symbolic.ir.model import Instruction
from rocm_perf_lab.prove.symbolic.ir.types import Pointer, Scalar, Type, Vector, bits_of, is_integer
from rocm_perf_lab.prove.symbolic.reasons import NotProven
from rocm_perf_lab.prove.symbolic.run.values import Known, Many, Value, chosen
from rocm_perf_lab.prove.symbolic.terms.build import Builder
from rocm_perf_lab.prove.symbolic.terms.term import Term

_SHIFTS = ("shl", "lshr", "ashr")
DIVISIONS = ("udiv", "sdiv", "urem", "srem")
_EXTREMES = {"smax": "sgt", "smin": "slt", "umax": "ugt", "umin": "ult"}


def kind_of(kind: Type) -> str:
    if isinstance(kind, Pointer):
        return f"i{bits_of(kind)}"
    if isinstance(kind, Scalar):
        return kind.name
    raise NotProven(f"a value of type {kind} is not followed")


def element_of(kind: Type) -> Type:
    return kind.element if isinstance(kind, Vector) else kind


def each(make: Callable[..., Value], *operands: Known) -> Known:
    """Element by element, where operands are vectors."""
    if any(isinstance(operand, Many) for operand in operands):
        rows = zip(*(operand.elements for operand in operands if isinstance(operand, Many)))
        return Many(tuple(each(make, *row) for row in rows))
    return make(*operands)


class Arithmetic:
    def __init__(self, build: Builder) -> None:
        self.build = build

    def integer(self, one: Instruction, a: Value, b: Value) -> Value:
        op, build = one.op, self.build
        if op == "or" and "disjoint" in one.flags:
            meets = build.integer("and", a.term, b.term)
            needs = {build.equal(meets, build.const(meets.kind, 0))}
            term = build.add(a.term, b.term)
        else:
            term = build.integer(op, a.term, b.term)
            needs = self._flags(one, a.term, b.term)
        if op in _SHIFTS:
            width = build.const(b.term.kind, b.term.bits)
            needs.add(build.compared("ult", b.term, width))
        return Value(term, (a.needs | b.needs | needs) - {build.true})

    def _flags(self, one: Instruction, a: Term, b: Term) -> set[Term]:
        return {self._flag(one.op, flag, a, b) for flag in one.flags}

    def _flag(self, op: str, flag: str, a: Term, b: Term) -> Term:
        build = self.build
        if op in ("add", "sub", "mul") and flag in ("nsw", "nuw"):
            return self._fits(flag, op, a, b)
        if op == "shl" and b.op == "const" and b.data < a.bits - 1:
            return self._fits(flag, "mul", a, build.const(a.kind, 1 << b.data))
        return build.plain("promise", "i1", (a, b), f"{op} {flag}")

    def _fits(self, flag: str, op: str, a: Term, b: Term) -> Term:
        """The exact result has as many bits as there are."""
        if op != "sub":
            a, b = sorted((a, b), key=lambda term: term.number)
        return self.build.plain("fits", "i1", (a, b), (flag, op))

    def division_needs(self, op: str, a: Term, b: Term) -> list[Term]:
        """Without them the kernel has no meaning at all."""
        build = self.build
        needs = [build.negated(build.equal(b, build.const(b.kind, 0)))]
        if op in ("sdiv", "srem"):
            least = build.equal(a, build.const(a.kind, 1 << (a.bits - 1)))
            minus = build.equal(b, build.const(b.kind, -1))
            needs.append(build.negated(build.both(least, minus)))
        return [need for need in needs if need is not build.true]

    def floating(self, one: Instruction, *operands: Value) -> Value:
        kind = kind_of(element_of(one.kind))
        needs = frozenset().union(*(operand.needs for operand in operands))
        data = (one.flags, one.detail, one.metadata.get("fpmath", ""))
        term = self.build.plain(one.op, kind, [operand.term for operand in operands], data)
        return Value(term, needs)

    def compared(self, one: Instruction, a: Value, b: Value) -> Value:
        needs = a.needs | b.needs
        if "samesign" in one.flags:
            needs |= {self.build.plain("promise", "i1", (a.term, b.term), "samesign")}
        return Value(self.build.compared(one.detail, a.term, b.term), needs)

    def cast(self, one: Instruction, a: Value) -> Value:
        build, op = self.build, one.op
        kind = kind_of(element_of(one.kind))
        needs = set(a.needs)
        if op in ("zext", "sext"):
            term = build.extended(op, a.term, kind)
            if "nneg" in one.flags:
                needs.add(build.compared("sge", a.term, build.const(a.term.kind, 0)))
        elif op == "trunc":
            term = build.truncated(a.term, kind)
            for flag in one.flags:
                back = build.extended("zext" if flag == "nuw" else "sext", term, a.term.kind)
                needs.add(build.equal(back, a.term))
        elif op in ("ptrtoint", "inttoptr"):
            bits = int(kind[1:])
            shorter = bits < a.term.bits
            term = (
                build.truncated(a.term, kind) if shorter else build.extended("zext", a.term, kind)
            )
        elif op == "bitcast":
            term = build.bitcast(a.term, kind)
        elif op == "addrspacecast":
            term = self._other_space(one, a.term, kind)
        else:  # to and between floating-point types
            if "nneg" in one.flags:
                needs.add(build.compared("sge", a.term, build.const(a.term.kind, 0)))
            flags = tuple(flag for flag in one.flags if flag != "nneg")
            term = build.plain(op, kind, (a.term,), flags or None)
        return Value(term, frozenset(needs) - {build.true})

    def _other_space(self, one: Instruction, a: Term, kind: str) -> Term:
        """Global, constant and flat pointers have the same bits; LDS and private ones do not."""
        if a.kind == kind:
            return a
        return self.build.plain("addrspacecast", kind, (a,), str(one.operands[0].kind))

    def extreme(self, name: str, a: Value, b: Value) -> Value:
        """``llvm.smax`` and its kin."""
        which = self.build.compared(_EXTREMES[name], a.term, b.term)
        return Value(self.build.select(which, a.term, b.term), a.needs | b.needs)

    def absolute(self, a: Value, least_is_poison: Term) -> Value:
        build = self.build
        zero = build.const(a.term.kind, 0)
        negative = build.compared("slt", a.term, zero)
        term = build.select(negative, build.sub(zero, a.term), a.term)
        needs = a.needs
        if least_is_poison is not build.false:
            least = build.const(a.term.kind, 1 << (a.term.bits - 1))
            needs |= {build.negated(build.equal(a.term, least))}
        return Value(term, needs)

    def selected(self, condition: Known, a: Known, b: Known) -> Known:
        if isinstance(condition, Many):
            assert isinstance(a, Many)
            assert isinstance(b, Many)
            rows = zip(condition.elements, a.elements, b.elements)
            return Many(tuple(self.selected(*row) for row in rows))
        return chosen(self.build, condition, a, b)


def is_extreme(name: str) -> bool:
    return name in _EXTREMES


def is_float(kind: Type) -> bool:
    inner = element_of(kind)
    return isinstance(inner, Scalar) and not is_integer(inner)
