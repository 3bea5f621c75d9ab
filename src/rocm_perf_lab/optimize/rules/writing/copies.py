"""Copies of a piece of code with other names in it, as a person would write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Optional

from rocm_perf_lab.optimize.rules.reading.syntax import VARIABLES
from rocm_perf_lab.optimize.rules.writing.formatting import line_start
from rocm_perf_lab.optimize.source.model import Node, Span, Token


def uses_of(variable: str, node: Node, tokens: Sequence[Token]) -> Optional[list[Span]]:
    """Every place that names the variable; None when a macro hides one."""
    found = {
        inner.span
        for inner in node.walk()
        if inner.kind == "DeclRefExpr"
        and not inner.in_macro
        and inner.referent is not None
        and inner.referent.kind in VARIABLES
        and inner.referent.name == variable
    }
    written = {t.span for t in tokens if t.name == variable and t.span.start in node.span}
    return sorted(found, key=lambda span: span.start) if found == written else None


def replaced(data: bytes, span: Span, changes: Mapping[Span, bytes]) -> bytes:
    """The text of ``span`` with these parts of it changed."""
    pieces, at = [], span.start
    for part in sorted(changes, key=lambda part: part.start):
        if part.start < at or part.end > span.end:
            continue
        pieces += [data[at : part.start], changes[part]]
        at = part.end
    return b"".join([*pieces, data[at : span.end]])


def without_comments(data: bytes, span: Span, tokens: Sequence[Token]) -> dict[Span, bytes]:
    """Changes that remove the comments: a copy does not explain itself a second time."""
    found = {}
    for token in tokens:
        if not token.is_comment or token.span.start not in span:
            continue
        start, end = token.span.start, token.span.end
        while start > span.start and data[start - 1 : start] in (b" ", b"\t"):
            start -= 1
        own_line = start == line_start(data, start) and data[end : end + 1] == b"\n"
        found[Span(start, min(end + own_line, span.end))] = b""
    return found


def has_directive(span: Span, tokens: Sequence[Token]) -> bool:
    return any(t.starts_line and t.text == b"#" and t.span.start in span for t in tokens)
