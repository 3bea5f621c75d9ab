"""One version of the kernel, running on expressions: instruction by instruction."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.prove.symbolic.ir.model import Function, Instruction, Module
from rocm_perf_lab.prove.symbolic.ir.types import Array, Pointer, Struct, Type, Vector, size_of
from rocm_perf_lab.prove.symbolic.reasons import NotProven
from rocm_perf_lab.prove.symbolic.run.arithmetic import DIVISIONS, each, is_extreme, kind_of
from rocm_perf_lab.prove.symbolic.run.computing import AFTER, BEFORE, Computing
from rocm_perf_lab.prove.symbolic.run.memory import CONSTANT, Memories, Place
from rocm_perf_lab.prove.symbolic.run.path import Access, Owed, Path
from rocm_perf_lab.prove.symbolic.run.values import Known, Many, Root, Value, all_needs
from rocm_perf_lab.prove.symbolic.terms.build import Builder
from rocm_perf_lab.prove.symbolic.terms.term import Term

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


class Machine(Computing):
    def __init__(
        self, side: str, build: Builder, memories: Memories, module: Module, function: Function
    ) -> None:
        super().__init__(side, build, module)
        self.function = function
        self._memories = memories
        self.module = module

    def value(self, state: State, one: Instruction, index: int) -> Known:
        return self.operands.of(one.operands[index], state.names)

    def scalar(self, state: State, one: Instruction, index: int) -> Value:
        found = self.value(state, one, index)
        if isinstance(found, Many):
            raise NotProven(f"{one.op} of a vector is not followed", one.line)
        return found

    def execute(self, one: Instruction, state: State, path: Path) -> None:
        try:
            found = self._result(one, state, path)
        except NotProven as why:
            raise NotProven(why.why, why.line or one.line, why.rank) from None
        if one.result is not None and found is not None:
            state.names[one.result] = found

    def _result(self, one: Instruction, state: State, path: Path) -> Optional[Known]:
        operands = [self.value(state, one, index) for index in range(len(one.operands))]
        if one.op in DIVISIONS:
            self._divides(one, operands, path)
        found = self.computed(one, operands)
        return self._effect(one, operands, state, path) if found is None else found

    def _divides(self, one: Instruction, operands: list[Known], path: Path) -> None:
        a, b = operands
        if isinstance(a, Many) or isinstance(b, Many):
            raise NotProven("a division of vectors is not followed")
        for need in self.arithmetic.division_needs(one.op, a.term, b.term):
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

    def _effect(
        self, one: Instruction, operands: list[Known], state: State, path: Path
    ) -> Optional[Known]:
        if one.op == "load":
            return self._load(one, operands[0], state, path)
        if one.op == "store":
            self._store(one, operands, state, path)
            return None
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
            self._learn_alignment(place.address, one.align, path)
        elif kind.space != CONSTANT or needs:
            self.use(needs, one.line, path)
            if kind.space != CONSTANT:
                path.pending.append(Access(place, one.align, one.line))
        return place

    def _learn_alignment(self, address: Term, align: int, path: Path) -> None:
        bits = align.bit_length() - 1
        if bits > 0:
            low = self.build.truncated(address, f"i{bits}")
            path.learn(self.build.equal(low, self.build.const(low.kind, 0)))

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

    def _store(self, one: Instruction, operands: list[Known], state: State, path: Path) -> None:
        if one.flags:
            self._observed(one, operands, state, path)
            return
        kind = one.operands[0].kind
        place = self._access(one, operands[1], size_of(kind), 1, path)
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

    def _observed(self, one: Instruction, operands: list[Known], state: State, path: Path) -> Known:
        """Volatile and atomic accesses: events that other threads see, in their order."""
        index = 0 if one.op == "load" else 1
        self._access(one, operands[index], size_of(one.operands[0].kind), index, path)
        return self._happens(one, operands, state, path)

    def _exchange(self, one: Instruction, operands: list[Known], state: State, path: Path) -> Known:
        self._access(one, operands[0], size_of(one.operands[1].kind), 0, path)
        return self._happens(one, operands, state, path)

    def _happens(self, one: Instruction, operands: list[Known], state: State, path: Path) -> Known:
        """An event whose result depends on what others did: the same event, the same result."""
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
            compute = self.arithmetic
            if is_extreme(short):
                return each(lambda a, b: compute.extreme(short, a, b), *operands)
            if short == "abs" and all(isinstance(operand, Value) for operand in operands):
                a, flag = operands
                assert isinstance(a, Value)
                assert isinstance(flag, Value)
                return compute.absolute(a, flag.term)
        if name in _PASSED:
            root = Root("runtime", name, CONSTANT, _PASSED[name], constant=True)
            return Value(self.build.plain("value", kind_of(one.kind), data=root))
        if name.startswith(_IDENTITIES):
            return self._identity(one, path)
        if name in self.module.pure or name.startswith(_LIBRARY):
            return self._function(one, operands)
        if name.startswith("llvm.amdgcn."):
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

    def _meeting(self, one: Instruction, operands: list[Value], state: State, path: Path) -> Known:
        """Lanes exchange values."""
        for operand in operands:
            self.use(operand.needs, one.line, path)
        terms = [operand.term for operand in operands]
        turns = path.turns[self.side]  # which lanes are there
        terms += [term if holds else self.build.negated(term) for term, holds in turns]
        state.memory = self._memories.event(state.memory, f"{one.detail} {one.flags}", terms)
        return self._results(one.kind, state.memory)

    def _function(self, one: Instruction, operands: list[Known]) -> Known:
        """A function of its operands and of nothing else."""
        flat = [part for operand in operands for part in _flat(operand)]
        if any(isinstance(operand.kind, Pointer) for operand in one.operands):
            raise NotProven(f"it calls {one.detail} with a pointer")
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


def _limits(one: Instruction) -> str:
    """What metadata promises about the values of an access."""
    return " ".join(f"{name} {text}" for name, text in sorted(one.metadata.items()))


__all__ = ["AFTER", "BEFORE", "Machine", "State"]
