"""One line of IR becomes one instruction. What is not known here is not guessed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Optional

from rocm_perf_lab.prove.symbolic.ir.metadata import Metadata
from rocm_perf_lab.prove.symbolic.ir.model import Instruction, Operand
from rocm_perf_lab.prove.symbolic.ir.tokens import CASTS, Tokens
from rocm_perf_lab.prove.symbolic.ir.types import Array, Pointer, Scalar, Struct, Type, Vector
from rocm_perf_lab.prove.symbolic.reasons import NotProven

FAST_MATH = frozenset(["nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc", "fast"])
INTEGER = frozenset(
    {"add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or"}
    | {"xor"}
)
FLOATING = frozenset(["fadd", "fsub", "fmul", "fdiv", "frem"])
_WRAP = frozenset(["nuw", "nsw", "exact", "disjoint"])
_CAST_FLAGS = frozenset(["nneg", "nuw", "nsw"]) | FAST_MATH
_CALL_WORDS = frozenset(["tail", "musttail", "notail", "fastcc", "amdgpu_cs", "amdgpu_kernel"])
_VOID = Scalar("void")
_BIT = Scalar("i1")
# Parameter attributes at a call; those in parentheses follow as one word and a group.
_ARGUMENT_WORDS = frozenset(
    {"noundef", "signext", "zeroext", "inreg", "nocapture", "readonly", "readnone", "writeonly"}
    | {"noalias", "nonnull", "immarg", "returned", "nofree", "allocptr", "noext"}
)
_ARGUMENT_GROUPS = frozenset(
    {"align", "dereferenceable", "dereferenceable_or_null", "range", "captures"}
)


def read_instruction(tokens: Tokens, metadata: Metadata) -> Instruction:
    result = None
    if tokens.peek().startswith("%") and tokens.peek(1) == "=":
        result = tokens.take()
        tokens.take()
    op = tokens.take()
    found = _read(op, result, tokens)
    notes = metadata.of_line(tokens)
    values = {**found.__dict__, "metadata": notes.kept, "line": notes.line}
    return Instruction(**values)


def _read(op: str, result: Optional[str], tokens: Tokens) -> Instruction:
    while op in _CALL_WORDS:
        op = tokens.take()
    if op in INTEGER or op in FLOATING:
        flags = strict(tokens.flags(_WRAP | FAST_MATH))
        first, second = _pair(tokens)
        return Instruction(op, result, first.kind, (first, second), flags)
    if op in CASTS:
        flags = strict(tokens.flags(_CAST_FLAGS))
        source = tokens.operand()
        tokens.expect("to")
        return Instruction(op, result, tokens.type(), (source,), flags)
    reader = _READERS.get(op)
    if reader is None:
        raise NotProven(f"the instruction {op} is not read here")
    return reader(op, result, tokens)


def strict(flags: tuple[str, ...]) -> tuple[str, ...]:
    """Fused products are the same in both versions or not; other liberties change results."""
    if (FAST_MATH - {"contract"}) & set(flags):
        raise NotProven("it is built with fast math: each version may round otherwise")
    return flags


def _pair(tokens: Tokens) -> tuple[Operand, Operand]:
    first = tokens.operand()
    tokens.expect(",")
    return first, tokens.operand(first.kind)


def _comparison(op: str, result: Optional[str], tokens: Tokens) -> Instruction:
    flags = strict(tokens.flags(FAST_MATH | {"samesign"}))
    predicate = tokens.take()
    first, second = _pair(tokens)
    kind: Type = _BIT
    if isinstance(first.kind, Vector):
        kind = Vector(first.kind.count, _BIT)
    return Instruction(op, result, kind, (first, second), flags, detail=predicate)


def _listed(op: str, result: Optional[str], tokens: Tokens) -> Instruction:
    """fneg, freeze, select, extractelement, insertelement, shufflevector: operands with types."""
    flags = strict(tokens.flags(FAST_MATH))
    operands = [tokens.operand()]
    while tokens.peek() == "," and not tokens.peek(1).startswith("!"):
        tokens.take()
        operands.append(tokens.operand())
    kind = operands[1].kind if op == "select" else operands[0].kind
    if op == "extractelement" and isinstance(kind, Vector):
        kind = kind.element
    if op == "shufflevector" and isinstance(kind, Vector):
        mask = operands[2].kind
        assert isinstance(mask, Vector)
        kind = Vector(mask.count, kind.element)
    return Instruction(op, result, kind, tuple(operands), flags)


def _aggregate(op: str, result: Optional[str], tokens: Tokens) -> Instruction:
    operands = [tokens.operand()]
    if op == "insertvalue":
        tokens.expect(",")
        operands.append(tokens.operand())
    places = []
    while tokens.peek() == "," and tokens.peek(1).isdigit():
        tokens.take()
        places.append(tokens.take())
    kind = operands[0].kind
    if op == "extractvalue":
        for place in places:
            if isinstance(kind, Struct):
                kind = kind.fields[int(place)]
            elif isinstance(kind, (Array, Vector)):
                kind = kind.element
    return Instruction(op, result, kind, tuple(operands), detail=" ".join(places))


def _address(op: str, result: Optional[str], tokens: Tokens) -> Instruction:
    flags = tokens.flags(frozenset({"inbounds", "nuw", "nusw"}))
    indexed = tokens.type()
    operands = []
    while tokens.peek() == "," and not tokens.peek(1).startswith("!"):
        tokens.take()
        operands.append(tokens.operand())
    return Instruction(op, result, operands[0].kind, tuple(operands), flags, indexed=indexed)


def _load(op: str, result: Optional[str], tokens: Tokens) -> Instruction:
    flags = tokens.flags(frozenset({"volatile", "atomic"}))
    kind = tokens.type()
    tokens.expect(",")
    address = tokens.operand()
    order = _ordering(tokens)
    return Instruction(op, result, kind, (address,), flags, order, align=_align(tokens))


def _store(op: str, result: Optional[str], tokens: Tokens) -> Instruction:
    flags = tokens.flags(frozenset({"volatile", "atomic"}))
    value = tokens.operand()
    tokens.expect(",")
    address = tokens.operand()
    order = _ordering(tokens)
    return Instruction(op, None, _VOID, (value, address), flags, order, align=_align(tokens))


def _ordering(tokens: Tokens) -> str:
    words = []
    while tokens.peek() and tokens.peek() != "," and not tokens.peek().startswith("!"):
        words.append(tokens.take())
    return " ".join(words)


def _align(tokens: Tokens) -> int:
    if tokens.peek() == "," and tokens.peek(1) == "align":
        tokens.at += 2
        return int(tokens.take())
    return 0


def _fence(op: str, result: Optional[str], tokens: Tokens) -> Instruction:
    return Instruction(op, None, _VOID, (), detail=_ordering(tokens))


def _exchange(op: str, result: Optional[str], tokens: Tokens) -> Instruction:
    """atomicrmw and cmpxchg"""
    flags = tokens.flags(frozenset({"volatile", "weak"}))
    operation = tokens.take() if op == "atomicrmw" else ""
    operands = [tokens.operand()]
    while tokens.skip(","):
        operands.append(tokens.operand())
        if len(operands) == (2 if op == "atomicrmw" else 3):
            break
    order = _ordering(tokens)
    kind: Type = operands[1].kind
    if op == "cmpxchg":
        kind = Struct((kind, _BIT))
    detail = f"{operation} {order}".strip()
    return Instruction(op, result, kind, tuple(operands), flags, detail, align=_align(tokens))


def _phi(op: str, result: Optional[str], tokens: Tokens) -> Instruction:
    strict(tokens.flags(FAST_MATH))
    kind = tokens.type()
    operands, labels = [], []
    while True:
        tokens.expect("[")
        operands.append(tokens.operand(kind))
        tokens.expect(",")
        labels.append(tokens.take())
        tokens.expect("]")
        if tokens.peek() != "," or tokens.peek(1).startswith("!"):
            break
        tokens.take()
    return Instruction(op, result, kind, tuple(operands), labels=tuple(labels))


def _branch(op: str, result: Optional[str], tokens: Tokens) -> Instruction:
    if tokens.skip("label"):
        return Instruction(op, None, _VOID, (), labels=(tokens.take(),))
    condition = tokens.operand()
    labels = []
    for _ in range(2):
        tokens.expect(",")
        tokens.expect("label")
        labels.append(tokens.take())
    return Instruction(op, None, _VOID, (condition,), labels=tuple(labels))


def _switch(op: str, result: Optional[str], tokens: Tokens) -> Instruction:
    """The default target first, then one for each further operand."""
    operands = [tokens.operand()]
    tokens.expect(",")
    tokens.expect("label")
    labels = [tokens.take()]
    tokens.expect("[")
    while not tokens.skip("]"):
        operands.append(tokens.operand())
        tokens.expect(",")
        tokens.expect("label")
        labels.append(tokens.take())
    return Instruction(op, None, _VOID, tuple(operands), labels=tuple(labels))


def _return(op: str, result: Optional[str], tokens: Tokens) -> Instruction:
    if not tokens.skip("void"):
        raise NotProven("a function that returns a value was not inlined")
    return Instruction(op, None, _VOID, ())


def _unreachable(op: str, result: Optional[str], tokens: Tokens) -> Instruction:
    return Instruction(op, None, _VOID, ())


def _call(op: str, result: Optional[str], tokens: Tokens) -> Instruction:
    flags = strict(tokens.flags(FAST_MATH))
    _skip_attributes(tokens)
    kind = tokens.type()
    callee = tokens.take()
    if not callee.startswith("@"):
        raise NotProven("it calls through a pointer, or has inline assembly")
    tokens.expect("(")
    operands = []
    while not tokens.skip(")"):
        operands.append(_argument(tokens))
        tokens.skip(",")
    if tokens.peek().startswith("["):
        raise NotProven(f"the call of {callee[1:]} carries an operand bundle")
    if tokens.peek().startswith("#"):
        tokens.take()
    return Instruction(op, result, kind, tuple(operands), flags, detail=callee[1:])


def _argument(tokens: Tokens) -> Operand:
    if tokens.peek() == "metadata":
        raise NotProven("it calls something with metadata as an argument")
    kind = tokens.type()
    _skip_attributes(tokens)
    return tokens.operand(kind)


def _skip_attributes(tokens: Tokens) -> None:
    while tokens.peek() in _ARGUMENT_WORDS or tokens.peek() in _ARGUMENT_GROUPS:
        if tokens.take() in _ARGUMENT_WORDS:
            continue
        if tokens.peek() == "(":
            tokens.parenthesis()
        else:
            tokens.take()  # align 4


def _alloca(op: str, result: Optional[str], tokens: Tokens) -> Instruction:
    indexed = tokens.type()
    while tokens.peek() == "," and tokens.peek(1) not in ("align", "addrspace"):
        tokens.take()
        if tokens.operand().value.__dict__.get("text") != "1":
            raise NotProven("it reserves private memory of a size that is not constant")
    align = _align(tokens)
    space = 0
    if tokens.peek() == "," and tokens.peek(1) == "addrspace":
        tokens.at += 2
        space = int(tokens.parenthesis())
    return Instruction(op, result, Pointer(space), (), indexed=indexed, align=align)


_READERS: dict[str, Callable[[str, Optional[str], Tokens], Instruction]] = {
    "icmp": _comparison,
    "fcmp": _comparison,
    **dict.fromkeys(
        ("fneg", "freeze", "select", "extractelement", "insertelement", "shufflevector"), _listed
    ),
    "extractvalue": _aggregate,
    "insertvalue": _aggregate,
    "getelementptr": _address,
    "load": _load,
    "store": _store,
    "fence": _fence,
    "atomicrmw": _exchange,
    "cmpxchg": _exchange,
    "phi": _phi,
    "br": _branch,
    "switch": _switch,
    "ret": _return,
    "unreachable": _unreachable,
    "call": _call,
    "alloca": _alloca,
}
