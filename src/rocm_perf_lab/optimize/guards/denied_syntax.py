"""The part of G2 that looks at the syntax tree: what names mean, whatever they are called."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Optional

from rocm_perf_lab.optimize.guards import denied_names as names
from rocm_perf_lab.optimize.guards.address_uses import CASTS, INTEGER
from rocm_perf_lab.optimize.guards.finding import Finding
from rocm_perf_lab.optimize.source.model import Kernel, Node

_STATEMENTS = {
    "asm statement": ("assembly", "inline assembly"),
    "GCCAsmStmt": ("assembly", "inline assembly"),
    "MSAsmStmt": ("assembly", "inline assembly"),
    "GotoStmt": ("jump", "goto"),
    "IndirectGotoStmt": ("jump", "goto"),
    "AddrLabelExpr": ("jump", "the address of a label"),
    "CXXNewExpr": ("side-effect", "it allocates memory"),
    "CXXDeleteExpr": ("side-effect", "it frees memory"),
    "CXXThrowExpr": ("side-effect", "it throws"),
    "CXXTryStmt": ("side-effect", "it catches"),
}
_FUNCTIONS = frozenset({"FunctionDecl", "FunctionTemplate", "CXXMethod", "OverloadedDeclRef"})
_NAMES = frozenset({"CallExpr", "OverloadedDeclRef", "DeclRefExpr", "MemberRefExpr"})
_VOLATILE = re.compile(r"\bvolatile\b")
_FLOATS = (re.compile(r"\bdouble\b"), re.compile(r"\bfloat\b"))


def syntax_findings(old: Sequence[Node], new: Sequence[Node], kernel: Kernel) -> Iterator[Finding]:
    yield from _statements(old, new)
    yield from _declarations(old, new)
    yield from _functions(old, new)
    yield from _globals(old, new)
    yield from _types(old, new, kernel)
    yield from _volatile(old, new, kernel)
    yield from _addresses(old, new)


def _statements(old: Sequence[Node], new: Sequence[Node]) -> Iterator[Finding]:
    known = {node.kind for node in old}
    for node in new:
        if node.kind in _STATEMENTS and node.kind not in known:
            reason, why = _STATEMENTS[node.kind]
            yield Finding(reason, why, node.span)


def _declarations(old: Sequence[Node], new: Sequence[Node]) -> Iterator[Finding]:
    """State that outlives the launch, and names of things that are defined elsewhere."""
    known = {node.name for node in old if node.kind == "VarDecl" and node.storage}
    for node in new:
        if node.kind == "VarDecl" and node.storage and node.name not in known:
            is_shared = any(child.kind == "attribute(shared)" for child in node.children)
            is_table = node.storage == "static" and node.type.startswith("const ")
            if not (is_table or (is_shared and node.storage == "static")):
                yield Finding("state", f"{node.storage} variable {node.name}", node.span)
        if node.kind == "FunctionDecl":
            yield Finding("declaration", f"it declares the function {node.name}", node.span)


def _called(nodes: Sequence[Node]) -> Iterator[tuple[str, Node]]:
    for node in nodes:
        referent = node.referent
        if referent is not None and referent.kind in _FUNCTIONS:
            yield referent.name, node
        elif referent is None and node.name and node.kind in _NAMES:
            yield node.name, node  # what it means is known when the template is instantiated


def _functions(old: Sequence[Node], new: Sequence[Node]) -> Iterator[Finding]:
    known = {name for name, _ in _called(old)}
    for name, node in _called(new):
        finding = None if name in known else _function(name, node)
        if finding is not None:
            yield finding


def _function(name: str, node: Node) -> Optional[Finding]:
    last = name.rpartition("::")[2]
    if last in names.FAST_FUNCTIONS or names.FAST_BUILTINS.match(last):
        return Finding("precision", f"{name} is less accurate", node.span)
    if last in names.ASSUMPTIONS:
        return Finding("builtin", f"{name} {names.NOT_CHECKED}", node.span)
    if names.DISPATCH.match(last):
        return Finding("builtin", f"{name} {names.TELLS_LAUNCHES}", node.span)
    if last in names.CLOCKS:
        return Finding("clock", f"{name} reads the time or the place of execution", node.span)
    if last in names.SIDE_EFFECTS:
        return Finding("side-effect", f"{name} prints, allocates or ends the program", node.span)
    if names.HOST_APIS.match(last) and not names.NOT_HOST_APIS.match(last):
        return Finding("host-api", f"{name} belongs to the host", node.span)
    if names.WAVE_BUILTIN.match(last) and not names.HARMLESS_BUILTINS.match(last):
        return Finding("builtin", f"{name} is not among the known harmless builtins", node.span)
    if names.DEVICE_LIBRARY.match(last) and not names.HARMLESS_DEVICE_LIBRARY.match(last):
        return Finding("builtin", f"{name} is not among the known harmless functions", node.span)
    return None


def _globals(old: Sequence[Node], new: Sequence[Node]) -> Iterator[Finding]:
    """Variables that outlive the launch and can carry something from one to the next."""
    known = {node.referent.name for node in old if node.referent is not None}
    for node in new:
        referent = node.referent
        if (
            referent is not None
            and referent.kind == "VarDecl"
            and referent.at_namespace_scope
            and not referent.is_constant
            and referent.name not in known
        ):
            yield Finding(
                "state", f"the global variable {referent.name}, which was not used", node.span
            )


def _types(old: Sequence[Node], new: Sequence[Node], kernel: Kernel) -> Iterator[Finding]:
    known = {node.type for node in old} | {p.canonical_type for p in kernel.parameters}
    known_narrow = {name for text in known for name in names.LOW_PRECISION_TYPE.findall(text)}
    double, single = _FLOATS
    is_double = any(double.search(text) for text in known)
    is_single = any(single.search(text) for text in known)
    for node in new:
        for name in names.LOW_PRECISION_TYPE.findall(node.type):
            if name not in known_narrow:
                yield Finding("precision", f"{name} is narrower than the original", node.span)
        if is_double and not is_single and single.search(node.type):
            yield Finding("precision", "float in a kernel that computes in double", node.span)


def _volatile(old: Sequence[Node], new: Sequence[Node], kernel: Kernel) -> Iterator[Finding]:
    """Also where the word stands in a type's name."""
    known = [node.type for node in old] + [p.canonical_type for p in kernel.parameters]
    if any(_VOLATILE.search(text) for text in known):
        return
    for node in new:
        if (node.kind == "VarDecl" or node.kind in CASTS) and _VOLATILE.search(node.type):
            yield Finding("volatile", f"volatile: {names.NOTHING_BUT_SLOW}", node.span)


def _addresses(old: Sequence[Node], new: Sequence[Node]) -> Iterator[Finding]:
    """A pointer made from a number can lead anywhere."""
    if any(_is_address_cast(node) for node in old):
        return
    for node in new:
        if _is_address_cast(node):
            yield Finding("address", f"a number becomes a pointer ({node.type})", node.span)


def _is_address_cast(node: Node) -> bool:
    if node.kind not in CASTS or not node.type.endswith("*"):
        return False
    operand = node.children[-1] if node.children else None
    return operand is not None and bool(INTEGER.match(operand.type))
