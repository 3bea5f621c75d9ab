"""Expressions of a loop's body that every iteration evaluates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rocm_perf_lab.optimize.rules.reading.syntax import is_overloaded_assignment, stripped, words
from rocm_perf_lab.optimize.source.model import LOOPS, Node, Token

_MAYBE = frozenset({"IfStmt", "ConditionalOperator", "SwitchStmt", "WhileStmt"})


def always_evaluated(body: Node) -> Iterator[Node]:
    """For their values: what is assigned to or whose address is taken is left out, as is all that
    a condition decides about."""
    waiting: list[tuple[Node, bool]] = [(body, False)]
    while waiting:
        node, is_target = waiting.pop()
        inner = stripped(node)
        if inner.kind in _MAYBE or inner.kind in LOOPS:
            if inner.children:
                waiting.append(
                    (inner.children[0], False)
                )  # the condition, or what a loop starts with
            continue
        if not is_target:
            yield inner
        for number, child in enumerate(inner.children):
            if not (inner.kind == "BinaryOperator" and inner.operator in ("&&", "||") and number):
                waiting.append((child, number == 0 and _has_target(inner)))


def _has_target(node: Node) -> bool:
    return (
        is_overloaded_assignment(node)
        or node.kind == "CompoundAssignOperator"
        or (node.kind == "BinaryOperator" and node.operator == "=")
        or (node.kind == "UnaryOperator" and node.operator in ("++", "--", "&"))
    )


def grouped(values: Sequence[Node], tokens: Sequence[Token]) -> tuple[tuple[Node, ...], ...]:
    outermost = [v for v in values if not any(_holds(other, v) for other in values)]
    groups: dict[tuple[bytes, ...], list[Node]] = {}
    for value in sorted(outermost, key=lambda node: node.span.start):
        groups.setdefault(tuple(words(value.span, tokens)), []).append(value)
    return tuple(tuple(group) for group in groups.values())


def _holds(outer: Node, inner: Node) -> bool:
    return outer is not inner and inner.span.start in outer.span and inner.span != outer.span
