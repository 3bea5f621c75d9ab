"""Whether an index goes one way only when a variable does."""

from __future__ import annotations

from rocm_perf_lab.optimize.rules.reading.syntax import stripped
from rocm_perf_lab.optimize.source.model import Node

_CASTS = frozenset({"CStyleCastExpr", "CXXStaticCastExpr", "CXXFunctionalCastExpr"})


def mentions(node: Node, variable: str) -> bool:
    return any(inner.kind == "DeclRefExpr" and inner.name == variable for inner in node.walk())


def is_linear(node: Node, variable: str) -> bool:
    """A sum in which the variable is at most multiplied by what does not name it."""
    inner = stripped(node)
    if not mentions(inner, variable) or inner.kind == "DeclRefExpr":
        return True
    if inner.kind in _CASTS and inner.children:
        return is_linear(inner.children[-1], variable)
    if inner.kind != "BinaryOperator":
        return False
    left, right = inner.children
    if inner.operator in ("+", "-"):
        return is_linear(left, variable) and is_linear(right, variable)
    if inner.operator == "*":
        both = mentions(left, variable) and mentions(right, variable)
        return not both and is_linear(left, variable) and is_linear(right, variable)
    return False


def adds(node: Node, variable: str) -> bool:
    """It is the variable plus something that does not name it."""
    inner = stripped(node)
    if inner.kind == "DeclRefExpr":
        return inner.name == variable
    if inner.kind != "BinaryOperator" or inner.operator not in ("+", "-"):
        return False
    left, right = inner.children
    if adds(left, variable) and not mentions(right, variable):
        return True
    return inner.operator == "+" and adds(right, variable) and not mentions(left, variable)
