"""Instructions without effects: arithmetic, vectors, addresses."""

from __future__ import annotations

from typing import Optional

from rocm_perf_lab.prove.symbolic.ir.instructions import FLOATING, INTEGER
from rocm_perf_lab.prove.symbolic.ir.model import Instruction, Literal, Module
from rocm_perf_lab.prove.symbolic.ir.tokens import CASTS
from rocm_perf_lab.prove.symbolic.ir.types import Pointer, Type, Vector, size_of
from rocm_perf_lab.prove.symbolic.reasons import NotProven
from rocm_perf_lab.prove.symbolic.run.arithmetic import Arithmetic, each, kind_of
from rocm_perf_lab.prove.symbolic.run.operands import Operands
from rocm_perf_lab.prove.symbolic.run.values import Known, Many, Root, Value, chosen
from rocm_perf_lab.prove.symbolic.terms.build import Builder

BEFORE, AFTER = "before", "after"


class Computing:
    """What both versions compute; ``side`` says of which one it is."""

    def __init__(self, side: str, build: Builder, module: Module) -> None:
        self.side = side
        self.build = build
        self.operands = Operands(build, module)
        self.arithmetic = Arithmetic(build)
        self._reserved_names: dict[str, int] = {}

    def computed(self, one: Instruction, operands: list[Known]) -> Optional[Known]:
        """The result; None for an instruction that does more than compute."""
        op, compute = one.op, self.arithmetic
        if op in INTEGER:
            return each(lambda a, b: compute.integer(one, a, b), *operands)
        if op in FLOATING or op in ("fneg", "fcmp"):
            return each(lambda *values: compute.floating(one, *values), *operands)
        if op == "icmp":
            return each(lambda a, b: compute.compared(one, a, b), *operands)
        if op in CASTS:
            return self._cast(one, operands[0])
        if op == "select":
            return compute.selected(*operands)
        if op == "freeze":
            return self._frozen(operands[0])
        if op in ("extractelement", "insertelement", "shufflevector"):
            return self._vector(one, operands)
        if op in ("extractvalue", "insertvalue"):
            return _field(one, operands)
        if op == "getelementptr":
            return self._address(one, operands)
        if op == "alloca":
            return self._reserved(one)
        return None

    def _cast(self, one: Instruction, operand: Known) -> Known:
        source, target = one.operands[0].kind, one.kind
        if one.op == "bitcast" and _count(source) != _count(target):
            raise NotProven("a vector is read as bits of another type")
        return each(lambda a: self.arithmetic.cast(one, a), operand)

    def _frozen(self, operand: Known) -> Known:
        """In the original any choice will do; in the changed kernel none has to be made."""
        if isinstance(operand, Many):
            return Many(tuple(self._frozen(element) for element in operand.elements))
        return Value(operand.term) if self.side == BEFORE else operand

    def _vector(self, one: Instruction, operands: list[Known]) -> Known:
        vector = operands[0]
        if not isinstance(vector, Many):
            raise NotProven("a vector is used in a form that is not followed")
        if one.op == "shufflevector":
            other = operands[1]
            assert isinstance(other, Many)
            return self._shuffled(one, vector.elements + other.elements)
        index = operands[-1]
        assert isinstance(index, Value)
        if index.term.op != "const":
            return self._variable_element(one, vector, operands, index)
        place = int(index.term.data)
        if place >= len(vector.elements):
            raise NotProven("an element behind the end of a vector is used")
        if one.op == "extractelement":
            return vector.elements[place]
        elements = list(vector.elements)
        elements[place] = operands[1]
        return Many(tuple(elements))

    def _variable_element(
        self, one: Instruction, vector: Many, operands: list[Known], index: Value
    ) -> Known:
        build, kind = self.build, index.term.kind
        count = len(vector.elements)
        needs = index.needs | {build.compared("ult", index.term, build.const(kind, count))}
        here = [build.equal(index.term, build.const(kind, at)) for at in range(count)]
        if one.op == "extractelement":
            found = vector.elements[0]
            for at in range(1, count):
                found = chosen(build, Value(here[at], needs), vector.elements[at], found)
            return found
        rows = zip(here, vector.elements)
        return Many(tuple(chosen(build, Value(c, needs), operands[1], old) for c, old in rows))

    def _address(self, one: Instruction, operands: list[Known]) -> Value:
        build = self.build
        if any(isinstance(operand, Many) for operand in operands):
            raise NotProven("a vector of addresses is not followed")
        base, *indices = [operand for operand in operands if isinstance(operand, Value)]
        assert one.indexed is not None
        offset = self.operands.offset(one.indexed, base.term, indices)
        address = build.add(base.term, offset)
        needs = base.needs.union(*(index.needs for index in indices))
        for flag in one.flags:
            if offset.op == "const" and offset.data == 0:
                continue
            if flag == "inbounds":
                needs |= {build.plain("inside", "i1", (address,))}
            else:
                needs |= {build.plain("promise", "i1", (base.term, offset), f"address {flag}")}
        return Value(address, needs)

    def _reserved(self, one: Instruction) -> Value:
        assert one.indexed is not None
        assert isinstance(one.kind, Pointer)
        # Both versions have to use it alike, so a name that both have is enough.
        number = self._reserved_names.setdefault(str(one.result), len(self._reserved_names))
        name = f"private array {number}: {one.indexed}"
        root = Root("private", name, one.kind.space, size_of(one.indexed))
        return Value(self.build.plain("value", kind_of(one.kind), data=root))

    def _shuffled(self, one: Instruction, elements: tuple[Known, ...]) -> Many:
        mask = self.operands.of(one.operands[2], {})
        assert isinstance(mask, Many)
        assert isinstance(one.kind, Vector)
        found: list[Known] = []
        for place in mask.elements:
            assert isinstance(place, Value)
            if place.term.op == "const":
                found.append(elements[int(place.term.data)])
            else:
                found.append(self.operands.literal(_element(one.kind), Literal("poison")))
        return Many(tuple(found))


def _count(kind: Type) -> int:
    return kind.count if isinstance(kind, Vector) else 0


def _element(kind: Vector) -> Type:
    return kind.element


def _field(one: Instruction, operands: list[Known]) -> Known:
    places = [int(place) for place in one.detail.split()]
    found = operands[0]
    if one.op == "extractvalue":
        for place in places:
            assert isinstance(found, Many)
            found = found.elements[place]
        return found
    return _with_field(found, places, operands[1])


def _with_field(known: Known, places: list[int], value: Known) -> Known:
    if not places:
        return value
    assert isinstance(known, Many)
    elements = list(known.elements)
    elements[places[0]] = _with_field(elements[places[0]], places[1:], value)
    return Many(tuple(elements))
