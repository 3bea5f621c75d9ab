"""Asking at run time whether what a loop reads lies apart from what it writes.

The index of an element that is linear in the counter goes one way only, so that all elements lie
between the first one and the one where the counter is one below its bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from rocm_perf_lab.optimize.rules.reading.linear import adds, is_linear, mentions
from rocm_perf_lab.optimize.rules.reading.loop_shape import CountedLoop
from rocm_perf_lab.optimize.rules.reading.purity import Access, effects_of
from rocm_perf_lab.optimize.rules.reading.syntax import stripped, words
from rocm_perf_lab.optimize.rules.rule import Situation
from rocm_perf_lab.optimize.rules.writing.copies import replaced, uses_of
from rocm_perf_lab.optimize.rules.writing.fresh_names import FreshNames
from rocm_perf_lab.optimize.rules.writing.loop_text import indent_of_lines
from rocm_perf_lab.optimize.source.model import Node, Token

Pair = tuple[Access, Access]  # a load and a store


def can_be_asked(situation: Situation, loop: CountedLoop, pair: Pair) -> bool:
    types = {access.type.replace("const ", "") for access in pair}
    if len(types) != 1 or loop.comparison != "<" or not loop.counts_up:
        return False
    return all(_has_ends(situation, loop, access.node) for access in pair)


def _has_ends(situation: Situation, loop: CountedLoop, element: Node) -> bool:
    if element.kind != "ArraySubscriptExpr" or element.in_macro:
        return False
    tokens = situation.unit.files[situation.kernel.path].tokens
    used = effects_of(element.children, situation.unit)
    is_value = used.is_value and not (used.loads and mentions(element, loop.variable))
    moves = (used.reads - {loop.variable}) & loop.inside.writes
    return (
        is_value
        and not moves
        and is_linear(element.children[1], loop.variable)
        and uses_of(loop.variable, element, tokens) is not None
    )


def distinct(pairs: Sequence[Pair], tokens: Sequence[Token]) -> list[Pair]:
    """Without those that are written in the same words."""
    found = {}
    for load, store in pairs:
        key = (tuple(words(load.node.span, tokens)), tuple(words(store.node.span, tokens)))
        found[key] = (load, store)
    return list(found.values())


class Questions:
    """About the pairs of one loop; ``lines`` stand in front of where they are asked."""

    def __init__(self, situation: Situation, loop: CountedLoop, names: FreshNames) -> None:
        self._situation, self._loop, self._names = situation, loop, names
        self._ends: dict[tuple[bytes, ...], tuple[bytes, ...]] = {}
        self.lines: list[bytes] = []

    def about(self, pair: Pair) -> bytes:
        """An expression that is true when the two never meet."""
        load, store = (access.node for access in pair)
        reads, writes = self._places(load, "read"), self._places(store, "written")
        if self._rises(load) and self._rises(store):
            below, above = (reads[-1], writes[0]), (reads[0], writes[-1])
            return b"(%s < %s || %s > %s)" % (*below, *above)
        before = b" && ".join(b"%s < %s" % ends for ends in product(reads, writes))
        behind = b" && ".join(b"%s > %s" % ends for ends in product(reads, writes))
        gap = b"\n" + indent_of_lines(self._situation, self._loop) + b"     "
        is_long = len(before) + len(behind) > 70
        return b"((%s) ||%s(%s))" % (before, gap if is_long else b" ", behind)

    def _rises(self, element: Node) -> bool:
        index, variable = element.children[1], self._loop.variable
        return adds(index, variable) or not mentions(index, variable)

    def _places(self, element: Node, word: str) -> tuple[bytes, ...]:
        """The address where the loop starts and that where it ends, one when it does not move."""
        data = self._situation.data
        tokens = self._situation.unit.files[self._situation.kernel.path].tokens
        key = tuple(words(element.span, tokens))
        uses = uses_of(self._loop.variable, element, tokens)
        if not uses:
            return (b"&" + element.span.of(data),)
        if key not in self._ends:
            names = [self._names.new(f"{end}_{word}").encode() for end in ("first", "last")]
            last = replaced(data, element.span, dict.fromkeys(uses, self._last()))
            pointer = b"const %s* const" % element.type.replace("const ", "").encode()
            for name, text in zip(names, (element.span.of(data), last)):
                self.lines.append(b"%s %s = &%s;" % (pointer, name, text))
            self._ends[key] = tuple(names)
        return self._ends[key]

    def _last(self) -> bytes:
        bound = self._loop.bound
        text = bound.span.of(self._situation.data)
        is_simple = stripped(bound).kind in ("DeclRefExpr", "IntegerLiteral")
        return b"(%s - 1)" % (text if is_simple else b"(" + text + b")")
