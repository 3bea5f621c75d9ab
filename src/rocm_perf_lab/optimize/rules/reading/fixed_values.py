"""Variables of a kernel that keep the value they are declared with, and those that may change."""

from __future__ import annotations

from collections.abc import Mapping

from rocm_perf_lab.optimize.rules.reading.syntax import is_overloaded_assignment, stripped
from rocm_perf_lab.optimize.source.model import Kernel, Node


def set_once(kernel: Kernel) -> Mapping[str, Node]:
    """Local variables of one declaration that nothing else can write, with their values."""
    declared: dict[str, list[Node]] = {}
    for node in kernel.tree.walk():
        if node.kind == "VarDecl":
            declared.setdefault(node.name, []).append(node)
    taken = changed_names(kernel) | {parameter.name for parameter in kernel.parameters}
    return {
        name: nodes[0].children[-1]
        for name, nodes in declared.items()
        if name not in taken and len(nodes) == 1 and _has_value(nodes[0])
    }


def changed_names(kernel: Kernel) -> frozenset[str]:
    """Names that are assigned, stepped, or reached in another way: more than true, never less."""
    changed: set[str] = set()
    for node in kernel.tree.walk():
        is_reference = node.kind == "VarDecl" and node.type.endswith("&")
        if is_reference or node.kind == "LambdaExpr":
            changed |= _names(node)
        elif _writes_first(node) and node.children:
            changed |= _written(node.children[0])
        elif node.kind == "CallExpr":  # a name as it stands is bound to a reference
            changed |= {c.name for c in node.children if c.kind == "DeclRefExpr"}
    return frozenset(changed)


def _writes_first(node: Node) -> bool:
    return (
        is_overloaded_assignment(node)
        or node.kind == "CompoundAssignOperator"
        or (node.kind == "BinaryOperator" and node.operator == "=")
        or (node.kind == "UnaryOperator" and node.operator in ("++", "--", "&"))
    )


def _written(target: Node) -> set[str]:
    """An element of an array is memory: the names in its index are only read."""
    inner = stripped(target)
    return set() if inner.kind == "ArraySubscriptExpr" else _names(inner)


def _names(node: Node) -> set[str]:
    return {inner.name for inner in node.walk() if inner.kind == "DeclRefExpr"}


def _has_value(node: Node) -> bool:
    return bool(node.children) and node.children[-1].kind.endswith(("Expr", "Operator", "Literal"))
