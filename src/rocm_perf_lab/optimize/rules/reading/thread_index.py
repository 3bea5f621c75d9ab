"""Loops that a whole grid or workgroup shares: each thread starts at its own index and steps by the
number of threads, so that every element is visited by exactly one of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Optional

from rocm_perf_lab.optimize.rules.reading.loop_shape import CountedLoop
from rocm_perf_lab.optimize.rules.reading.syntax import parents, stripped, variable_named
from rocm_perf_lab.optimize.rules.rule import Situation
from rocm_perf_lab.optimize.source.model import Kernel, Node

GRID, GROUP = "grid", "workgroup"
_BLOCK = frozenset({("blockDim.x", "blockIdx.x"), ("threadIdx.x",)})
_STARTS = {_BLOCK: GRID, frozenset({("threadIdx.x",)}): GROUP}
_STEPS = {
    frozenset({("blockDim.x", "gridDim.x")}): GRID,
    frozenset({("blockDim.x",)}): GROUP,
}
_CASTS = frozenset({"CStyleCastExpr", "CXXStaticCastExpr", "CXXFunctionalCastExpr"})


def shared_by(situation: Situation, loop: CountedLoop) -> Optional[str]:
    """GRID or GROUP when all threads of it share the loop's iterations, else None."""
    if loop.start is None or loop.step_node is None or not loop.counts_up:
        return None
    values = set_once(situation.kernel)
    start = _STARTS.get(frozenset(_terms(loop.start, values, situation.data)))
    step = _STEPS.get(frozenset(_terms(loop.step_node, values, situation.data)))
    return start if start == step and _all_arrive(situation, loop) else None


def _all_arrive(situation: Situation, loop: CountedLoop) -> bool:
    """No thread left the kernel before, and the loop is behind no condition."""
    parent = parents(situation.kernel.tree)[id(loop.node)]
    return parent is situation.kernel.tree and not any(
        node.kind in ("ReturnStmt", "GotoStmt", "LabelStmt")
        for node in situation.kernel.tree.walk()
    )


def _terms(node: Node, values: Mapping[str, Node], data: bytes) -> list[tuple[str, ...]]:
    """Of a sum of products of built-in indices; anything else is a term of its own."""
    inner = stripped(node)
    if inner.kind in _CASTS and inner.children:
        return _terms(inner.children[-1], values, data)
    name = variable_named(inner)
    if name is not None and name in values:
        return _terms(values[name], values, data)
    if inner.kind == "BinaryOperator" and inner.operator == "+":
        return [term for side in inner.children for term in _terms(side, values, data)]
    if inner.kind == "BinaryOperator" and inner.operator == "*":
        sides = [_terms(side, values, data) for side in inner.children]
        if all(len(side) == 1 for side in sides):
            return [tuple(sorted(sides[0][0] + sides[1][0]))]
    return [(b"".join(inner.span.of(data).split()).decode(),)]


def set_once(kernel: Kernel) -> Mapping[str, Node]:
    """Variables that are declared ``const`` once and never again, with their values."""
    found: dict[str, list[Node]] = {}
    for node in kernel.tree.walk():
        if node.kind in ("VarDecl", "ParmDecl"):
            found.setdefault(node.name, []).append(node)
    return {
        name: nodes[0].children[-1]
        for name, nodes in found.items()
        if len(nodes) == 1
        and nodes[0].type.startswith("const ")
        and "*" not in nodes[0].type
        and nodes[0].children
        and nodes[0].children[-1].kind.endswith(("Expr", "Operator", "Literal"))
    }


def depends_on_thread(situation: Situation, node: Node, sharing: str) -> bool:
    """Whether threads that share a loop can see different values of it."""
    values = set_once(situation.kernel)
    changed = _changed(situation.kernel)
    parameters = {parameter.name for parameter in situation.kernel.parameters}
    for inner in node.walk():
        if inner.kind == "MemberRefExpr":
            word = b"".join(inner.span.of(situation.data).split())
            if word.startswith(b"threadIdx") or (sharing == GRID and word.startswith(b"blockIdx")):
                return True
        name = variable_named(inner) if inner.kind == "DeclRefExpr" else None
        if name is None or inner.referent is None or inner.referent.at_namespace_scope:
            continue
        if name in values:
            if depends_on_thread(situation, values[name], sharing):
                return True
        elif name not in parameters or name in changed:
            return True
    return False


def _changed(kernel: Kernel) -> set[str]:
    """Names that are assigned, stepped, or reached in some other way."""
    found = set()
    for node in kernel.tree.walk():
        is_write = (node.kind == "BinaryOperator" and node.operator == "=") or (
            node.kind == "UnaryOperator" and node.operator in ("++", "--", "&")
        )
        if is_write or node.kind == "CompoundAssignOperator":
            name = variable_named(node.children[0])
            found |= {name} if name else set()
        if node.kind == "LambdaExpr" or (node.kind == "VarDecl" and node.type.endswith("&")):
            found |= {inner.referent.name for inner in node.walk() if inner.referent}
    return found
