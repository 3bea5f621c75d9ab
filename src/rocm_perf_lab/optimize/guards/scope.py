"""G1: one kernel's body may change; every other token of every file stays as it was.

Tokens are those of clang's lexer before preprocessing, so that nothing hides behind a macro or in
a branch that the preprocessor leaves out; where the body ends is what clang's parser says. White
space and comments outside of the body may change, but not where they mean something: on the lines
of the preprocessor.

One thing may come before the body, and only when the user has asked for it: ``__launch_bounds__``
with the number of threads that was agreed on, right behind ``__global__``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.optimize.refusal import Location, Refusal, Stage
from rocm_perf_lab.optimize.source.model import Kernel, SourceFile, Token, TranslationUnit
from rocm_perf_lab.optimize.source.tokens import directives


@dataclass(frozen=True)
class Scope:
    """The changed kernel where the change is within its body, else why it is not."""

    kernel: Optional[Kernel]
    refusal: Optional[Refusal]


@dataclass(frozen=True)
class _Item:
    """What of a token must stay the same."""

    text: bytes
    in_directive: bool
    starts_line: bool  # in directives only
    spaced: bool


Pairs = Sequence[tuple[Token, _Item]]
_BOUNDS_TOKENS = 4  # __launch_bounds__ ( threads )
_BOUNDS = frozenset(
    {"__launch_bounds__", "launch_bounds", "amdgpu_flat_work_group_size", "amdgpu_waves_per_eu",
     "reqd_work_group_size", "amdgpu_num_vgpr", "amdgpu_num_sgpr"}
)  # fmt: skip


def check_scope(
    before: TranslationUnit,
    kernel: Kernel,
    after: TranslationUnit,
    launch_bounds: Optional[int] = None,
) -> Scope:
    """``after`` is the same unit with the candidate in place of the file that has ``kernel``."""
    old, new = before.files[kernel.path], after.files.get(kernel.path)
    refusal = _other_files(before, kernel, after)
    if refusal is None and new is not None:
        changed = _counterpart(old, kernel, new, after, launch_bounds)
        if changed is None:
            refusal = Refusal(
                Stage.SCOPE,
                "kernel-missing",
                f"{kernel.qualified_name} is not defined any more; it must keep its name",
            )
        else:
            refusal = _outside(old, kernel, new, changed, launch_bounds)
            if refusal is None:
                return Scope(changed, None)
    return Scope(None, refusal)


def _other_files(
    before: TranslationUnit, kernel: Kernel, after: TranslationUnit
) -> Optional[Refusal]:
    for path in sorted({*before.files, *after.files} - {kernel.path}):
        old, new = before.files.get(path), after.files.get(path)
        if old is None or new is None or old.data != new.data:
            what = "is no longer read" if new is None else "is new" if old is None else "changed"
            return Refusal(Stage.SCOPE, "other-file", f"{path} {what}; only {kernel.path} may be")
    return None


def _counterpart(
    old: SourceFile,
    kernel: Kernel,
    new: SourceFile,
    after: TranslationUnit,
    launch_bounds: Optional[int],
) -> Optional[Kernel]:
    """Overloads share a name: the one with as many tokens before it is meant."""
    named = [
        k
        for k in after.kernels
        if (k.path, k.qualified_name) == (kernel.path, kernel.qualified_name)
    ]
    wanted = sum(1 for _ in _code(old.tokens, 0, kernel.body.start))
    counts = (wanted,) if launch_bounds is None else (wanted, wanted + _BOUNDS_TOKENS)
    exact = [k for k in named if sum(1 for _ in _code(new.tokens, 0, k.body.start)) in counts]
    return next(iter(exact or named), None)


def _outside(
    old: SourceFile,
    kernel: Kernel,
    new: SourceFile,
    changed: Kernel,
    launch_bounds: Optional[int],
) -> Optional[Refusal]:
    old_items, new_items = _items(old.tokens), _items(new.tokens)
    if launch_bounds is not None and not has_launch_bounds(old.tokens, kernel):
        new_items = _without_bounds(new_items, changed, launch_bounds)
    sides = (
        (
            [i for i in old_items if i[0].span.end <= kernel.body.start],
            [i for i in new_items if i[0].span.end <= changed.body.start],
        ),
        (
            [i for i in old_items if i[0].span.start >= kernel.body.end],
            [i for i in new_items if i[0].span.start >= changed.body.end],
        ),
    )
    for is_behind, (was, now) in enumerate(sides):
        index = _first_difference([item for _, item in was], [item for _, item in now])
        if index is not None:
            return _explained(kernel, new, was, now, index, bool(is_behind))
    return None


def has_launch_bounds(tokens: Sequence[Token], kernel: Kernel) -> bool:
    """In any of their forms; a second one would contradict the first."""
    header = _code(tokens, kernel.span.start, kernel.body.start)
    return any(token.name in _BOUNDS for token in header)


def _without_bounds(pairs: Pairs, kernel: Kernel, threads: int) -> list[tuple[Token, _Item]]:
    """Without the words that were agreed on, where they stand as agreed; else all of them."""
    wanted = [b"__global__", b"__launch_bounds__", b"(", str(threads).encode(), b")"]
    for place, (token, _) in enumerate(pairs):
        is_header = kernel.span.start <= token.span.start < kernel.body.start
        if is_header and [t.text for t, _ in pairs[place : place + len(wanted)]] == wanted:
            return [*pairs[: place + 1], *pairs[place + len(wanted) :]]
    return list(pairs)


def _first_difference(was: Sequence[_Item], now: Sequence[_Item]) -> Optional[int]:
    for index, (one, other) in enumerate(zip(was, now)):
        if one != other:
            return index
    return None if len(was) == len(now) else min(len(was), len(now))


def _explained(
    kernel: Kernel, new: SourceFile, was: Pairs, now: Pairs, index: int, is_behind: bool
) -> Refusal:
    one = was[index] if index < len(was) else None
    other = now[index] if index < len(now) else None
    old_text = _quoted(one[0].text) if one else "nothing"
    new_text = _quoted(other[0].text) if other else "nothing"
    where = Location.of(new.path, new.data, other[0].span.start if other else len(new.data))
    if is_behind and len(now) > len(was):
        count = len(now) - len(was)
        reason, what = "after-the-body", f"{count} tokens follow the body of {kernel.name}"
    elif any(pair is not None and pair[1].in_directive for pair in (one, other)):
        reason, what = "preprocessor", "a line of the preprocessor changed"
    elif not is_behind and one is not None and one[0].span.start >= kernel.span.start:
        reason = "signature"
        what = f"the attributes, template header or parameters of {kernel.name} changed"
    else:
        reason, what = "outside", f"code outside of the body of {kernel.name} changed"
    return Refusal(Stage.SCOPE, reason, f"{what}: {old_text} became {new_text}", where)


def _quoted(text: bytes) -> str:
    shown = text if len(text) <= 40 else text[:37] + b"..."
    return repr(shown.decode("utf-8", "replace"))


def _code(tokens: Sequence[Token], start: int, end: int) -> Iterator[Token]:
    return (t for t in tokens if not t.is_comment and t.span.start >= start and t.span.end <= end)


def _items(tokens: Sequence[Token]) -> list[tuple[Token, _Item]]:
    lines = [line.span for line in directives(tokens)]
    pairs, line = [], 0
    for token in tokens:
        if token.is_comment:
            continue
        while line < len(lines) and lines[line].end <= token.span.start:
            line += 1
        within = line < len(lines) and token.span.start in lines[line]
        item = _Item(token.text, within, within and token.starts_line, within and token.spaced)
        pairs.append((token, item))
    return pairs
