"""Whether a body looks at addresses as numbers: honest where it tests alignment or overlap.

Such code cannot be refused, but may do something else at the addresses of a trial than at those of
the application. It obliges the proof to try other addresses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from rocm_perf_lab.optimize.source.model import Node

CASTS = frozenset(
    {"CStyleCastExpr", "CXXReinterpretCastExpr", "CXXFunctionalCastExpr", "CXXStaticCastExpr"}
)
INTEGER = re.compile(
    r"(?:const |volatile )*(?:unsigned |signed )?(?:__int128|long long|long|int|short|char)"
    r"(?: int)?$"
)
_COMPARED = frozenset({"<", ">", "<=", ">=", "==", "!=", "-"})
_NULLS = frozenset({"CXXNullPtrLiteralExpr", "GNUNullExpr", "IntegerLiteral"})
_BIT_CASTS = frozenset({"BuiltinBitCastExpr", "UnionDecl"})  # either shows the bits of anything


def uses_addresses(nodes: Iterable[Node]) -> bool:
    return any(_shows_an_address(node) for node in nodes)


def _shows_an_address(node: Node) -> bool:
    if node.kind in _BIT_CASTS:
        return True
    operands = node.children
    if node.kind in CASTS:
        return bool(INTEGER.match(node.type) and operands and _is_pointer(operands[-1]))
    if node.kind == "BinaryOperator" and node.operator in _COMPARED and len(operands) == 2:
        return all(_is_pointer(one) and not _is_null(one) for one in operands)
    # The address of a pointer: its bytes can be copied.
    return node.kind == "UnaryOperator" and node.operator == "&" and _is_pointer(operands[0])


def _is_pointer(node: Node) -> bool:
    return re.sub(r"(?: ?(?:const|volatile|__restrict))+$", "", node.type).endswith("*")


def _is_null(node: Node) -> bool:
    return any(one.kind in _NULLS for one in node.walk()) and not any(
        one.kind == "DeclRefExpr" for one in node.walk()
    )
