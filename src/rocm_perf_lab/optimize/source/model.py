"""What clang says about a translation unit, as plain data. All offsets count bytes of a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Optional


@dataclass(frozen=True)
class Span:
    """The bytes from ``start`` up to, not including, ``end``."""

    start: int
    end: int

    def __contains__(self, offset: int) -> bool:
        return self.start <= offset < self.end

    def of(self, data: bytes) -> bytes:
        return data[self.start : self.end]


@dataclass(frozen=True)
class Token:
    """As clang's lexer sees it before preprocessing. Trigraphs, line splices and universal
    character names are still in ``text``; ``name`` is an identifier without them."""

    kind: str  # punctuation, keyword, identifier, literal, comment
    text: bytes
    name: str  # of identifiers and keywords as clang understands them, else ""
    span: Span
    starts_line: bool  # no token but comments stands before it on its logical line
    spaced: bool  # white space or a comment stands before it

    @property
    def is_comment(self) -> bool:
        return self.kind == "comment"


@dataclass(frozen=True)
class Referent:
    """The declaration that a name in the code stands for."""

    kind: str  # clang's word: FunctionDecl, VarDecl, ParmDecl, ...
    name: str  # qualified
    path: Optional[str]  # None: built into the compiler
    at_namespace_scope: bool
    is_constant: bool  # const, constexpr or an enumerator


@dataclass(frozen=True)
class Node:
    """One node of the syntax tree. A node that a macro made has the span of the macro's use."""

    kind: str  # clang's word: ForStmt, CallExpr, ...
    name: str
    type: str  # canonical spelling, "" where it has none
    operator: str  # of unary and binary operators
    storage: str  # of variables: "static", "extern", else ""
    span: Span
    in_macro: bool
    referent: Optional[Referent]
    children: tuple[Node, ...] = field(repr=False)

    def walk(self) -> Iterator[Node]:
        """This node and all below it, in the order of the source."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))


@dataclass(frozen=True)
class Parameter:
    name: str
    type: str  # as written
    canonical_type: str
    span: Span


@dataclass(frozen=True)
class TemplateParameter:
    name: str  # "" where none is written
    kind: str  # clang's word: TemplateTypeParameter, NonTypeTemplateParameter, ...
    type: str  # as written; of those that are values


@dataclass(frozen=True)
class MacroUse:
    """A macro that is expanded in the text of a kernel, with the words that it stands for."""

    name: str
    span: Span
    words: tuple[str, ...]  # of its definition and of the macros in it; empty when built in


@dataclass(frozen=True)
class Kernel:
    """One ``__global__`` definition."""

    name: str
    qualified_name: str
    path: str
    span: Span  # from the template header or the first attribute to the closing brace
    body: Span  # with its braces
    is_template: bool
    attributes: tuple[str, ...]  # clang's words: "attribute(global)", ...
    parameters: tuple[Parameter, ...]
    macros: tuple[MacroUse, ...]  # expanded inside the body
    tree: Node = field(repr=False)  # the body
    fixed: Optional[str]  # why its body cannot be replaced in the file, None when it can
    template_parameters: tuple[TemplateParameter, ...] = ()

    def loops(self) -> tuple[Node, ...]:
        return tuple(node for node in self.tree.walk() if node.kind in LOOPS)


LOOPS = ("ForStmt", "WhileStmt", "DoStmt", "CXXForRangeStmt")


@dataclass(frozen=True)
class Diagnostic:
    severity: str  # "note", "warning", "error", "fatal"
    text: str
    path: Optional[str]
    offset: int


@dataclass(frozen=True)
class SourceFile:
    path: str
    data: bytes = field(repr=False)
    tokens: tuple[Token, ...] = field(repr=False)


@dataclass(frozen=True)
class TranslationUnit:
    """The main file, the user's own headers with it, and the kernels in all of them."""

    path: str
    files: Mapping[str, SourceFile]
    kernels: tuple[Kernel, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(d for d in self.diagnostics if d.severity in ("error", "fatal"))

    def kernels_named(self, name: str) -> tuple[Kernel, ...]:
        return tuple(k for k in self.kernels if name in (k.name, k.qualified_name))
