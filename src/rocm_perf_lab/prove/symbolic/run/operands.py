"""Operands: what names, constants and variables of the module stand for."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rocm_perf_lab.prove.symbolic.ir.model import (
    Composite,
    ConstantExpression,
    Function,
    Global,
    Literal,
    Local,
    Module,
    Operand,
)
from rocm_perf_lab.prove.symbolic.ir.types import (
    Array,
    Pointer,
    Struct,
    Type,
    Vector,
    bits_of,
    field_offset,
    is_integer,
    size_of,
)
from rocm_perf_lab.prove.symbolic.reasons import NotProven
from rocm_perf_lab.prove.symbolic.run.arithmetic import kind_of
from rocm_perf_lab.prove.symbolic.run.values import Known, Many, Root, Value
from rocm_perf_lab.prove.symbolic.terms.build import Builder
from rocm_perf_lab.prove.symbolic.terms.term import Term

_UNKNOWN_WORDS = ("undef", "poison")


class Operands:
    """Of one version of the kernel."""

    def __init__(self, build: Builder, module: Module) -> None:
        self.build = build
        self.module = module
        self._unknown = 0

    def of(self, operand: Operand, names: Mapping[str, Known]) -> Known:
        value = operand.value
        if isinstance(value, Local):
            if value.name not in names:
                raise NotProven(f"{value.name} is used where it is not defined")
            return names[value.name]
        if isinstance(value, Global):
            return Value(self._variable(value.name))
        if isinstance(value, Composite):
            return Many(tuple(self.of(element, names) for element in value.elements))
        if isinstance(value, ConstantExpression):
            return self._expression(value, names)
        return self.literal(operand.kind, value)

    def literal(self, kind: Type, value: Literal) -> Known:
        word = value.text
        if isinstance(kind, (Vector, Array)):
            return Many(tuple(self.literal(kind.element, value) for _ in range(kind.count)))
        if isinstance(kind, Struct):
            return Many(tuple(self.literal(field, value) for field in kind.fields))
        name = kind_of(kind)
        if word in _UNKNOWN_WORDS:
            # Each use may be another value: nothing may depend on it.
            self._unknown += 1
            unknown = self.build.plain("unknown", name, data=(id(self), self._unknown))
            return Value(unknown, frozenset({self.build.false}))
        if isinstance(kind, Pointer) or is_integer(kind):
            number = {"true": 1, "false": 0, "null": 0, "zeroinitializer": 0}.get(word)
            if number is None:
                number = int(word)
            return Value(self.build.const(name, number))
        text = "0.000000e+00" if word == "zeroinitializer" else word
        return Value(self.build.plain("float", name, data=text))

    def _variable(self, name: str) -> Term:
        variable = self.module.globals.get(name)
        if variable is None:
            raise NotProven(f"{name} is a function or variable that is not followed")
        size = size_of(variable.kind)
        root = Root("global", f"{name} = {variable.text}", variable.space, size)
        return self.build.plain("value", f"i{bits_of(Pointer(variable.space))}", data=root)

    def _expression(self, value: ConstantExpression, names: Mapping[str, Known]) -> Known:
        inner = [self.of(operand, names) for operand in value.operands]
        first = inner[0]
        assert isinstance(first, Value)
        if value.op == "getelementptr":
            rest = [one for one in inner[1:] if isinstance(one, Value)]
            return Value(self.build.add(first.term, self.offset(value.kind, first.term, rest)))
        if value.op == "addrspacecast":
            kind = kind_of(value.kind)
            if first.term.kind == kind:
                return first
            source = str(value.operands[0].kind)
            return Value(self.build.plain("addrspacecast", kind, (first.term,), source))
        raise NotProven(f"a constant {value.op} is not followed")

    def offset(self, indexed: Type, base: Term, indices: list[Value]) -> Term:
        """Bytes that ``getelementptr`` adds to an address."""
        build, kind = self.build, base.kind
        total = build.const(kind, 0)
        here: Type = Array(0, indexed)
        for index in indices:
            if isinstance(here, Struct):
                if index.term.op != "const":
                    raise NotProven("a field of a struct is chosen by a variable")
                number = int(index.term.data)
                total = build.add(total, build.const(kind, field_offset(here, number)))
                here = here.fields[number]
                continue
            if not isinstance(here, (Array, Vector)):
                raise NotProven("an address is computed in a form that is not followed")
            here = here.element
            wide = index.term
            if wide.bits < base.bits:
                wide = build.extended("sext", wide, kind)
            elif wide.bits > base.bits:
                wide = build.truncated(wide, kind)
            total = build.add(total, build.mul(wide, build.const(kind, size_of(here))))
        return total


def arguments(build: Builder, function: Function) -> dict[str, Known]:
    """The same expressions for both versions: they are launched alike."""
    found: dict[str, Known] = {}
    for number, parameter in enumerate(function.parameters):
        name = f"argument {number}"
        if isinstance(parameter.kind, Pointer):
            attributes = parameter.attributes
            alone = "noalias" in attributes
            fixed = alone and bool({"readonly", "readnone"} & attributes)
            by_value = any(re.match(r"byref|byval", one) for one in attributes)
            if by_value:
                name = f"struct in {name}"
            root = Root("argument", name, parameter.kind.space, None, alone, fixed or by_value)
            found[parameter.name] = Value(
                build.plain("value", f"i{bits_of(parameter.kind)}", data=root)
            )
        else:
            found[parameter.name] = _argument(build, parameter.kind, name)
    return found


def _argument(build: Builder, kind: Type, name: str) -> Known:
    if isinstance(kind, (Vector, Array)):
        inner = (_argument(build, kind.element, f"{name}.{i}") for i in range(kind.count))
        return Many(tuple(inner))
    if isinstance(kind, Struct):
        fields = enumerate(kind.fields)
        return Many(tuple(_argument(build, field, f"{name}.{i}") for i, field in fields))
    return Value(build.plain("value", kind_of(kind), data=name))
