"""The raw tokens of a file from clang's lexer, and the preprocessor lines among them."""

from __future__ import annotations

import contextlib
import ctypes
import re
from collections.abc import Iterator, Sequence
from ctypes import c_uint
from dataclasses import dataclass

from rocm_perf_lab.optimize.source.clang_library import TOKEN_KINDS, ClangLibrary, CxToken
from rocm_perf_lab.optimize.source.model import Span, Token

# A backslash (or its trigraph) that joins two lines; clang lets white space stand behind it.
_SPLICE = re.compile(rb"(?:\\|\?\?/)[ \t\v\f]*(?:\r\n|\n|\r)")
_HASHES = (b"#", b"%:", b"??=")


def read_tokens(
    library: ClangLibrary, unit: object, file: object, data: bytes
) -> tuple[Token, ...]:
    """All tokens, comments among them, also those that the preprocessor leaves out."""
    if not data:
        return ()
    first = library.getLocationForOffset(unit, file, 0)
    last = library.getLocationForOffset(unit, file, len(data))
    with _raw_tokens(library, unit, library.getRange(first, last)) as raw:
        return tuple(_tokens(library, unit, data, raw))


def words_of(library: ClangLibrary, unit: object, extent: object) -> list[str]:
    """The spellings of all tokens in a range, as clang understands them."""
    with _raw_tokens(library, unit, extent) as raw:
        return [library.text(library.getTokenSpelling(unit, token)) for token in raw]


@contextlib.contextmanager
def _raw_tokens(library: ClangLibrary, unit: object, extent: object) -> Iterator[list[CxToken]]:
    tokens, count = ctypes.POINTER(CxToken)(), c_uint()
    library.tokenize(unit, extent, tokens, count)
    try:
        yield [tokens[i] for i in range(count.value)]
    finally:
        library.disposeTokens(unit, tokens, count)


def _tokens(
    library: ClangLibrary, unit: object, data: bytes, raw: Sequence[CxToken]
) -> Iterator[Token]:
    place, starts_line, spaced = 0, True, False
    for token in raw:
        extent = library.getTokenExtent(unit, token)
        span = Span(
            offset_of(library, library.getRangeStart(extent)),
            offset_of(library, library.getRangeEnd(extent)),
        )
        if span.start < place or span.end <= span.start:
            continue  # libclang repeats the last token of a file without a newline
        gap = _SPLICE.sub(b"", data[place : span.start])
        starts_line = starts_line or b"\n" in gap or b"\r" in gap
        kind = TOKEN_KINDS[library.getTokenKind(token)]
        name = (
            library.text(library.getTokenSpelling(unit, token))
            if kind in ("keyword", "identifier")
            else ""
        )
        yield Token(kind, span.of(data), name, span, starts_line, spaced or bool(gap))
        place = span.end
        # A comment is white space: what follows it may still be the first of its line.
        starts_line = starts_line and kind == "comment"
        spaced = kind == "comment"


def offset_of(library: ClangLibrary, location: object) -> int:
    offset = c_uint()
    library.getExpansionLocation(location, None, None, None, ctypes.byref(offset))
    return offset.value


@dataclass(frozen=True)
class Directive:
    """A preprocessor line; ``words`` are its tokens without the hash and without comments."""

    words: tuple[Token, ...]
    span: Span

    @property
    def name(self) -> str:
        return _plain(self.words[0]) if self.words else ""

    @property
    def text(self) -> str:
        """Normalised: one space where there was any."""
        parts = [(" " if w.spaced else "") + _plain(w) for w in self.words]
        return "#" + "".join(parts).strip()


def _plain(token: Token) -> str:
    return _SPLICE.sub(b"", token.text).decode("utf-8", "replace")


def directives(tokens: Sequence[Token]) -> tuple[Directive, ...]:
    found: list[Directive] = []
    code = [token for token in tokens if not token.is_comment]
    index = 0
    while index < len(code):
        first = code[index]
        index += 1
        if not (first.starts_line and _SPLICE.sub(b"", first.text) in _HASHES):
            continue
        words = []
        while index < len(code) and not code[index].starts_line:
            words.append(code[index])
            index += 1
        end = words[-1].span.end if words else first.span.end
        found.append(Directive(tuple(words), Span(first.span.start, end)))
    return tuple(found)


def inside(tokens: Sequence[Token], span: Span) -> tuple[Token, ...]:
    return tuple(token for token in tokens if token.span.start in span)
