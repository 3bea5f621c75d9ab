"""Loops that cannot end: C++ lets the compiler assume that there are none.

Such a loop promises that the code before it never comes there, like an assumption that nothing
checks. Found are loops in which nothing changes, so that they run never or for ever, and loops with
a condition that is always true and no way out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Optional

from rocm_perf_lab.optimize.guards.finding import Finding
from rocm_perf_lab.optimize.source.model import Node, Token

_LOOPS = frozenset({"ForStmt", "WhileStmt", "DoStmt"})
_EXITS = frozenset({"BreakStmt", "ReturnStmt", "GotoStmt", "IndirectGotoStmt"})
_CHANGES = frozenset({"CompoundAssignOperator", "CallExpr", "LambdaExpr", "asm statement"})
_NEVER = frozenset({b"0", b"false"})
_LITERALS = frozenset({"IntegerLiteral", "CXXBoolLiteralExpr"})


def endless_loops(
    old: Sequence[Node], old_data: bytes, new: Sequence[Node], data: bytes, tokens: Sequence[Token]
) -> Iterator[Finding]:
    """``tokens`` are those of the new body. What the original has, word by word, is its own."""
    known = {node.span.of(old_data) for node in old if node.kind in _LOOPS}
    for node in new:
        if node.kind not in _LOOPS or node.in_macro or node.span.of(data) in known:
            continue
        below = [one for child in node.children for one in child.walk()]
        if any(one.kind in _EXITS or "volatile" in one.type for one in below):
            continue
        if not any(_changes(one) for one in below):
            yield Finding("endless", "nothing changes in this loop: it never ends", node.span)
        elif _is_always_true(node, data, tokens):
            yield Finding("endless", "this loop has no end and no way out", node.span)


def _changes(node: Node) -> bool:
    if node.kind == "BinaryOperator":
        return node.operator == "="
    if node.kind == "UnaryOperator":
        return node.operator in ("++", "--")
    return node.kind in _CHANGES


def _is_always_true(node: Node, data: bytes, tokens: Sequence[Token]) -> bool:
    if node.kind == "ForStmt":
        return _condition_of_for(node, tokens) == ()
    condition = node.children[-1 if node.kind == "DoStmt" else 0]
    while condition.kind in ("UnexposedExpr", "ParenExpr") and len(condition.children) == 1:
        condition = condition.children[0]
    return condition.kind in _LITERALS and condition.span.of(data) not in _NEVER


def _condition_of_for(node: Node, tokens: Sequence[Token]) -> Optional[tuple[bytes, ...]]:
    """What stands between its semicolons, None when the header is not written here. The tree does
    not say which of the three parts are missing."""
    depth, part = 0, 0
    words: list[bytes] = []
    for token in tokens:
        if token.span.start < node.span.start or token.is_comment:
            continue
        if token.text in (b"(", b"{", b"["):
            depth += 1
        elif token.text in (b")", b"}", b"]"):
            depth -= 1
            if depth == 0:
                return None
        elif token.text == b";" and depth == 1:
            part += 1
            if part == 2:
                return tuple(words)
        if part == 1 and token.text != b";":
            words.append(token.text)
    return None
