"""G2: what the new body may not use, unless the original body uses it already.

Words are looked for among clang's raw tokens and in the definitions of the macros that the body
expands; meaning is looked for in the syntax tree, where macros, aliases and ``decltype`` are gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Optional

from rocm_perf_lab.optimize.guards import denied_names as names
from rocm_perf_lab.optimize.guards.denied_syntax import syntax_findings
from rocm_perf_lab.optimize.guards.endless_loops import endless_loops
from rocm_perf_lab.optimize.guards.finding import Finding
from rocm_perf_lab.optimize.refusal import Location, Refusal, Stage
from rocm_perf_lab.optimize.source.model import Kernel, MacroUse, Node, Span, Token, TranslationUnit
from rocm_perf_lab.optimize.source.tokens import Directive, directives, inside

_BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"


@dataclass(frozen=True)
class Allowances:
    """What the user asked to be allowed beyond the rules."""

    precision: bool = False  # narrower types and faster, less accurate functions
    assembly: bool = False
    launch_bounds: Optional[int] = None  # threads of a block: exactly these may be promised

    @property
    def reasons(self) -> frozenset[str]:
        asked = {"precision": self.precision, "assembly": self.assembly}
        return frozenset(reason for reason, is_allowed in asked.items() if is_allowed)


@dataclass(frozen=True)
class Body:
    """One version of a kernel with what it is made of."""

    unit: TranslationUnit
    kernel: Kernel

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        return inside(self.unit.files[self.kernel.path].tokens, self.kernel.body)

    @cached_property
    def directives(self) -> tuple[Directive, ...]:
        return directives(self.tokens)

    @cached_property
    def names(self) -> frozenset[str]:
        """Identifiers and keywords that are written in it."""
        return frozenset(token.name for token in self.tokens if token.name)

    @cached_property
    def macro_names(self) -> frozenset[str]:
        return frozenset(use.name for use in self.kernel.macros)

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        return tuple(self.kernel.tree.walk())

    @property
    def data(self) -> bytes:
        return self.unit.files[self.kernel.path].data

    @property
    def text(self) -> bytes:
        return self.kernel.body.of(self.data)


def check_denylist(
    before: TranslationUnit,
    kernel: Kernel,
    after: TranslationUnit,
    changed: Kernel,
    allowed: Allowances = Allowances(),
) -> tuple[Refusal, ...]:
    """Everything that is wrong, in the order of the source; empty when nothing is."""
    old, new = Body(before, kernel), Body(after, changed)
    found = [*_characters(old, new), *_lines(old, new), *_words(old, new), *_macros(old, new)]
    found += syntax_findings(old.nodes, new.nodes, old.kernel)
    found += endless_loops(old.nodes, old.data, new.nodes, new.data, new.tokens)
    found.sort(key=lambda finding: (finding.span.start, finding.reason))
    kept: list[Finding] = []
    seen: set[tuple[str, object]] = set()  # each thing once, where it is first
    for finding in found:
        keys = {(finding.reason, finding.message), (finding.reason, finding.span.start)}
        if finding.reason not in allowed.reasons and not keys & seen:
            kept.append(finding)
        seen |= keys
    file = after.files[changed.path]
    return tuple(
        Refusal(
            Stage.DENYLIST,
            finding.reason,
            finding.message,
            Location.of(file.path, file.data, finding.span.start),
        )
        for finding in kept
    )


def _characters(old: Body, new: Body) -> Iterator[Finding]:
    try:
        text = new.text.decode("utf-8")
    except UnicodeDecodeError as error:
        place = new.kernel.body.start + error.start
        yield Finding("characters", "the body is not UTF-8 text", Span(place, place + 1))
        return
    for place, letter in enumerate(text):
        if letter == "\0" or letter in _BIDI or letter == "\ufeff":
            start = new.kernel.body.start + len(text[:place].encode())
            shown = f"U+{ord(letter):04X}"
            yield Finding("characters", f"{shown} hides what is read", Span(start, start + 1))
    for token in new.tokens:
        is_plain = token.text.isascii() and b"\\" not in token.text and b"??" not in token.text
        if token.name and not is_plain and token.name not in old.names:
            yield Finding(
                "characters", f"the name {token.name!r} is not written in plain ASCII", token.span
            )


def _lines(old: Body, new: Body) -> Iterator[Finding]:
    """Preprocessor lines: those of the original in their order, and hints about loops."""
    known = [line.text for line in old.directives if not names.UNROLL_PRAGMA.match(line.text)]
    place = 0
    for line in new.directives:
        if names.UNROLL_PRAGMA.match(line.text):
            continue
        if place < len(known) and known[place] == line.text:
            place += 1
            continue
        is_math = names.FAST_MATH_PRAGMA.match(line.text)
        reason = "precision" if is_math else "preprocessor"
        yield Finding(reason, f"{line.text!r} in the body; only loop hints may be added", line.span)
    if place < len(known) and len(new.directives) >= place:
        yield Finding("preprocessor", f"{known[place]!r} is gone from the body", new.kernel.body)


_WORDS = (
    ("assembly", names.ASSEMBLY, "inline assembly"),
    ("outside-world", names.OUTSIDE_WORLD, "it depends on the place or time of the build"),
    ("pragma", names.PRAGMA_OPERATORS, "a pragma operator; use #pragma unroll"),
    ("attribute", names.ATTRIBUTE_WORDS, "an attribute or a storage class"),
    ("builtin", names.ASSUMPTIONS, f"it {names.NOT_CHECKED}"),
    ("clock", names.CLOCKS, "it reads the time or the place of execution, or waits"),
    ("side-effect", names.SIDE_EFFECTS, "it prints, allocates or ends the program"),
)


def _words(old: Body, new: Body) -> Iterator[Finding]:
    before = ""
    for token in new.tokens:
        if token.name and token.name not in old.names:
            yield from _denied(token.name, token.span, "")
        if (
            token.name == "volatile"
            and before not in names.ASSEMBLY
            and "volatile" not in old.names
        ):
            yield Finding("volatile", f"volatile: {names.NOTHING_BUT_SLOW}", token.span)
        before = token.name
    yield from _square_attributes(old, new)
    was = sum(token.name == "volatile" for token in old.tokens)
    now = sum(token.name == "volatile" for token in new.tokens)
    if now < was:
        yield Finding("volatile", f"volatile stood {was} times, now {now}", new.kernel.body)


def _denied(word: str, span: Span, origin: str) -> Iterator[Finding]:
    for reason, words, why in _WORDS:
        if word in words:
            yield Finding(reason, f"{word}{origin}: {why}", span)
    if names.DISPATCH.match(word):
        yield Finding("builtin", f"{word}{origin} {names.TELLS_LAUNCHES}", span)


def _macros(old: Body, new: Body) -> Iterator[Finding]:
    for use in new.kernel.macros:
        if use.name not in old.macro_names and use.name not in names.QUALIFIER_MACROS:
            yield from _macro(use, old.names)


def _macro(use: MacroUse, known: Iterable[str]) -> Iterator[Finding]:
    for word in (use.name, *use.words):
        if word not in known:
            yield from _denied(word, use.span, "" if word == use.name else f" in {use.name}")


def _square_attributes(old: Body, new: Body) -> Iterator[Finding]:
    known = {attribute for attribute, _ in _attributes(old.tokens)}
    for attribute, token in _attributes(new.tokens):
        if attribute not in names.HARMLESS_ATTRIBUTES and attribute not in known:
            yield Finding("attribute", f"[[{attribute}]] is an attribute", token.span)


def _attributes(tokens: Iterable[Token]) -> Iterator[tuple[str, Token]]:
    """The words between ``[[`` and ``]]``: two opening brackets in a row are nothing else."""
    code = [token for token in tokens if not token.is_comment]
    for one, other, first in zip(code, code[1:], code[2:]):
        if one.text in _OPENING and other.text in _OPENING:
            yield _scoped(code, first), first


_OPENING = (b"[", b"<:")


def _scoped(code: list[Token], first: Token) -> str:
    words = []
    for token in code[code.index(first) :]:
        if token.text in (b"]", b":>", b"("):
            break
        words.append(token.name or token.text.decode("utf-8", "replace"))
    return "".join(words)
