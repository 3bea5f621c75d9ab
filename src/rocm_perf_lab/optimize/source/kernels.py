"""The kernels among the declarations of a translation unit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Optional

from rocm_perf_lab.optimize.source.cursors import Cursors
from rocm_perf_lab.optimize.source.macros import MacroWords
from rocm_perf_lab.optimize.source.model import (
    Kernel,
    Node,
    Parameter,
    SourceFile,
    Span,
    TemplateParameter,
    Token,
)

_FUNCTIONS = frozenset({"FunctionDecl", "FunctionTemplate"})
TEMPLATE_PARAMETERS = (
    "TemplateTypeParameter",
    "NonTypeTemplateParameter",
    "TemplateTemplateParameter",
)
_GLOBAL = "attribute(global)"
_OPENING, _CLOSING = (b"{", b"<%"), (b"}", b"%>")


def kernels_of(
    cursors: Cursors,
    declarations: Sequence[Any],
    macros: MacroWords,
    files: Mapping[str, SourceFile],
) -> Iterator[Kernel]:
    """Definitions only, in the order of the source."""
    found = []
    for cursor in declarations:
        if cursors.kind(cursor) in _FUNCTIONS:
            kernel = _kernel(cursors, cursor, macros, files)
            if kernel is not None:
                found.append(kernel)
    yield from sorted(found, key=lambda kernel: (kernel.path, kernel.span.start))


def _kernel(
    cursors: Cursors, cursor: Any, macros: MacroWords, files: Mapping[str, SourceFile]
) -> Optional[Kernel]:
    children = cursors.children(cursor)
    kinds = [cursors.kind(child) for child in children]
    path, _ = cursors.place(cursor)
    if path is None or path not in files or not {_GLOBAL, "CompoundStmt"} <= set(kinds):
        return None
    body = children[kinds.index("CompoundStmt")]
    span = cursors.span(body)
    return Kernel(
        name=cursors.name(cursor),
        qualified_name=cursors.qualified_name(cursor),
        path=path,
        span=_with_linkage(cursors.span(cursor), files[path].tokens),
        body=span,
        is_template=cursors.kind(cursor) == "FunctionTemplate",
        attributes=tuple(kind for kind in kinds if kind.startswith("attribute(")),
        parameters=tuple(
            Parameter(
                cursors.name(child),
                cursors.type_name(child),
                cursors.canonical_type(child),
                cursors.span(child),
            )
            for child, kind in zip(children, kinds)
            if kind == "ParmDecl"
        ),
        macros=macros.inside(path, span),
        tree=_node(cursors, body),
        fixed=_why_fixed(cursors, body, span, files[path].data),
        template_parameters=tuple(
            TemplateParameter(cursors.name(child), kind, cursors.type_name(child))
            for child, kind in zip(children, kinds)
            if kind in TEMPLATE_PARAMETERS
        ),
    )


def _with_linkage(span: Span, tokens: Sequence[Token]) -> Span:
    """``extern "C"`` without braces belongs to the definition; for clang it is around it."""
    before = [t for t in tokens if not t.is_comment and t.span.end <= span.start][-2:]
    if len(before) == 2 and before[0].name == "extern" and before[1].kind == "literal":
        return Span(before[0].span.start, span.end)
    return span


def _why_fixed(cursors: Cursors, body: Any, span: Span, data: bytes) -> Optional[str]:
    text = span.of(data)
    if cursors.in_macro(body) or not (text.startswith(_OPENING) and text.endswith(_CLOSING)):
        return "its braces come from a macro"
    return None


def _node(cursors: Cursors, root: Any) -> Node:
    """Without recursion: a sum of ten thousand terms is a tree of that depth."""
    done: list[list[Node]] = [[]]
    waiting: list[tuple[Any, bool]] = [(root, False)]
    while waiting:
        cursor, complete = waiting.pop()
        if complete:
            children = tuple(done.pop())
            done[-1].append(_complete_node(cursors, cursor, children))
            continue
        done.append([])
        waiting.append((cursor, True))
        waiting.extend((child, False) for child in reversed(cursors.children(cursor)))
    return done[0][0]


def _complete_node(cursors: Cursors, cursor: Any, children: tuple[Node, ...]) -> Node:
    kind = cursors.kind(cursor)
    return Node(
        kind=kind,
        name=cursors.name(cursor),
        type=cursors.canonical_type(cursor),
        operator=cursors.operator(cursor, kind),
        storage=cursors.storage(cursor) if kind == "VarDecl" else "",
        span=cursors.span(cursor),
        in_macro=cursors.in_macro(cursor),
        referent=cursors.referent(cursor) if kind.endswith(("Expr", "Ref")) else None,
        children=children,
    )
