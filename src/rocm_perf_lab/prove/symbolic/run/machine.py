"""One version of the kernel, running on expressions: instruction by instruction."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.prove.symbolic.ir.instructions import FLOATING, INTEGER
from rocm_perf_lab.prove.symbolic.ir.model import Function, Instruction, Literal, Module
from rocm_perf_lab.prove.symbolic.ir.tokens import CASTS
from rocm_perf_lab.prove.symbolic.ir.types import Array, Pointer, Struct, Type, Vector, size_of
from rocm_perf_lab.prove.symbolic.reasons import NotProven
from rocm_perf_lab.prove.symbolic.run.arithmetic import (
    DIVISIONS,
    Arithmetic,
    each,
    is_extreme,
    kind_of,
)
from rocm_perf_lab.prove.symbolic.run.memory import CONSTANT, PRIVATE, Memories, Place, root_of
from rocm_perf_lab.prove.symbolic.run.operands import Operands
from rocm_perf_lab.prove.symbolic.run.path import Access, Owed, Path
from rocm_perf_lab.prove.symbolic.run.values import Known, Many, Root, Value, all_needs, chosen
from rocm_perf_lab.prove.symbolic.terms.build import Builder
from rocm_perf_lab.prove.symbolic.terms.term import Term

BEFORE, AFTER = "before", "after"
_IGNORED = ("llvm.lifetime.", "llvm.dbg.", "llvm.experimental.noalias.", "llvm.invariant.")
_BARRIERS = ("llvm.amdgcn.s.barrier", "llvm.amdgcn.wave.barrier", "llvm.amdgcn.sched.")
_IDENTITIES = ("llvm.amdgcn.workitem.id.", "llvm.amdgcn.workgroup.id.")
# What the runtime passes to every kernel, in bytes.
_PASSED = {"llvm.amdgcn.implicitarg.ptr": 256, "llvm.amdgcn.dispatch.ptr": 64}
_LIBRARY = "__ocml_"  # mathematical functions of the device library


@dataclass
class State:
    """Where a version stands."""

    block: str
    names: dict[str, Known]
    memory: Term

    def fork(self) -> State:
        return State(self.block, dict(self.names), self.memory)


class Machine:
    def __init__(
        self, side: str, build: Builder, memories: Memories, module: Module, function: Function
    ) -> None:
        self.side = side
        self.build = build
        self.function = function
        self.stores = 0
        self.meets: set[str] = set()  # where lanes exchange values
        self.contracts = False
        self._memories = memories
        self._module = module
        self._arithmetic = Arithmetic(build)
        self._operands = Operands(build, module)
        self._reserved_names: dict[str, int] = {}

    def value(self, state: State, one: Instruction, index: int) -> Known:
        return self._operands.of(one.operands[index], state.names)

    def scalar(self, state: State, one: Instruction, index: int) -> Value:
        found = self.value(state, one, index)
        if isinstance(found, Many):
            raise NotProven(f"{one.op} of a vector is not followed", one.line)
        return found

    def execute(self, one: Instruction, state: State, path: Path) -> None:
        try:
            found = self._result(one, state, path)
        except NotProven as why:
            raise NotProven(why.why, why.line or one.line) from None
        if one.result is not None and found is not None:
            state.names[one.result] = found

    def _result(self, one: Instruction, state: State, path: Path) -> Optional[Known]:
        op, compute = one.op, self._arithmetic
        operands = [self.value(state, one, index) for index in range(len(one.operands))]
        if op in INTEGER:
            if op in DIVISIONS:
                self._divides(one, operands, path)
            return each(lambda a, b: compute.integer(one, a, b), *operands)
        if op in FLOATING or op in ("fneg", "fcmp"):
            self.contracts |= "contract" in one.flags or "fast" in one.flags
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
        return self._effect(one, operands, state, path)

    def _cast(self, one: Instruction, operand: Known) -> Known:
        source, target = one.operands[0].kind, one.kind
        if one.op == "bitcast" and isinstance(source, Vector) != isinstance(target, Vector):
            raise NotProven("a vector is read as bits of another type")
        if one.op == "bitcast" and isinstance(source, Vector) and isinstance(target, Vector):
            if source.count != target.count:
                raise NotProven("a vector is read as bits of another type")
        return each(lambda a: self._arithmetic.cast(one, a), operand)

    def _frozen(self, operand: Known) -> Known:
        """In the original any choice will do; in the changed kernel none has to be made."""
        if isinstance(operand, Many):
            return Many(tuple(self._frozen(element) for element in operand.elements))
        return Value(operand.term) if self.side == BEFORE else operand

    def _divides(self, one: Instruction, operands: list[Known], path: Path) -> None:
        a, b = operands
        if isinstance(a, Many) or isinstance(b, Many):
            raise NotProven("a division of vectors is not followed")
        for need in self._arithmetic.division_needs(one.op, a.term, b.term):
            self.use(frozenset({need}) | b.needs, one.line, path)

    def use(self, needs: frozenset[Term], line: Optional[int], path: Path) -> None:
        """A value decides something: if it were poison, the kernel would have no meaning."""
        for need in sorted(needs, key=lambda term: term.number):
            if self.side == BEFORE:
                path.learn(need)
            else:
                path.owed.append(Owed(need, True, line))

    def keep(self, needs: frozenset[Term], line: Optional[int], path: Path) -> None:
        """A value is stored or goes into the next iteration."""
        if self.side == BEFORE:
            path.kept |= needs
        else:
            ordered = sorted(needs, key=lambda term: term.number)
            path.owed += [Owed(need, False, line) for need in ordered]

    def _vector(self, one: Instruction, operands: list[Known]) -> Known:
        vector = operands[0]
        if not isinstance(vector, Many):
            raise NotProven("a vector is used in a form that is not followed")
        if one.op == "shufflevector":
            other = operands[1]
            assert isinstance(other, Many)
            return Many(tuple(_picked(one, self, vector.elements + other.elements)))
        index = operands[-1]
        assert isinstance(index, Value)
        if index.term.op != "const":
            return self._variable_element(one, vector, operands, index)
        place = int(index.term.data)  # type: ignore[call-overload]
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
        offset = self._operands.offset(one.indexed, base.term, indices)
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
        assert one.indexed is not None and isinstance(one.kind, Pointer)
        # Both versions have to use it alike, so a name that both have is enough.
        number = self._reserved_names.setdefault(str(one.result), len(self._reserved_names))
        name = f"private array {number}: {one.indexed}"
        root = Root("private", name, one.kind.space, size_of(one.indexed))
        return Value(self.build.plain("value", kind_of(one.kind), data=root))

    def _effect(
        self, one: Instruction, operands: list[Known], state: State, path: Path
    ) -> Optional[Known]:
        if one.op == "load":
            return self._load(one, operands[0], state, path)
        if one.op == "store":
            return self._store(one, operands, state, path)
        if one.op == "fence":
            state.memory = self._memories.event(state.memory, f"fence {one.detail}")
            return None
        if one.op in ("atomicrmw", "cmpxchg"):
            return self._exchange(one, operands, state, path)
        if one.op == "call":
            return self._call(one, operands, state, path)
        raise NotProven(f"the instruction {one.op} is not followed")

    def _access(
        self, one: Instruction, address: Known, size: int, operand: int, path: Path
    ) -> Place:
        assert isinstance(address, Value)
        kind = one.operands[operand].kind
        assert isinstance(kind, Pointer)
        place = Place(kind.space, address.term, size)
        needs = address.needs
        if self.side == BEFORE:
            self.use(needs, one.line, path)
            path.accessed[place] = max(one.align, path.accessed.get(place, 0))
        elif kind.space != CONSTANT or needs:
            self.use(needs, one.line, path)
            if kind.space != CONSTANT:
                path.pending.append(Access(place, one.align, one.line))
        return place

    def _load(self, one: Instruction, address: Known, state: State, path: Path) -> Known:
        if one.flags:
            return self._observed(one, [address], state, path)
        size = size_of(one.kind)
        place = self._access(one, address, size, 0, path)
        return self._read(one, one.kind, place, 0, state, path)

    def _read(
        self, one: Instruction, kind: Type, place: Place, at: int, state: State, path: Path
    ) -> Known:
        """Wide types element by element: nobody else writes there meanwhile."""
        if isinstance(kind, (Vector, Array)):
            step = size_of(kind.element)
            parts = (
                self._read(one, kind.element, place, at + i * step, state, path)
                for i in range(kind.count)
            )
            return Many(tuple(parts))
        if isinstance(kind, Struct):
            raise NotProven("a struct is read as a whole")
        address = self.build.add(place.address, self.build.const(place.address.kind, at))
        part = Place(place.space, address, size_of(kind))
        note = _limits(one)
        name = kind_of(kind)
        return Value(self._memories.loaded(state.memory, part, name, note, path.known()))

    def _store(
        self, one: Instruction, operands: list[Known], state: State, path: Path
    ) -> None:
        if one.flags:
            self._observed(one, operands, state, path)
            return
        kind = one.operands[0].kind
        place = self._access(one, operands[1], size_of(kind), 1, path)
        self.stores += 1
        self._write(one, kind, operands[0], place, 0, state)
        self.keep(all_needs(operands[0]), one.line, path)

    def _write(
        self, one: Instruction, kind: Type, value: Known, place: Place, at: int, state: State
    ) -> None:
        if isinstance(kind, (Vector, Array)):
            assert isinstance(value, Many)
            step = size_of(kind.element)
            for number, element in enumerate(value.elements):
                self._write(one, kind.element, element, place, at + number * step, state)
            return
        if not isinstance(value, Value):
            raise NotProven("a struct is written as a whole")
        address = self.build.add(place.address, self.build.const(place.address.kind, at))
        part = Place(place.space, address, size_of(kind))
        state.memory = self._memories.stored(state.memory, part, value.term, _limits(one))

    def _observed(
        self, one: Instruction, operands: list[Known], state: State, path: Path
    ) -> Known:
        """Volatile and atomic accesses: events that other threads see, in their order."""
        index = 0 if one.op == "load" else 1
        self._access(one, operands[index], size_of(one.operands[0].kind), index, path)
        return self._happens(one, operands, state, path)

    def _exchange(
        self, one: Instruction, operands: list[Known], state: State, path: Path
    ) -> Known:
        self._access(one, operands[0], size_of(one.operands[1].kind), 0, path)
        self.stores += 1
        return self._happens(one, operands, state, path)

    def _happens(
        self, one: Instruction, operands: list[Known], state: State, path: Path
    ) -> Known:
        """An event with a result that depends on what others did: the same event, the same result."""
        args = []
        for operand in operands:
            if isinstance(operand, Many):
                raise NotProven(f"{one.op} of a vector is not followed")
            self.use(operand.needs, one.line, path)
            args.append(operand.term)
        kinds = [str(operand.kind) for operand in one.operands]
        name = f"{one.op} {one.detail} {one.flags} {kinds} {_limits(one)}"
        state.memory = self._memories.event(state.memory, name, args)
        return self._results(one.kind, state.memory)

    def _results(self, kind: Type, memory: Term, at: int = 0) -> Known:
        if isinstance(kind, (Vector, Array)):
            parts = (self._results(kind.element, memory, i) for i in range(kind.count))
            return Many(tuple(parts))
        if isinstance(kind, Struct):
            fields = enumerate(kind.fields)
            return Many(tuple(self._results(field, memory, i) for i, field in fields))
        return Value(self.build.plain("result", kind_of(kind), (memory,), at))

    def _call(
        self, one: Instruction, operands: list[Known], state: State, path: Path
    ) -> Optional[Known]:
        name = one.detail
        if name.startswith(_IGNORED):
            return None
        if name.startswith(_BARRIERS):
            state.memory = self._memories.event(state.memory, name)
            return None
        if name == "llvm.assume":
            condition = operands[0]
            assert isinstance(condition, Value)
            self.use(condition.needs | {condition.term}, one.line, path)
            return None
        if name.startswith("llvm."):
            short = name.split(".")[1]
            compute = self._arithmetic
            if is_extreme(short):
                return each(lambda a, b: compute.extreme(short, a, b), *operands)
            if short == "abs" and all(isinstance(operand, Value) for operand in operands):
                a, flag = operands
                assert isinstance(a, Value) and isinstance(flag, Value)
                return compute.absolute(a, flag.term)
        if name in _PASSED:
            root = Root("runtime", name, CONSTANT, _PASSED[name], constant=True)
            return Value(self.build.plain("value", kind_of(one.kind), data=root))
        if name.startswith(_IDENTITIES):
            return self._identity(one, path)
        if name in self._module.pure or name.startswith(_LIBRARY):
            return self._function(one, operands)
        if name.startswith("llvm.amdgcn."):
            self.meets.add(name)
            flat = [part for operand in operands for part in _flat(operand)]
            return self._meeting(one, flat, state, path)
        raise NotProven(f"it calls {name}, whose effects are not known")

    def _identity(self, one: Instruction, path: Path) -> Value:
        """Which lane, which workgroup: the range is the hardware's, or what the launch promises."""
        term = self.build.plain("call", kind_of(one.kind), (), one.detail)
        limit = re.fullmatch(r"!\{i32 0, i32 (\d+)\}", one.metadata.get("range", ""))
        if limit and self.side == BEFORE:
            path.learn(self.build.compared("ult", term, self.build.const("i32", int(limit[1]))))
        return Value(term)

    def _meeting(
        self, one: Instruction, operands: list[Value], state: State, path: Path
    ) -> Known:
        """Lanes exchange values."""
        for operand in operands:
            self.use(operand.needs, one.line, path)
        terms = [operand.term for operand in operands]
        state.memory = self._memories.event(state.memory, f"{one.detail} {one.flags}", terms)
        return self._results(one.kind, state.memory)

    def _function(self, one: Instruction, operands: list[Known]) -> Known:
        """A function of its operands and of nothing else."""
        flat = [part for operand in operands for part in _flat(operand)]
        if any(isinstance(operand.kind, Pointer) for operand in one.operands):
            raise NotProven(f"it calls {one.detail} with a pointer")
        self.contracts |= "contract" in one.flags or "fast" in one.flags
        needs = frozenset().union(*(part.needs for part in flat))
        data = (one.detail, one.flags, _limits(one))
        args = [part.term for part in flat]
        return self._called(one.kind, args, data, needs)

    def _called(
        self, kind: Type, args: list[Term], data: tuple[object, ...], needs: frozenset[Term]
    ) -> Known:
        if isinstance(kind, (Vector, Array)):
            parts = range(kind.count)
            inner: list[Type] = [kind.element] * kind.count
        elif isinstance(kind, Struct):
            parts, inner = range(len(kind.fields)), list(kind.fields)
        else:
            return Value(self.build.plain("call", kind_of(kind), args, data), needs)
        return Many(tuple(self._called(inner[i], args, (*data, i), needs) for i in parts))


def _flat(known: Known) -> list[Value]:
    if isinstance(known, Value):
        return [known]
    return [part for element in known.elements for part in _flat(element)]


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


def _picked(one: Instruction, machine: Machine, elements: tuple[Known, ...]) -> list[Known]:
    mask = one.operands[2]
    found: list[Known] = []
    known = machine._operands.of(mask, {})
    assert isinstance(known, Many)
    for place in known.elements:
        assert isinstance(place, Value)
        if place.term.op == "const":
            found.append(elements[int(place.term.data)])  # type: ignore[call-overload]
        else:
            kind = elements[0]
            assert isinstance(kind, Value)
            found.append(machine._operands.literal(_element(one), Literal("poison")))
    return found


def _element(one: Instruction) -> Type:
    assert isinstance(one.kind, Vector)
    return one.kind.element


def _limits(one: Instruction) -> str:
    """What metadata promises about the values of an access."""
    return " ".join(f"{name} {text}" for name, text in sorted(one.metadata.items()))


__all__ = ["AFTER", "BEFORE", "PRIVATE", "Machine", "State", "root_of"]
