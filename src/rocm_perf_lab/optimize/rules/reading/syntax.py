"""Questions to the syntax tree that every rule asks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Optional

from rocm_perf_lab.optimize.source.model import Node, Span, Token

VARIABLES = frozenset({"VarDecl", "ParmDecl"})
FUNCTIONS = frozenset({"FunctionDecl", "CXXMethod", "CXXConstructor", "CXXConversion"})
_NESTING = frozenset({"IfStmt", "ForStmt", "WhileStmt", "SwitchStmt", "CaseStmt", "DefaultStmt"})
_COMPLETE = frozenset({"CompoundStmt", "DeclStmt", "NullStmt"})
_WRAPPERS = frozenset({"UnexposedExpr", "ParenExpr"})


def stripped(node: Node) -> Node:
    """Without parentheses and without what the compiler put around it."""
    while node.kind in _WRAPPERS and len(node.children) == 1:
        node = node.children[0]
    return node


def variable_named(node: Node) -> Optional[str]:
    """The variable that the whole expression is, None when it is something else."""
    inner = stripped(node)
    if inner.kind == "DeclRefExpr" and inner.referent and inner.referent.kind in VARIABLES:
        return inner.referent.name
    return None


def is_overloaded_assignment(node: Node) -> bool:
    """``a = b`` of vectors and the like: a call whose first child is what is written."""
    return node.kind == "CallExpr" and node.name == "operator=" and len(node.children) == 3


def integer_value(node: Node, data: bytes) -> Optional[int]:
    """Of literals and their negatives; a name is not looked up."""
    inner = stripped(node)
    if inner.kind == "UnaryOperator" and inner.operator == "-":
        value = integer_value(inner.children[0], data)
        return None if value is None else -value
    if inner.kind != "IntegerLiteral" or inner.in_macro:
        return None
    text = inner.span.of(data).decode().replace("'", "").rstrip("uUlLzZ")
    octal = len(text) > 1 and text.startswith("0") and text[1:].isdigit()
    return int(text, 8) if octal else int(text, 0)


def parents(tree: Node) -> Mapping[int, Node]:
    """By the identity of the child: equal nodes can stand in several places."""
    return {id(child): node for node in tree.walk() for child in node.children}


def ancestors(node: Node, above: Mapping[int, Node]) -> Iterator[Node]:
    """From the nearest to the body of the kernel."""
    while id(node) in above:
        node = above[id(node)]
        yield node


def statement_span(node: Node, tokens: Sequence[Token]) -> Span:
    """With its semicolon, which clang leaves out behind expressions."""
    last = node
    while last.kind in _NESTING or (last.kind == "UnexposedStmt" and last.children):
        last = last.children[-1]
    if last.kind in _COMPLETE:
        return Span(node.span.start, last.span.end)
    for token in tokens:
        if token.span.start >= last.span.end and not token.is_comment:
            if token.text == b";":
                return Span(node.span.start, token.span.end)
            break
    return node.span


def statements(body: Node) -> tuple[Node, ...]:
    """Of a block, or the one statement that stands without braces."""
    return body.children if body.kind == "CompoundStmt" else (body,)


def same_words(one: Node, other: Node, tokens: Sequence[Token]) -> bool:
    """Written with the same tokens."""
    return words(one.span, tokens) == words(other.span, tokens)


def words(span: Span, tokens: Sequence[Token]) -> list[bytes]:
    return [t.text for t in tokens if t.span.start in span and not t.is_comment]
