"""Loops that count without saying so, written as ``for (start; condition; increment)``.

``while (i < n) { ...; i += s; }``, ``for (;;) { if (i >= n) break; ... }``, ``while (n-- > 0)``:
the same iterations, tests and last values, so that rules have one form to read. Whether it then
counts (who else writes the variable, whether the bound stays) is for ``counted_loop`` to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Optional, Union

from rocm_perf_lab.optimize.rules.reading.loop_shape import INTEGERS, for_parts
from rocm_perf_lab.optimize.rules.reading.place import cannot
from rocm_perf_lab.optimize.rules.reading.purity import effects_of
from rocm_perf_lab.optimize.rules.reading.syntax import (
    integer_value,
    parents,
    statement_span,
    statements,
    stripped,
    variable_named,
)
from rocm_perf_lab.optimize.rules.rule import CannotChange, Edit, Situation
from rocm_perf_lab.optimize.rules.writing.copies import has_directive, replaced
from rocm_perf_lab.optimize.rules.writing.formatting import indentation, line_start
from rocm_perf_lab.optimize.source.model import LOOPS, Node, Span

_OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
_SIGNED = frozenset({"int", "long", "long long"})


@dataclass(frozen=True)
class _Loop:
    """What is known of it so far; texts are those that the header will have."""

    node: Node
    body: Node
    condition: Optional[Node]
    increment: Optional[Node]
    start: bytes = b""
    test: bytes = b""
    step: bytes = b""
    variable: str = ""
    ahead: bytes = b""  # "+" or "-" where the first step is in front of the loop
    taken: tuple[Node, ...] = ()  # statements of the body that go into the header


class _No(Exception):
    """Why the loop stays as it is."""


def as_for(situation: Situation, node: Node) -> Union[Edit, CannotChange]:
    """One edit in place of the loop, and of what sets its variable right before it."""
    try:
        loop = _opened(situation, node)
        loop = _with_step(situation, _with_test(situation, loop))
        return _written(situation, loop)
    except _No as why:
        return cannot(situation, node, str(why))


def _opened(situation: Situation, node: Node) -> _Loop:
    tokens = situation.unit.files[situation.kernel.path].tokens
    if node.in_macro or has_directive(node.span, tokens):
        raise _No("a macro or lines of the preprocessor are part of the loop")
    if node.kind == "DoStmt":
        raise _No("its body runs before its condition is asked")
    if node.kind == "WhileStmt" and len(node.children) == 2:
        return _Loop(node, node.children[1], node.children[0], None)
    parts = for_parts(node, tokens)
    if parts is None:
        raise _No("it is neither while (condition) nor for (start; condition; increment)")
    start = b"" if parts.init is None else parts.init.span.of(situation.data).rstrip(b"; ")
    return _Loop(node, parts.body, parts.condition, parts.increment, start)


# --- when it ends ---------------------------------------------------------------------------------


def _with_test(situation: Situation, loop: _Loop) -> _Loop:
    condition = loop.condition
    if condition is None or _is_true(situation, condition):
        first = next(iter(statements(loop.body)), None)
        leaves = _leaving(first)
        if first is None or leaves is None:
            raise _No("it has no condition, and does not begin with if (...) break")
        return replace(loop, test=_negated(situation, leaves), taken=(first,))
    if condition.in_macro:
        raise _No("its condition comes from a macro")
    stepping = [n for n in condition.walk() if n.kind == "UnaryOperator" and n.operator in _STEPS]
    if stepping:
        return _stepping_test(situation, loop, condition)
    return replace(loop, test=condition.span.of(situation.data))


_STEPS = ("++", "--")


def _is_true(situation: Situation, node: Node) -> bool:
    inner = stripped(node)
    text = inner.span.of(situation.data)
    return (inner.kind == "CXXBoolLiteralExpr" and text == b"true") or (
        integer_value(inner, situation.data) not in (None, 0)
    )


def _leaving(node: Optional[Node]) -> Optional[Node]:
    """The condition of ``if (condition) break;``."""
    if node is None or node.kind != "IfStmt" or len(node.children) != 2:
        return None
    inner = statements(node.children[1])
    return node.children[0] if [n.kind for n in inner] == ["BreakStmt"] else None


def _negated(situation: Situation, node: Node) -> bytes:
    inner = stripped(node)
    if inner.kind != "BinaryOperator" or inner.operator not in _OPPOSITE or inner.in_macro:
        raise _No("the condition of its break is no comparison")
    if any(_plain_type(side) not in INTEGERS for side in inner.children):
        raise _No("the condition of its break does not compare integers of 32 or 64 bits")
    left, right = (child.span.of(situation.data) for child in inner.children)
    return left + b" " + _OPPOSITE[inner.operator].encode() + b" " + right


def _stepping_test(situation: Situation, loop: _Loop, condition: Node) -> _Loop:
    """``i-- > 0`` steps whenever it asks: the first time before the loop, then after each turn."""
    inner = stripped(condition)
    asked, comparison, bound, compared = inner, "!=", b"0", "int"
    if inner.kind == "BinaryOperator" and inner.operator in _OPPOSITE:
        asked, comparison = stripped(inner.children[0]), inner.operator
        bound = inner.children[1].span.of(situation.data)
        compared = _plain_type(inner.children[1])
    is_step = asked.kind == "UnaryOperator" and asked.operator in _STEPS
    name = variable_named(asked.children[0]) if is_step else None
    if name is None or loop.increment is not None:
        raise _No("its condition does more than to compare and to step one variable")
    if any(n is not asked and n.operator in _STEPS for n in inner.walk()):
        raise _No("its condition steps more than one variable")
    if asked.span.start == asked.children[0].span.start:  # the value before the step is compared
        if not {_plain_type(asked.children[0]), compared} <= _SIGNED:
            raise _No("what has no sign is stepped where it is compared, or compared with")
        comparison = _before_step(loop, asked.operator, comparison, bound)
    sign = b"+" if asked.operator == "++" else b"-"
    return replace(
        loop,
        start=_stepped_start(situation, loop, name, sign),
        test=name.encode() + b" " + comparison.encode() + b" " + bound,
        step=name.encode() + asked.operator.encode(),
        variable=name,
        ahead=b"" if loop.start else sign,
    )


def _before_step(loop: _Loop, step: str, comparison: str, bound: bytes) -> str:
    """The comparison of the stepped value that is true when that of the old value is."""
    if step == "--" and comparison == "!=" and bound == b"0":
        if any(n.kind in ("BreakStmt", "ReturnStmt", "GotoStmt") for n in loop.body.walk()):
            raise _No("it counts down to exactly 0 and can be left before")
        return ">="  # from below 0 it would never end
    found = {("--", ">"): ">=", ("++", "<"): "<="}.get((step, comparison))
    if found is None:
        raise _No(f"a condition with {step} and {comparison} is not understood")
    return found


def _plain_type(node: Node) -> str:
    return stripped(node).type.replace("const ", "")


def _stepped_start(situation: Situation, loop: _Loop, name: str, sign: bytes) -> bytes:
    if not loop.start:
        return b"%s = %s %s 1" % (name.encode(), name.encode(), sign)
    init = _init_of(situation, loop.node)
    value = None if init is None else _value_set(init, name)
    if init is None or value is None or _plain_type(value) not in INTEGERS:
        raise _No(f"its first part does more than to set {name} to an integer")
    return _stepped(situation, init.span, value, sign).rstrip(b"; ")


def _stepped(situation: Situation, span: Span, value: Node, sign: bytes) -> bytes:
    """The text of a declaration or an assignment with its value one further."""
    text = value.span.of(situation.data)
    is_simple = stripped(value).kind in ("DeclRefExpr", "IntegerLiteral", "CallExpr")
    new = (text if is_simple else b"(" + text + b")") + b" " + sign + b" 1"
    return replaced(situation.data, span, {value.span: new})


def _init_of(situation: Situation, node: Node) -> Optional[Node]:
    parts = for_parts(node, situation.unit.files[situation.kernel.path].tokens)
    return None if parts is None else parts.init


def _value_set(node: Node, name: str) -> Optional[Node]:
    """What a declaration or an assignment gives to the variable and to no other one."""
    if node.kind == "DeclStmt" and len(node.children) == 1 and node.children[0].name == name:
        values = [
            child
            for child in node.children[0].children
            if child.kind.endswith(("Expr", "Operator", "Literal"))
        ]
        return values[0] if len(values) == 1 else None
    if node.kind == "BinaryOperator" and node.operator == "=":
        return node.children[1] if variable_named(node.children[0]) == name else None
    return None


# --- how it steps ---------------------------------------------------------------------------------


def _with_step(situation: Situation, loop: _Loop) -> _Loop:
    if loop.step:
        return loop
    if loop.increment is not None:
        name, text = _increment(situation, loop.increment)
        return replace(loop, step=text, variable=name)
    left = statements(loop.body)[len(loop.taken) :]
    if loop.body.kind != "CompoundStmt" or not left:
        raise _No("nothing at the end of its body steps a variable")
    last = _stepping_statement(situation, loop, left)
    name, text = _increment(situation, last)
    if any(_continues(inner) for inner in left):
        raise _No("continue goes past the step at the end of its body")
    inside = {n.name for n in loop.body.walk() if n.kind == "VarDecl"}
    if inside & _names(last):
        raise _No(f"its step uses {min(inside & _names(last))}, which its body declares")
    return replace(loop, step=text, variable=name, taken=(*loop.taken, last))


def _stepping_statement(situation: Situation, loop: _Loop, left: Sequence[Node]) -> Node:
    """The last one, or one that can as well be the last: it steps what the condition asks about,
    and those behind it neither name that nor write what the step reads."""
    asked = _names(loop.taken[0].children[0] if loop.taken else loop.condition)
    for place in range(len(left) - 1, -1, -1):
        name = _stepped_by(situation, left[place])
        behind = left[place + 1 :]
        if name in asked and not _depend(situation, behind, name, _names(left[place])):
            return left[place]
    return left[-1]


def _stepped_by(situation: Situation, node: Node) -> Optional[str]:
    try:
        return _increment(situation, node)[0]
    except _No:
        return None


def _depend(situation: Situation, behind: Sequence[Node], name: str, read: set[str]) -> bool:
    effects = effects_of(behind, situation.unit)
    is_named = any(name in _names(node) for node in behind)
    return is_named or bool(effects.jumps) or bool(effects.writes & read)


def _names(node: Optional[Node]) -> set[str]:
    return set() if node is None else {n.name for n in node.walk() if n.kind == "DeclRefExpr"}


def _increment(situation: Situation, node: Node) -> tuple[str, bytes]:
    inner, data = stripped(node), situation.data
    name = variable_named(inner.children[0]) if inner.children else None
    if name is None or inner.in_macro:
        raise _No("nothing at the end of its body steps a variable")
    is_step = inner.kind == "UnaryOperator" and inner.operator in _STEPS
    is_sum = inner.kind == "CompoundAssignOperator" and inner.operator in ("+=", "-=")
    if is_step or is_sum:
        return name, inner.span.of(data)
    value = stripped(inner.children[1]) if len(inner.children) == 2 else inner
    is_assigned = inner.kind == "BinaryOperator" and inner.operator == "="
    if is_assigned and value.kind == "BinaryOperator" and value.operator in ("+", "-"):
        left, right = value.children
        if variable_named(left) == name:
            text = b"%s %s= %s" % (name.encode(), value.operator.encode(), right.span.of(data))
            return name, text
        if variable_named(right) == name and value.operator == "+":
            return name, b"%s += %s" % (name.encode(), left.span.of(data))
    raise _No(f"{name} is not stepped by an addition")


def _continues(node: Node) -> bool:
    """For this loop: those of loops inside of it are theirs."""
    if node.kind == "ContinueStmt":
        return True
    return node.kind not in LOOPS and any(_continues(child) for child in node.children)


# --- the text -------------------------------------------------------------------------------------


def _written(situation: Situation, loop: _Loop) -> Edit:
    tokens, data = situation.unit.files[situation.kernel.path].tokens, situation.data
    end = statement_span(loop.node, tokens).end
    begin, start, between = loop.node.span.start, loop.start, b""
    before = _set_before(situation, loop, end)
    if before is not None:
        span, start = before
        between = data[span.end : begin].strip()
        begin = span.start
    head = b"for (%s; %s; %s) " % (start, loop.test, loop.step)
    if between:
        head = between + b"\n" + indentation(data, begin) + head
    gone = {_line_of(data, statement_span(one, tokens)): b"" for one in loop.taken}
    return Edit(Span(begin, end), head + replaced(data, Span(loop.body.span.start, end), gone))


def _set_before(situation: Situation, loop: _Loop, end: int) -> Optional[tuple[Span, bytes]]:
    """The statement right before the loop that sets its variable, and it as the first part."""
    above = parents(situation.kernel.tree).get(id(loop.node))
    if above is None or above.kind != "CompoundStmt":
        return None
    place = next(n for n, child in enumerate(above.children) if child is loop.node)
    before = above.children[place - 1] if place else None
    value = None if before is None else _value_set(before, loop.variable)
    if before is None or value is None or (loop.start and not loop.ahead):
        return None
    tokens = situation.unit.files[situation.kernel.path].tokens
    span = statement_span(before, tokens)
    outside = [
        t
        for t in tokens
        if t.name == loop.variable
        and t.span.start in situation.kernel.span
        and not span.start <= t.span.start < end
    ]
    if before.kind == "DeclStmt" and outside:
        return None  # it is used behind the loop
    text = span.of(situation.data)
    if loop.ahead and _plain_type(value) not in INTEGERS:
        return None  # rounded when it is set, and stepped then
    if loop.ahead:
        text = _stepped(situation, span, value, loop.ahead)
    return span, text.rstrip(b"; \n")


def _line_of(data: bytes, span: Span) -> Span:
    """With its line, where nothing else stands on it."""
    begin = line_start(data, span.start)
    end = data.find(b"\n", span.end)
    if end >= 0 and not data[begin : span.start].strip() and not data[span.end : end].strip():
        return Span(begin, end + 1)
    return span


def other_loops(situation: Situation) -> Iterator[Node]:
    """That are not written as ``for`` with all its parts."""
    tokens = situation.unit.files[situation.kernel.path].tokens
    for node in situation.kernel.loops():
        parts = for_parts(node, tokens)
        if (
            parts is None
            or parts.condition is None
            or parts.increment is None
            or stripped(parts.increment).operator == "="
        ):
            yield node
