"""Which macros are expanded where, and the words that they stand for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from rocm_perf_lab.optimize.source.cursors import Cursors
from rocm_perf_lab.optimize.source.model import MacroUse, Span
from rocm_perf_lab.optimize.source.tokens import words_of

_MAX_WORDS = 10_000  # a chain of macros can be as long as it likes


class MacroWords:
    """Of one translation unit; ``uses`` are the expansions in the user's own files."""

    def __init__(self, cursors: Cursors, definitions: Sequence[Any], uses: Sequence[Any]) -> None:
        self._cursors = cursors
        self._all_definitions = definitions
        self._uses = [(*cursors.place(cursor), cursor) for cursor in uses]

    def inside(self, path: str, span: Span) -> tuple[MacroUse, ...]:
        found = []
        for file, offset, cursor in self._uses:
            if file == path and offset in span:
                name = self._cursors.name(cursor)
                found.append(MacroUse(name, self._cursors.span(cursor), self._words(name)))
        return tuple(found)

    @cached_property
    def _definitions(self) -> dict[str, list[Any]]:
        named: dict[str, list[Any]] = {}
        for cursor in self._all_definitions:
            named.setdefault(self._cursors.name(cursor), []).append(cursor)
        return named

    def _words(self, name: str) -> tuple[str, ...]:
        """Of all definitions of the name: which of them holds is not worth a mistake."""
        words: dict[str, None] = {}
        waiting, seen = [name], {name}
        while waiting and len(words) < _MAX_WORDS:
            for definition in self._definitions.get(waiting.pop(), []):
                for word in self._definition(definition):
                    words[word] = None
                    if word not in seen and word in self._definitions:
                        seen.add(word)
                        waiting.append(word)
        return tuple(words)

    def _definition(self, cursor: Any) -> Iterator[str]:
        library = self._cursors.library
        if not library.Cursor_isMacroBuiltin(cursor):
            yield from words_of(library, self._cursors.unit, library.getCursorExtent(cursor))
