"""Arrays in LDS that a kernel declares, and where it uses them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.optimize.rules.rule import Situation
from rocm_perf_lab.optimize.source.model import Node, Span

BYTES = {
    "float": 4, "int": 4, "unsigned int": 4, "double": 8, "long": 8, "unsigned long": 8,
    "long long": 8, "unsigned long long": 8,
}  # fmt: skip
_ARRAY = re.compile(r"([^\[]+?) ?((?:\[\w*\])+)\Z")


@dataclass(frozen=True)
class SharedArray:
    name: str
    element: str
    lengths: tuple[Optional[int], ...]  # None: not known, or given by the launch
    node: Node
    statement: Node
    uses: tuple[Node, ...]  # its name wherever it stands
    brackets: Optional[Span]  # the last pair, None when a macro wrote it

    @property
    def bytes(self) -> int:
        total = BYTES.get(self.element, 4)
        for length in self.lengths:
            total *= length or 0
        return total


def shared_arrays(situation: Situation) -> Iterator[SharedArray]:
    """Of one declaration each: a name that is declared twice is left out."""
    tree = situation.kernel.tree
    declared = [n.name for n in tree.walk() if n.kind in ("VarDecl", "ParmDecl")]
    for statement in tree.walk():
        if statement.kind != "DeclStmt":
            continue
        for node in statement.children:
            match = _ARRAY.match(node.type)
            is_shared = any(child.kind == "attribute(shared)" for child in node.children)
            if is_shared and match and declared.count(node.name) == 1:
                yield _array(situation, statement, node, match)


def _array(situation: Situation, statement: Node, node: Node, match: re.Match[str]) -> SharedArray:
    words = match.group(2)[1:-1].split("][")
    uses = tuple(
        n for n in situation.kernel.tree.walk() if n.kind == "DeclRefExpr" and n.name == node.name
    )
    lengths = tuple(int(word) if word.isdigit() else None for word in words)
    return SharedArray(
        node.name, match.group(1), lengths, node, statement, uses, _last_brackets(situation, node)
    )


def _last_brackets(situation: Situation, node: Node) -> Optional[Span]:
    """Behind the name: a declaration of several arrays has one span for the type of all."""
    tokens = situation.unit.files[situation.kernel.path].tokens
    names = [t for t in tokens if t.name == node.name and t.span.start in node.span]
    if not names:
        return None
    depth, start, found = 0, 0, None
    for token in tokens:
        if token.span.start < names[0].span.end or token.is_comment:
            continue
        if token.text == b"[":
            depth += 1
            start = token.span.start if depth == 1 else start
        elif token.text == b"]":
            depth -= 1
            found = Span(start, token.span.end) if depth == 0 else found
        elif depth == 0:
            break
    return found
