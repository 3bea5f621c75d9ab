"""The same kernel with its local arithmetic in double; its buffers keep their types. Pure.

Clang evaluates expressions in double where a pragma asks for it. What stands between expressions,
local variables and arrays of float, is declared double instead, in LDS too; functions get the name
of their form for double. Where anything would still be rounded to float on the way to the output,
there is no reference: a kernel in half a higher precision would say that the rest is exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from rocm_perf_lab.optimize.reference.functions import ALIKE, ATOMICS, IN_DOUBLE
from rocm_perf_lab.optimize.source.model import Kernel, Node, SourceFile, Span, TranslationUnit

_PRAGMA = b"\n#pragma clang fp eval_method(double)\n"
_CASTS = ("CStyleCastExpr", "CXXStaticCastExpr", "CXXFunctionalCastExpr")
_ASSIGNING = ("=", "+=", "-=", "*=", "/=")
_ARITHMETIC = ("+", "-", "*", "/", "+=", "-=", "*=", "/=", "++", "--")
_TYPES_OF_ITS_OWN = ("LambdaExpr", "StructDecl", "ClassDecl", "UnionDecl")
_SIZEOF = "UnaryExpr"
_NARROW = ("float", "half", "_Float16", "bfloat", "bf16")  # in names of types


class NotWidened(Exception):
    """Why there is no such version; the text follows "it" or "its"."""


@dataclass
class _Edits:
    """Tokens to replace, by where they begin."""

    file: SourceFile
    found: dict[Span, bytes] = field(default_factory=dict)

    def replace(self, within: Span, old: bytes, new: bytes) -> bool:
        """The first such token."""
        for token in self.file.tokens:
            if token.text == old and within.start <= token.span.start < within.end:
                self.found[token.span] = new
                return True
        return False

    def applied(self) -> bytes:
        data = self.file.data
        for span, new in sorted(self.found.items(), key=lambda item: -item[0].start):
            data = data[: span.start] + new + data[span.end :]
        return data


def widened(unit: TranslationUnit, kernel: Kernel) -> bytes:
    """The kernel's file with it. Raises ``NotWidened``."""
    if kernel.is_template:
        raise NotWidened("is a template: which types it computes in is not in its text")
    if kernel.fixed is not None:
        raise NotWidened(f"cannot be rewritten: {kernel.fixed}")
    edits = _Edits(unit.files[kernel.path])
    names = set(_declared(kernel.tree, edits))
    _check_whole(kernel, names)
    computes = False
    for node in kernel.tree.walk():
        computes = computes or _computes(node)
        if node.kind in _CASTS and _plain(node.type) == "float" and not node.in_macro:
            edits.replace(node.span, b"float", b"double")
        elif node.kind == "CallExpr":
            _called(node, edits)
    if not computes:
        raise NotWidened("computes nothing in float")
    opening = Span(kernel.body.start, kernel.body.start + 1)
    edits.found[opening] = b"{" + _PRAGMA
    return edits.applied()


def _plain(type_name: str) -> str:
    return " ".join(word for word in type_name.split() if word not in ("const", "volatile"))


def _is_array(type_name: str) -> bool:
    plain = _plain(type_name)
    return plain.startswith(("float[", "float ["))


def _is_narrow(type_name: str) -> bool:
    """A value of float or less, or a vector of such."""
    plain = _plain(type_name)
    return not plain.endswith(("*", "&")) and any(name in plain for name in _NARROW)


def _computes(node: Node) -> bool:
    operator = node.kind in ("BinaryOperator", "CompoundAssignOperator") and node.operator != "="
    return (operator or node.kind == "CallExpr") and _plain(node.type) == "float"


# --- declarations ---------------------------------------------------------------------------


def _declared(tree: Node, edits: _Edits) -> Iterator[str]:
    """The variables that are double now."""
    for statement in tree.walk():
        if statement.kind != "DeclStmt":
            continue
        variables = [one for one in statement.children if one.kind == "VarDecl"]
        wide = [one for one in variables if _plain(one.type) == "float" or _is_array(one.type)]
        if wide and len(wide) < len(variables):
            raise NotWidened(f"declares {wide[0].name} together with a pointer")
        for one in wide:
            if one.storage == "extern":
                raise NotWidened(f"has {one.name}, an array of float whose size the launch gives")
            yield one.name
        if wide and not edits.replace(statement.span, b"float", b"double"):
            raise NotWidened(f"does not call the type of {wide[0].name} float")


def _check_whole(kernel: Kernel, names: set[str]) -> None:
    """Nothing is left that would be rounded, or read as something else."""
    parameters = {one.name for one in kernel.parameters if _plain(one.canonical_type) == "float"}
    for node in kernel.tree.walk():
        if node.kind.endswith("AsmStmt"):
            raise NotWidened("has inline assembly")
        if node.kind in _TYPES_OF_ITS_OWN:
            raise NotWidened("declares types or functions of its own")
        if node.kind == "VarDecl":
            _check_variable(node, kernel.tree)
        if node.kind == _SIZEOF and _named(node) & names:
            raise NotWidened("asks for the size of a variable")
        changed = _changed(node)
        if changed & parameters:
            raise NotWidened(f"changes its parameter {min(changed & parameters)}")
    _check_uses(kernel.tree, names)


def _check_variable(node: Node, tree: Node) -> None:
    """Vectors and narrow types stay what they are: right for what is only loaded."""
    plain = _plain(node.type)
    if plain == "float" or _is_array(node.type) or not _is_narrow(plain):
        return
    assigned = any(node.name in _changed(one) for one in tree.walk())
    computed = any(_computes(one) or "operator" in one.name for one in node.walk())
    if assigned or computed or "[" in plain:
        raise NotWidened(f"computes in {node.name}, a variable of type {plain}")


def _changed(node: Node) -> set[str]:
    """Names on the left of an assignment."""
    is_step = node.kind == "UnaryOperator" and node.operator in ("++", "--")
    is_call = node.kind == "CallExpr" and node.name in {f"operator{sign}" for sign in _ASSIGNING}
    if node.operator in _ASSIGNING or is_step or is_call:
        return _named(_target(node.children[0])) if node.children else set()
    return set()


def _target(node: Node) -> Node:
    """Without indices: what is changed in ``a[i] = x`` is ``a``."""
    through = ("ArraySubscriptExpr", "UnexposedExpr", "ParenExpr", "MemberRefExpr")
    while node.kind in through and node.children:
        node = node.children[0]
    return node


def _named(node: Node) -> set[str]:
    return {one.name for one in node.walk() if one.kind == "DeclRefExpr"}


def _check_uses(tree: Node, names: set[str]) -> None:
    """Arrays are indexed only, and no address is taken but for an atomic: whoever gets it would
    read the bits of a double as floats."""
    indexed: set[int] = set()
    for_atomics: set[int] = set()
    for node in tree.walk():
        if node.kind == "ArraySubscriptExpr":
            indexed.add(id(_stripped(node.children[0])))
        if node.kind == "CallExpr" and node.name in ATOMICS:
            for_atomics.update(id(_stripped(one)) for one in node.children[1:])
    for node in tree.walk():
        is_array = node.kind in ("DeclRefExpr", "ArraySubscriptExpr") and _is_array(node.type)
        is_address = node.kind == "UnaryOperator" and node.operator == "&"
        name = _target(node.children[0] if is_address else node).name
        if is_array and name in names and id(node) not in indexed:
            raise NotWidened(f"uses {name} as a pointer")
        if is_address and name in names and id(node) not in for_atomics:
            raise NotWidened(f"takes the address of {name}")


def _stripped(node: Node) -> Node:
    while node.kind in ("UnexposedExpr", "ParenExpr") and node.children:
        node = node.children[0]
    return node


# --- calls ----------------------------------------------------------------------------------


def _called(node: Node, edits: _Edits) -> None:
    arguments = node.children[1:]
    if node.name.startswith("operator"):
        if node.name[8:] in _ARITHMETIC and _is_narrow(node.type):
            raise NotWidened(f"computes in {_plain(node.type)} as a whole")
        return
    takes = any(_is_narrow(one.type) for one in arguments)
    is_conversion = node.name != "" and node.name in node.type
    if node.name in ALIKE or is_conversion or not takes:
        return
    new = IN_DOUBLE.get(node.name)
    if new is None:
        raise NotWidened(f"calls {node.name or 'a function'}, which computes in float")
    if node.in_macro or not edits.replace(node.span, node.name.encode(), new.encode()):
        raise NotWidened(f"calls {node.name} by a macro")
