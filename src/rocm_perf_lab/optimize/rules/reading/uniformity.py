"""Values that are the same for every thread of the grid."""

from __future__ import annotations

from typing import Optional

from rocm_perf_lab.optimize.rules.reading.affine import Indices, built_in
from rocm_perf_lab.optimize.rules.reading.syntax import VARIABLES, stripped
from rocm_perf_lab.optimize.rules.rule import Situation
from rocm_perf_lab.optimize.source.model import Node

_OF_A_THREAD = ("threadIdx.", "blockIdx.")


def why_not_uniform(value: Node, situation: Situation) -> Optional[str]:
    """None for what is made of numbers, constants, unchanged parameters and variables that are set
    once from such; memory is not looked into, because it may differ by place."""
    return _why(value, situation, Indices(situation), 0)


def _why(value: Node, situation: Situation, indices: Indices, depth: int) -> Optional[str]:
    if depth > 8:
        return "what it depends on is not clear"
    for node in value.walk():
        if node.kind == "MemberRefExpr":
            name = built_in(node, situation.data)
            if name is not None and name.startswith(_OF_A_THREAD):
                return f"{name} is used by itself"
        if node.kind != "DeclRefExpr" or node.referent is None:
            continue
        why = _name(node, situation, indices, depth)
        if why is not None:
            return why
    return None


def _name(node: Node, situation: Situation, indices: Indices, depth: int) -> Optional[str]:
    referent = node.referent
    if referent is None or referent.kind not in VARIABLES or referent.at_namespace_scope:
        return None
    if any(parameter.name == referent.name for parameter in situation.kernel.parameters):
        is_changed = referent.name in _changed(situation)
        return f"{referent.name} is changed in the kernel" if is_changed else None
    held = indices.set_once.get(referent.name)
    if held is None:
        return f"{referent.name} may differ from thread to thread"
    if any(n.kind in ("ArraySubscriptExpr", "UnaryOperator", "CallExpr") for n in held.walk()):
        return f"{referent.name} may differ from thread to thread"
    why = _why(held, situation, indices, depth + 1)
    return None if why is None else f"{referent.name} differs from thread to thread"


def _changed(situation: Situation) -> set[str]:
    found = set()
    for node in situation.kernel.tree.walk():
        is_assignment = node.kind == "BinaryOperator" and node.operator == "="
        is_step = node.kind == "UnaryOperator" and node.operator in ("++", "--", "&")
        if (is_assignment or is_step or node.kind == "CompoundAssignOperator") and node.children:
            target = stripped(node.children[0])
            if target.kind == "DeclRefExpr":
                found.add(target.name)
    return found
