"""Loops that count: their variable, bounds, step and body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional, Union

from rocm_perf_lab.optimize.rules.reading.invariance import why_it_varies
from rocm_perf_lab.optimize.rules.reading.place import cannot
from rocm_perf_lab.optimize.rules.reading.purity import Effects, effects_of
from rocm_perf_lab.optimize.rules.reading.syntax import integer_value, stripped, variable_named
from rocm_perf_lab.optimize.rules.rule import CannotChange, Situation
from rocm_perf_lab.optimize.source.model import Node, Span, Token

INTEGERS = frozenset(
    {"int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long"}
)
NOT_FOR = "it is not written as for (...; condition; increment)"
_SWAPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}


@dataclass(frozen=True)
class ForLoop:
    """The parts of a ``for``, None where nothing is written."""

    node: Node
    header: Span  # from "for" to the closing parenthesis
    init: Optional[Node]
    condition: Optional[Node]
    increment: Optional[Node]
    body: Node


@dataclass(frozen=True)
class CountedLoop:
    """``for (variable = start; variable < bound; variable += step) body``, where the variable
    changes in the increment alone, and bound and step do not change at all."""

    parts: ForLoop
    variable: str
    type: str  # of the variable, an integer type
    declared_here: bool
    start: Optional[Node]  # None: it has its value from before
    comparison: str  # as if the variable stood on the left
    bound: Node
    step: Optional[int]  # None: not a literal; negative when it counts down
    step_node: Optional[Node]  # what is added or, counting down, subtracted; None for ++ and --
    inside: Effects  # of the body

    @property
    def node(self) -> Node:
        return self.parts.node

    @property
    def body(self) -> Node:
        return self.parts.body

    @property
    def counts_up(self) -> bool:
        return self.parts.increment is not None and self.parts.increment.operator in ("++", "+=")


def for_parts(node: Node, tokens: Sequence[Token]) -> Optional[ForLoop]:
    """None for what is no ``for`` with two semicolons that are written in the file."""
    if node.kind != "ForStmt" or node.in_macro or not node.children:
        return None
    semicolons, depth, end = [], 0, None
    for token in tokens:
        if token.span.start not in node.span or token.is_comment:
            continue
        if token.text in (b"(", b"{", b"["):
            depth += 1
        elif token.text in (b")", b"}", b"]"):
            depth -= 1
            if depth == 0:
                end = token.span.end
                break
        elif token.text == b";" and depth == 1:
            semicolons.append(token.span.start)
    if len(semicolons) != 2 or end is None:
        return None
    first, second = semicolons

    def part(after: int, before: int) -> Optional[Node]:
        inside = [c for c in node.children if after <= c.span.start < before]
        return inside[0] if len(inside) == 1 else None

    body = node.children[-1]
    if body.span.start < end:
        return None
    return ForLoop(
        node,
        Span(node.span.start, end),
        part(node.span.start, first + 1),
        part(first, second),
        part(second, end),
        body,
    )


def counted_loop(situation: Situation, node: Node) -> Union[CountedLoop, CannotChange]:
    """The loop, or in which way it does not count."""
    parts = for_parts(node, situation.unit.files[situation.kernel.path].tokens)
    if parts is None or parts.condition is None or parts.increment is None:
        return cannot(situation, node, NOT_FOR)
    stepped = _step(parts.increment, situation.data)
    if stepped is None:
        return cannot(situation, node, "its increment is not an addition to one variable")
    variable, type_, step, step_node = stepped
    if type_ not in INTEGERS:
        return cannot(situation, node, f"{variable} is not an integer of 32 or 64 bits")
    compared = _compared(parts.condition, variable)
    if compared is None:
        return cannot(situation, node, f"its condition does not compare {variable} with a bound")
    comparison, bound = compared
    started = _started(parts.init, variable)
    if started is None:
        return cannot(situation, node, f"its first part does more than to set {variable}")
    start, declared_here = started
    inside = effects_of([parts.body], situation.unit)
    changing = _changing(situation, variable, [bound, *([step_node] if step_node else [])], inside)
    if changing is not None:
        return cannot(situation, node, changing)
    return CountedLoop(
        parts, variable, type_, declared_here, start, comparison, bound, step, step_node, inside
    )


def _step(node: Node, data: bytes) -> Optional[tuple[str, str, Optional[int], Optional[Node]]]:
    target = node.children[0] if node.children else None
    name = variable_named(target) if target is not None else None
    if target is None or name is None or stripped(target).referent is None:
        return None
    type_ = stripped(target).type
    if node.kind == "UnaryOperator" and node.operator in ("++", "--"):
        return name, type_, 1 if node.operator == "++" else -1, None
    if node.kind == "CompoundAssignOperator" and node.operator in ("+=", "-="):
        value = integer_value(node.children[1], data)
        if value is not None and value <= 0:
            return None
        signed = None if value is None else value if node.operator == "+=" else -value
        return name, type_, signed, node.children[1]
    return None


def _compared(node: Node, variable: str) -> Optional[tuple[str, Node]]:
    inner = stripped(node)
    if inner.kind != "BinaryOperator" or inner.operator not in _SWAPPED:
        return None
    left, right = inner.children
    if variable_named(left) == variable:
        return inner.operator, right
    if variable_named(right) == variable:
        return _SWAPPED[inner.operator], left
    return None


def _started(init: Optional[Node], variable: str) -> Optional[tuple[Optional[Node], bool]]:
    if init is None:
        return None, False
    if init.kind == "DeclStmt" and len(init.children) == 1:
        declared = init.children[0]
        values = [c for c in declared.children if c.kind.endswith(("Expr", "Operator", "Literal"))]
        if declared.name == variable and len(values) == 1:
            return values[0], True
    is_assignment = init.kind == "BinaryOperator" and init.operator == "="
    if is_assignment and variable_named(init.children[0]) == variable:
        return init.children[1], False
    return None


def _changing(
    situation: Situation, variable: str, fixed: Sequence[Node], inside: Effects
) -> Optional[str]:
    if variable in inside.writes:
        return f"{variable} is changed in its body"
    if "&" in _captures(situation, variable):
        return f"the address of {variable} is taken"
    varies = why_it_varies(fixed, inside, situation, [variable])
    return None if varies is None else f"its bound or step is not fixed: {varies}"


def _captures(situation: Situation, variable: str) -> str:
    """``&`` when anywhere in the kernel a lambda, a reference or a pointer may reach it."""
    for node in situation.kernel.tree.walk():
        is_address = node.kind == "UnaryOperator" and node.operator == "&"
        is_reference = node.kind == "VarDecl" and node.type.endswith("&")
        if is_address or is_reference or node.kind == "LambdaExpr":
            names = {n.referent.name for n in node.walk() if n.referent}
            is_direct = not is_address or variable_named(node.children[0]) == variable
            if variable in names and is_direct:
                return "&"
    return ""
