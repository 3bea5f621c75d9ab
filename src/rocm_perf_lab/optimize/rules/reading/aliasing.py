"""Whether two accesses of one kernel can meet in memory, as far as the source shows it.

What the language promises counts as shown: ``__restrict__``, and that an object of one type is not
accessed as one of another type. Nothing is concluded from the values of indices.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.optimize.rules.reading.purity import Access, root_of
from rocm_perf_lab.optimize.rules.reading.syntax import variable_named
from rocm_perf_lab.optimize.source.model import Kernel, Node

PARAMETER, SHARED, ARRAY, GLOBAL, UNKNOWN = "parameter", "shared", "array", "global", "unknown"
_SAME_AS = {
    "unsigned int": "int",
    "unsigned long": "long",
    "unsigned long long": "long long",
    "unsigned short": "short",
}
_SCALARS = frozenset({"float", "double", "bool", "_Float16", *_SAME_AS, *_SAME_AS.values()})
_MAX_ALIASES = 8


@dataclass(frozen=True)
class Storage:
    """What memory a pointer or an array of the kernel stands for."""

    kind: str
    name: str  # of the parameter or variable that it starts from
    is_restrict: bool = False


_NOT_KNOWN = Storage(UNKNOWN, "")


def storage_of(name: Optional[str], kernel: Kernel, depth: int = 0) -> Storage:
    if name is None or depth > _MAX_ALIASES:
        return _NOT_KNOWN
    parameters = [p for p in kernel.parameters if p.name == name]
    declared = [n for n in kernel.tree.walk() if n.kind in _VARIABLES and n.name == name]
    if len(parameters) + len(declared) > 1 or is_reassigned(name, kernel):
        return _NOT_KNOWN
    if parameters:
        if "*" not in parameters[0].canonical_type:
            return _NOT_KNOWN
        return Storage(PARAMETER, name, "__restrict" in parameters[0].canonical_type)
    if not declared:
        return Storage(GLOBAL, name)
    return _of_variable(declared[0], kernel, depth)


_VARIABLES = ("VarDecl", "ParmDecl")


def _of_variable(node: Node, kernel: Kernel, depth: int) -> Storage:
    if any(child.kind == "attribute(shared)" for child in node.children):
        return Storage(SHARED, node.name)
    if node.type.endswith("]"):
        return Storage(ARRAY, node.name)
    values = [child for child in node.children if child.kind.endswith(("Expr", "Operator"))]
    if "*" in node.type and values:
        return storage_of(root_of(values[-1]), kernel, depth + 1)
    return _NOT_KNOWN


def is_reassigned(name: str, kernel: Kernel) -> bool:
    """It is made to point elsewhere: steps within what it points to do not count."""
    for node in kernel.tree.walk():
        is_assignment = node.kind == "BinaryOperator" and node.operator == "="
        is_address = node.kind == "UnaryOperator" and node.operator == "&"
        is_reference = node.kind == "VarDecl" and node.type.endswith("&")
        if (is_assignment or is_address) and variable_named(node.children[0]) == name:
            return True
        if (is_reference or node.kind == "LambdaExpr") and any(
            inner.referent and inner.referent.name == name for inner in node.walk()
        ):
            return True
        if node.kind == "CallExpr" and any(
            child.kind == "DeclRefExpr" and variable_named(child) == name for child in node.children
        ):
            return True  # bound to a reference
    return False


def may_overlap(one: Access, other: Access, kernel: Kernel) -> bool:
    if not (one.is_store or other.is_store) or _other_types(one.type, other.type):
        return False
    first, second = storage_of(one.root, kernel), storage_of(other.root, kernel)
    if UNKNOWN in (first.kind, second.kind):
        return True
    if (first.kind, first.name) == (second.kind, second.name):
        return True
    if {first.kind, second.kind} <= {PARAMETER, GLOBAL}:
        both_globals = first.kind == second.kind == GLOBAL
        return not (both_globals or first.is_restrict or second.is_restrict)
    return False  # no pointer from the host points to LDS or to a variable of a thread


def _other_types(one: str, other: str) -> bool:
    first, second = _plain(one), _plain(other)
    return first != second and {first, second} <= _SCALARS


def _plain(name: str) -> str:
    plain = name[len("const ") :] if name.startswith("const ") else name
    return _SAME_AS.get(plain, plain)
