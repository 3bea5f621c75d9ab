"""Metadata: the lines of the source, types of accesses, ranges of values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.prove.symbolic.ir.tokens import Tokens

_DEFINITION = re.compile(r"^(![\w.]+) = (?:distinct )?(.*)$")
_REFERENCE = re.compile(r"![0-9]+")
_DEPTH = 6
# What limits the values or the meaning of an instruction; everything else is for debuggers and
# hints of the optimiser.
LIMITS = ("tbaa", "range", "nonnull", "noundef", "align", "dereferenceable", "fpmath")
SCOPES = ("alias.scope", "noalias")


@dataclass(frozen=True)
class Notes:
    kept: Mapping[str, str]
    line: Optional[int]


class Metadata:
    def __init__(self, lines: list[str]) -> None:
        self._nodes = {}
        for line in lines:
            match = _DEFINITION.match(line)
            if match:
                self._nodes[match.group(1)] = match.group(2)

    def of_line(self, tokens: Tokens) -> Notes:
        """What stands behind the operands: ``, !dbg !7, !tbaa !9``."""
        kept: dict[str, str] = {}
        line = None
        while tokens.peek():
            word = tokens.take()
            if word == "!dbg":
                line = self._line(tokens.take())
            elif word[1:] in LIMITS or word[1:] in SCOPES:
                kept[word[1:]] = self.expanded(tokens.take())
        return Notes(kept, line)

    def expanded(self, reference: str, depth: int = _DEPTH) -> str:
        """A node with the nodes that it names in their places, so that numbers do not matter."""
        text = self._nodes.get(reference, reference)
        if depth == 0:
            return text
        return _REFERENCE.sub(lambda match: self.expanded(match.group(0), depth - 1), text)

    def _line(self, reference: str) -> Optional[int]:
        """Of the outermost call, where code of other functions was inlined."""
        for _ in range(64):
            text = self._nodes.get(reference, "")
            outer = re.search(r"inlinedAt: (![0-9]+)", text)
            if outer is None:
                found = re.search(r"\bline: (\d+)", text)
                return int(found.group(1)) if found else None
            reference = outer.group(1)
        return None

    def line_of(self, reference: str) -> Optional[int]:
        return self._line(reference)
