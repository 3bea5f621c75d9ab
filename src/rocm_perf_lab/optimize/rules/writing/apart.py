"""Checks at run time whether what a loop reads and what it writes overlap.

The index of an element that is linear in the counter goes one way only, so that all elements lie
between the first one and the one where the counter is one below its bound. Where the counter is
added to the index, how many bytes are written follows from the bound alone: then it is asked how
far behind the first of them the load lies, in unsigned numbers, where what lies before them is far
behind. That holds for all inputs and can be proven.
"""

from __future__ import annotations

import re
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
_LARGEST = {"int": b"0x7fffffff", "unsigned int": b"0xffffffff"}
_NAME = re.compile(rb"[\w.]+")


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
        self._ends_by_bytes: dict[tuple[bytes, ...], tuple[bytes, bytes]] = {}
        self.lines: list[bytes] = []

    def limits(self) -> list[bytes]:
        """Without them the counter might wrap around to its smallest value."""
        loop = self._loop
        step = loop.step_node
        if not self._ends_by_bytes or step is None or loop.type not in _LARGEST:
            return []
        if loop.type == "int" and (loop.step is not None or stripped(step).type == "int"):
            return []  # has no meaning in the original
        bound, step_text = (node.span.of(self._situation.data) for node in (loop.bound, step))
        sum_ = b"(long long)%s + %s" % (_factor(bound), _factor(step_text))
        return [sum_ + b" <= " + _LARGEST[loop.type]]

    def about(self, pair: Pair) -> bytes:
        """An expression that is true when the two never meet."""
        load, store = (access.node for access in pair)
        if self._has_known_length(load, store):
            first, size = self._bytes_of(store)
            text = load.span.of(self._situation.data)
            return b"(size_t)&%s - %s >= %s" % (text, first, size)
        reads, writes = self._places(load, "read"), self._places(store, "written")
        if self._rises(load) and self._rises(store):
            below, above = (reads[-1], writes[0]), (reads[0], writes[-1])
            return b"(%s < %s || %s > %s)" % (*below, *above)
        before = b" && ".join(b"%s < %s" % ends for ends in product(reads, writes))
        behind = b" && ".join(b"%s > %s" % ends for ends in product(reads, writes))
        gap = b"\n" + indent_of_lines(self._situation, self._loop) + b"     "
        is_long = len(before) + len(behind) > 70
        return b"((%s) ||%s(%s))" % (before, gap if is_long else b" ", behind)

    def _has_known_length(self, load: Node, store: Node) -> bool:
        loop = self._loop
        return (
            not mentions(load, loop.variable)
            and adds(store.children[1], loop.variable)
            and stripped(loop.bound).type.replace("const ", "") == loop.type
        )

    def _bytes_of(self, store: Node) -> tuple[bytes, bytes]:
        """The first address that is written, and how many bytes are from there on."""
        situation, loop = self._situation, self._loop
        tokens = situation.unit.files[situation.kernel.path].tokens
        key = tuple(words(store.span, tokens))
        if key not in self._ends_by_bytes:
            names = [self._names.new(f"{word}_written").encode() for word in ("first", "bytes")]
            bound = _factor(loop.bound.span.of(situation.data))
            count = b"((size_t)%s - %s)" % (bound, loop.variable.encode())
            type_ = store.type.replace("const ", "").encode()
            self.lines += [
                b"const size_t %s = (size_t)&%s;" % (names[0], store.span.of(situation.data)),
                b"const size_t %s = %s * sizeof(%s);" % (names[1], count, type_),
            ]
            self._ends_by_bytes[key] = (names[0], names[1])
        return self._ends_by_bytes[key]

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
        return b"(%s - 1)" % _factor(self._loop.bound.span.of(self._situation.data))


def _factor(text: bytes) -> bytes:
    """In parentheses where a cast or a difference would take only a part of it."""
    return text if _NAME.fullmatch(text) else b"(" + text + b")"
