"""What a piece of a kernel reads and writes, and what else it does that must keep its place.

Everything here errs on the side of more: what is not understood is ``unknown``, and a rule that
moves code has to stop there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Optional

from rocm_perf_lab.optimize.rules.reading import known_functions as functions
from rocm_perf_lab.optimize.rules.reading.syntax import (
    FUNCTIONS,
    VARIABLES,
    is_overloaded_assignment,
    stripped,
)
from rocm_perf_lab.optimize.source.model import Node, TranslationUnit

_PLAIN = frozenset(
    {
        "CompoundStmt", "DeclStmt", "IfStmt", "ForStmt", "WhileStmt", "DoStmt", "SwitchStmt",
        "CaseStmt", "DefaultStmt", "NullStmt", "UnexposedStmt", "BinaryOperator", "ParenExpr",
        "ConditionalOperator", "IntegerLiteral", "FloatingLiteral", "CharacterLiteral",
        "CXXBoolLiteralExpr", "CXXNullPtrLiteralExpr", "StringLiteral", "InitListExpr",
        "CStyleCastExpr", "CXXFunctionalCastExpr", "CXXStaticCastExpr", "CXXReinterpretCastExpr",
        "CXXConstCastExpr", "UnaryOperator", "TypeRef", "TemplateRef", "NamespaceRef",
        "TypeAliasDecl", "TypedefDecl", "StaticAssert", "SizeOfPackExpr",
    }
)  # fmt: skip
_JUMPS = frozenset({"BreakStmt", "ContinueStmt", "ReturnStmt", "GotoStmt", "LabelStmt"})


@dataclass(frozen=True)
class Access:
    """A place in memory: an element, what a pointer points to, or a variable of the file."""

    node: Node
    root: Optional[str]  # the variable that the address starts from, None when it is not clear
    is_store: bool

    @property
    def type(self) -> str:
        return self.node.type


@dataclass
class Effects:
    """Of one piece of code. Variables are those of the kernel itself, by name: two of one name
    count as one, which is more than true and never less."""

    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)  # assigned, declared, or their address is taken
    loads: list[Access] = field(default_factory=list)
    stores: list[Access] = field(default_factory=list)
    barriers: list[Node] = field(default_factory=list)  # fences, too
    atomics: list[Node] = field(default_factory=list)
    exchanges: list[Node] = field(default_factory=list)  # with other lanes of the wave
    unknown: list[Node] = field(default_factory=list)
    jumps: list[Node] = field(default_factory=list)  # out of the piece or inside of it

    @property
    def fixed(self) -> list[Node]:
        """What nothing may be moved across."""
        found = [*self.barriers, *self.atomics, *self.exchanges, *self.unknown]
        return sorted(found, key=lambda node: node.span.start)

    @property
    def is_value(self) -> bool:
        """It only computes, from variables and memory: no write of any kind."""
        return not (self.writes or self.stores or self.fixed or self.jumps)


def why_fixed(effects: Effects, unit: TranslationUnit) -> Optional[tuple[Node, str]]:
    """The first thing that nothing may be moved across, and what it is."""
    if not effects.fixed:
        return None
    node = effects.fixed[0]
    if any(node is barrier for barrier in effects.barriers):
        return node, f"{node.name or 'a barrier'} is a barrier"
    if any(node is atomic for atomic in effects.atomics):
        return node, f"{node.name or 'an atomic'} is an atomic operation"
    if any(node is exchange for exchange in effects.exchanges):
        return node, f"{node.name} exchanges values with other lanes"
    what = f"what {node.name} does" if node.kind == "CallExpr" and node.name else "what it does"
    return node, f"{what} is not known"


def effects_of(nodes: Iterable[Node], unit: TranslationUnit) -> Effects:
    walk = _Walk(unit)
    for node in nodes:
        walk.visit(node, _READ)
    return walk.found


_READ, _WRITE, _BOTH = (True, False), (False, True), (True, True)
_Mode = tuple[bool, bool]


class _Walk:
    def __init__(self, unit: TranslationUnit) -> None:
        self._unit = unit
        self.found = Effects()

    def visit(self, node: Node, mode: _Mode) -> None:
        if "volatile" in node.type:
            self.found.unknown.append(node)
        if node.kind.startswith("attribute("):
            return
        handler = _HANDLERS.get(node.kind)
        if handler is not None:
            handler(self, node, mode)
        elif node.kind in _JUMPS:
            self.found.jumps.append(node)
            self._children(node)
        else:
            if node.kind not in _PLAIN:
                self._give_up(node)
            self._children(node)

    def _children(self, node: Node) -> None:
        for child in node.children:
            self.visit(child, _READ)

    def _give_up(self, node: Node) -> None:
        """Every name in it may be written."""
        self.found.unknown.append(node)
        for inner in node.walk():
            if inner.referent and inner.referent.kind in VARIABLES:
                self.found.writes.add(inner.referent.name)

    def unexposed(self, node: Node, mode: _Mode) -> None:
        if len(node.children) != 1:
            self._give_up(node)
        for child in node.children:
            self.visit(child, mode)

    def name(self, node: Node, mode: _Mode) -> None:
        referent = node.referent
        if referent is None or referent.kind not in VARIABLES:
            return
        if referent.at_namespace_scope:
            if not referent.is_constant:
                self._access(node, referent.name, mode)
            return
        self._variable(referent.name, mode)

    def _variable(self, name: str, mode: _Mode) -> None:
        if mode[0]:
            self.found.reads.add(name)
        if mode[1]:
            self.found.writes.add(name)

    def _access(self, node: Node, root: Optional[str], mode: _Mode) -> None:
        if mode[0]:
            self.found.loads.append(Access(node, root, is_store=False))
        if mode[1]:
            self.found.stores.append(Access(node, root, is_store=True))

    def element(self, node: Node, mode: _Mode) -> None:
        if not node.type.endswith("]"):  # a row of an array is no access yet
            self._access(node, root_of(node), mode)
        self._children(node)

    def member(self, node: Node, mode: _Mode) -> None:
        if not node.children or node.type == "<pseudo-object type>":
            return  # threadIdx.x and its like never change
        base = node.children[0]
        if stripped(base).type.endswith("*"):
            self._access(node, root_of(base), mode)
            self.visit(base, _READ)
        else:
            self.visit(base, mode)

    def unary(self, node: Node, mode: _Mode) -> None:
        child = node.children[0]
        if node.operator == "*":
            self._access(node, root_of(child), mode)
            self.visit(child, _READ)
        elif node.operator in ("++", "--"):
            self.visit(child, _BOTH)
        elif node.operator == "&":
            inner = stripped(child)
            is_element = inner.kind in ("ArraySubscriptExpr", "UnaryOperator")
            self._children(inner) if is_element else self.visit(child, _BOTH)
        else:
            self.visit(child, _READ)

    def binary(self, node: Node, mode: _Mode) -> None:
        if node.operator == "=":
            self.visit(node.children[0], _WRITE)
            self.visit(node.children[1], _READ)
        elif node.operator == ",":
            self.visit(node.children[0], _READ)
            self.visit(node.children[1], mode)
        else:
            self._children(node)

    def compound(self, node: Node, _mode: _Mode) -> None:
        self.visit(node.children[0], _BOTH)
        self.visit(node.children[1], _READ)

    def conditional(self, node: Node, mode: _Mode) -> None:
        self.visit(node.children[0], _READ)
        for child in node.children[1:]:
            self.visit(child, mode)

    def declaration(self, node: Node, _mode: _Mode) -> None:
        self.found.writes.add(node.name)
        if node.type.endswith("&"):
            self.found.unknown.append(node)  # another name for something
        for child in node.children:
            self.visit(child, _BOTH if node.type.endswith("&") else _READ)

    def call(self, node: Node, _mode: _Mode) -> None:
        name = node.referent.name if node.referent else ""
        path = node.referent.path if node.referent else None
        kind = functions.kind_of(name, is_users_own=path in self._unit.files)
        if kind == functions.ASSIGNMENT and is_overloaded_assignment(node):
            self.visit(node.children[0], _WRITE)
            self.visit(node.children[2], _READ)
            return
        if kind == functions.BARRIER:
            self.found.barriers.append(node)
        elif kind == functions.ATOMIC:
            self.found.atomics.append(node)
        elif kind == functions.EXCHANGE:
            self.found.exchanges.append(node)
        elif kind != functions.PURE:
            self.found.unknown.append(node)
        for argument in arguments(node):
            # An argument that is a name as it stands is bound to a reference.
            is_bound = kind != functions.PURE and argument.kind == "DeclRefExpr"
            self.visit(argument, _BOTH if is_bound else _READ)


_HANDLERS = {
    "UnexposedExpr": _Walk.unexposed,
    "ParenExpr": _Walk.unexposed,
    "DeclRefExpr": _Walk.name,
    "ArraySubscriptExpr": _Walk.element,
    "MemberRefExpr": _Walk.member,
    "UnaryOperator": _Walk.unary,
    "BinaryOperator": _Walk.binary,
    "CompoundAssignOperator": _Walk.compound,
    "ConditionalOperator": _Walk.conditional,
    "VarDecl": _Walk.declaration,
    "CallExpr": _Walk.call,
}


def arguments(call: Node) -> tuple[Node, ...]:
    """Without the function itself, which constructors do not have among their children."""
    if call.children:
        callee = stripped(call.children[0])
        names_function = callee.referent is not None and callee.referent.kind in FUNCTIONS
        if names_function and callee.kind in ("DeclRefExpr", "MemberRefExpr"):
            return call.children[1:]
    return call.children


def root_of(pointer: Node) -> Optional[str]:
    """The variable that an address is computed from: ``a`` of ``a[i]``, ``a + i``, ``&a[i]``."""
    node = stripped(pointer)
    if node.kind == "DeclRefExpr" and node.referent and node.referent.kind in VARIABLES:
        return node.referent.name
    if node.kind == "ArraySubscriptExpr":
        return root_of(node.children[0])
    if node.kind == "BinaryOperator" and node.operator in ("+", "-"):
        sides = [side for side in node.children if stripped(side).type.endswith(("*", "]"))]
        sides += [side for side in node.children if "*__restrict" in stripped(side).type]
        return root_of(sides[0]) if sides else None
    if node.kind == "UnaryOperator" and node.operator == "&":
        return root_of(node.children[0])
    if node.kind.endswith("CastExpr"):
        return root_of(node.children[-1])
    return None
