"""IR on numbers: what the kernels of the property tests do, computed the plain way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Optional

from rocm_perf_lab.prove.symbolic.ir.model import Function, Instruction, Literal, Local, Operand
from rocm_perf_lab.prove.symbolic.ir.types import Pointer, Scalar, size_of

_STEPS = 4000


class Undefined(Exception):
    """The kernel has no meaning for these inputs."""


# What overflowed although it was promised not to: harmless until something depends on it.
POISON = None
Value = Optional[int]


def signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


def bits_of(operand: Operand) -> int:
    if isinstance(operand.kind, Pointer):
        return 64
    assert isinstance(operand.kind, Scalar)
    return int(operand.kind.name[1:])


def run(function: Function, arguments: list[int], memory: Mapping[int, int]) -> dict[int, int]:
    """Memory in words of 32 bits by address, after the kernel."""
    names: dict[str, Value] = {p.name: value for p, value in zip(function.parameters, arguments)}
    words = dict(memory)
    block, left = function.blocks[function.entry], ""
    for _ in range(_STEPS):
        phis = {}
        for phi in block.phis:
            phis[str(phi.result)] = _value(phi.operands[phi.labels.index(left)], names)
        names.update(phis)
        for one in block.body:
            _execute(one, names, words)
        end = block.end
        if end.op == "ret":
            return words
        taken = 0 if not end.operands or _known(_value(end.operands[0], names)) else 1
        left, block = block.name, function.blocks[end.labels[taken]]
    raise Undefined


def _known(value: Value) -> int:
    if value is POISON:
        raise Undefined
    return value


def _value(operand: Operand, names: Mapping[str, Value]) -> Value:
    if isinstance(operand.value, Local):
        return names[operand.value.name]
    assert isinstance(operand.value, Literal)
    number = {"true": 1, "false": 0}.get(operand.value.text)
    number = int(operand.value.text) if number is None else number
    return number % (1 << bits_of(operand))


def _execute(one: Instruction, names: dict[str, Value], words: dict[int, int]) -> None:
    values = [_value(operand, names) for operand in one.operands]
    if one.op == "store":
        if _known(values[1]) not in words:
            raise Undefined
        words[_known(values[1])] = _known(values[0])
        return
    assert one.result is not None
    if one.op == "load":
        if _known(values[0]) not in words:
            raise Undefined
        names[one.result] = words[_known(values[0])]
    elif one.op == "select" and values[0] is not POISON:
        names[one.result] = values[1] if values[0] else values[2]
    else:
        known = [value for value in values if value is not POISON]
        names[one.result] = _computed(one, known) if len(known) == len(values) else POISON


def _computed(one: Instruction, values: Sequence[int]) -> Value:
    bits = bits_of(one.operands[0])
    mask = (1 << bits) - 1
    if one.op == "getelementptr":
        assert one.indexed is not None
        index = signed(values[1], bits_of(one.operands[1]))
        return (values[0] + index * size_of(one.indexed)) % (1 << 64)
    if one.op in ("zext", "sext", "trunc"):
        wide = int(str(one.kind.__dict__["name"])[1:])
        value = signed(values[0], bits) if one.op == "sext" else values[0]
        return value % (1 << wide)
    a, b = values
    if one.op == "icmp":
        return int(_holds(one.detail, a, b, bits))
    if one.op in ("shl", "lshr", "ashr") and b >= bits:
        return POISON
    if one.op in ("udiv", "urem") and b == 0:
        raise Undefined
    operations = {
        "add": lambda: a + b,
        "sub": lambda: a - b,
        "mul": lambda: a * b,
        "and": lambda: a & b,
        "or": lambda: a | b,
        "xor": lambda: a ^ b,
        "shl": lambda: a << b,
        "lshr": lambda: a >> b,
        "ashr": lambda: signed(a, bits) >> b,
        "udiv": lambda: a // b,
        "urem": lambda: a % b,
    }
    if "nsw" in one.flags:
        x, y = signed(a, bits), signed(b, bits)
        exact = {"add": x + y, "sub": x - y, "mul": x * y}[one.op]
        if not -(1 << (bits - 1)) <= exact < 1 << (bits - 1):
            return POISON
    return operations[one.op]() & mask


def _holds(predicate: str, a: int, b: int, bits: int) -> bool:
    if predicate in ("eq", "ne"):
        return (a == b) == (predicate == "eq")
    if predicate[0] == "s":
        a, b = signed(a, bits), signed(b, bits)
    return {"lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[predicate[1:]]
