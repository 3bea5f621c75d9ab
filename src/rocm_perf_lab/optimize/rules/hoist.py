"""What is the same in every iteration is computed once, in front of the loop.

The compiler does that for arithmetic. It cannot for what is read from memory while the loop stores
through another pointer, nor for functions that it has made branches of. A value in memory is read
early only when no store of the loop can change it: the source excludes it, or the code asks at run
time and falls back on the original loop. The loop has to run at least once for it to be read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Optional, Union

from rocm_perf_lab.analysis.bottleneck_rules import COMPUTE, LATENCY, MEMORY_BANDWIDTH
from rocm_perf_lab.optimize.rules.copies import has_directive, replaced, uses_of
from rocm_perf_lab.optimize.rules.formatting import indent_step
from rocm_perf_lab.optimize.rules.fresh_names import FreshNames
from rocm_perf_lab.optimize.rules.invariance import meeting, overlapping_pairs, why_it_varies
from rocm_perf_lab.optimize.rules.linear import adds, is_linear
from rocm_perf_lab.optimize.rules.loop_shape import CountedLoop, counted_loop
from rocm_perf_lab.optimize.rules.loop_text import (
    first_line,
    going_on,
    has_hint,
    in_place_of,
    indent_of_lines,
    leaves_early,
)
from rocm_perf_lab.optimize.rules.place import cannot, line_of
from rocm_perf_lab.optimize.rules.purity import Access, effects_of, root_of, why_fixed
from rocm_perf_lab.optimize.rules.rule import CannotChange, Change, Situation
from rocm_perf_lab.optimize.rules.syntax import stripped, words
from rocm_perf_lab.optimize.source.model import LOOPS, Node, Span, Token

_TYPES = frozenset({"float", "double", "int", "unsigned int", "long", "unsigned long"})
_CHEAP = frozenset({"min", "max", "abs", "fabsf", "fabs", "fminf", "fmaxf", "fmin", "fmax"})
_MAX_QUESTIONS = 4


class Hoist:
    name = "hoist"
    helps = (COMPUTE, LATENCY, MEMORY_BANDWIDTH)

    def look(self, situation: Situation) -> Iterator[Union[Change, CannotChange]]:
        for node in situation.kernel.loops():
            loop = counted_loop(situation, node)
            if isinstance(loop, CountedLoop):
                yield from _look_at(situation, loop)


@dataclass(frozen=True)
class _Plan:
    """Equal expressions share a place in ``values``."""

    values: tuple[tuple[Node, ...], ...]
    questions: tuple[tuple[Access, Access], ...]  # a load and a store that may meet


def _look_at(situation: Situation, loop: CountedLoop) -> Iterator[Union[Change, CannotChange]]:
    tokens = situation.unit.files[situation.kernel.path].tokens
    found = [
        value
        for value in _candidates(loop.body)
        if _is_fixed(situation, loop, value) and _is_worth_it(situation, loop, value)
    ]
    if not found:
        return
    why = _why_not(situation, loop)
    if why is not None:
        yield cannot(situation, loop.node, f"a value in it stays the same, but {why}")
        return
    kept, questions = [], []
    for value in found:
        pairs = overlapping_pairs([value], loop.inside, situation)
        reason = next(
            (why for why in (_why_not_asked(situation, loop, p) for p in pairs) if why), None
        )
        if reason is not None:
            yield cannot(situation, value, reason)
        else:
            kept.append(value)
            questions += pairs
    questions = _distinct(questions, tokens)
    if len(questions) > _MAX_QUESTIONS:
        yield cannot(situation, loop.node, "too many pointers may overlap to ask for all of them")
    elif kept:
        yield _change(situation, loop, _Plan(_grouped(kept, tokens), tuple(questions)))


def _candidates(body: Node) -> Iterator[Node]:
    """Calls, reads and quotients that every iteration evaluates, the largest first."""
    waiting: list[tuple[Node, bool]] = [(body, False)]
    while waiting:
        node, is_target = waiting.pop()
        inner = stripped(node)
        if inner.kind in _MAYBE or inner.kind in LOOPS:
            waiting.append((inner.children[0], False))  # the condition; for a loop its first part
            continue
        if not is_target and _is_candidate(inner):
            yield inner
        for number, child in enumerate(inner.children):
            target = number == 0 and (
                inner.kind == "CompoundAssignOperator"
                or (inner.kind == "BinaryOperator" and inner.operator == "=")
                or (inner.kind == "UnaryOperator" and inner.operator in ("++", "--", "&"))
            )
            if not (inner.kind == "BinaryOperator" and inner.operator in ("&&", "||") and number):
                waiting.append((child, target))


_MAYBE = frozenset({"IfStmt", "ConditionalOperator", "SwitchStmt", "WhileStmt"})


def _is_candidate(node: Node) -> bool:
    if node.in_macro or node.type.replace("const ", "") not in _TYPES:
        return False
    if node.kind == "CallExpr":
        return node.name not in _CHEAP
    is_read = node.kind == "UnaryOperator" and node.operator == "*"
    is_quotient = node.kind == "BinaryOperator" and node.operator == "/"
    return node.kind == "ArraySubscriptExpr" or is_read or is_quotient


def _is_fixed(situation: Situation, loop: CountedLoop, value: Node) -> bool:
    """But for stores that may meet what it reads."""
    during = effects_of([], situation.unit)
    during.writes = loop.inside.writes
    return why_it_varies([value], during, situation, [loop.variable]) is None


def _is_worth_it(situation: Situation, loop: CountedLoop, value: Node) -> bool:
    """The compiler hoists what it can see to be the same."""
    calls = [n for n in value.walk() if n.kind == "CallExpr" and n.name not in _CHEAP]
    return bool(calls) or bool(overlapping_pairs([value], loop.inside, situation))


def _why_not(situation: Situation, loop: CountedLoop) -> Optional[str]:
    tokens = situation.unit.files[situation.kernel.path].tokens
    fixed = why_fixed(loop.inside, situation.unit)
    if fixed is not None:
        return fixed[1]
    if leaves_early(loop.body):
        return "break or continue may leave an iteration before it is needed"
    if has_hint(situation, loop) or has_directive(loop.node.span, tokens):
        return "there are preprocessor lines in or before the loop"
    return None


def _why_not_asked(
    situation: Situation, loop: CountedLoop, pair: tuple[Access, Access]
) -> Optional[str]:
    """None when the two addresses can be compared in front of the loop."""
    load, store = pair
    tokens = situation.unit.files[situation.kernel.path].tokens
    types = {access.type.replace("const ", "") for access in pair}
    is_place = store.node.kind == "ArraySubscriptExpr" and load.node.kind == "ArraySubscriptExpr"
    if not is_place or len(types) != 1 or loop.comparison != "<" or not loop.counts_up:
        return meeting(load, store)
    names = [n for n in store.node.walk() if n.kind == "DeclRefExpr"]
    if any(n.name != loop.variable and n.name in loop.inside.writes for n in names):
        return meeting(load, store)
    if effects_of([store.node.children[1]], situation.unit).loads:
        return meeting(load, store)
    if not is_linear(store.node.children[1], loop.variable):
        return meeting(load, store)
    if uses_of(loop.variable, store.node, tokens) is None:
        return f"{loop.variable} is used inside of a macro"
    return None


def _grouped(values: Sequence[Node], tokens: Sequence[Token]) -> tuple[tuple[Node, ...], ...]:
    outermost = [v for v in values if not any(_holds(other, v) for other in values)]
    groups: dict[tuple[bytes, ...], list[Node]] = {}
    for value in sorted(outermost, key=lambda node: node.span.start):
        groups.setdefault(tuple(words(value.span, tokens)), []).append(value)
    return tuple(tuple(group) for group in groups.values())


def _holds(outer: Node, inner: Node) -> bool:
    return outer is not inner and inner.span.start in outer.span and inner.span != outer.span


def _distinct(
    pairs: Sequence[tuple[Access, Access]], tokens: Sequence[Token]
) -> list[tuple[Access, Access]]:
    found = {}
    for load, store in pairs:
        key = (tuple(words(load.node.span, tokens)), tuple(words(store.node.span, tokens)))
        found[key] = (load, store)
    return list(found.values())


def _change(situation: Situation, loop: CountedLoop, plan: _Plan) -> Change:
    data, names = situation.data, FreshNames(situation.unit)
    indent, deeper = indent_of_lines(situation, loop), indent_step(data, situation.kernel)
    changes: dict[Span, bytes] = {}
    declared, texts = [], []
    for group in plan.values:
        name = names.new(_name(group[0]))
        changes.update({node.span: name.encode() for node in group})
        texts.append(b" ".join(group[0].span.of(data).split()))
        type_ = group[0].type.replace("const ", "").encode()
        declared.append(deeper + b"const %s %s = %s;" % (type_, name.encode(), texts[-1]))
    ranges, asked = _questions(situation, loop, plan, names)
    condition = loop.parts.condition.span.of(data) if loop.parts.condition else b""
    every = b"is the same" if len(texts) == 1 else b"are the same"
    lines = [
        b"// %s %s in every iteration" % (b" and ".join(texts), every)
        + (b", unless the loop writes there." if asked else b"."),
        *first_line(situation, loop),
        *ranges,
        b"if (" + (b" &&\n" + indent + b"    ").join([condition, *asked]) + b") {",
        *declared,
        deeper + going_on(situation, loop, indent + deeper, changes),
        b"}",
    ]
    if asked:
        lines.append(going_on(situation, loop, indent))
    line = line_of(situation, loop.node)
    return Change(
        (in_place_of(situation, loop, lines),),
        f"take {b' and '.join(texts).decode()} out of the loop at line {line}",
        "it is computed once instead of in every iteration",
    )


def _name(value: Node) -> str:
    if value.kind == "CallExpr":
        return f"{value.name.rsplit('::', 1)[-1].lstrip('_')}_value"
    return f"{root_of(value) or 'fixed'}_value"


def _questions(
    situation: Situation, loop: CountedLoop, plan: _Plan, names: FreshNames
) -> tuple[list[bytes], list[bytes]]:
    """The ends of what the loop writes, as lines; and for each value whether it lies outside."""
    data = situation.data
    tokens = situation.unit.files[situation.kernel.path].tokens
    lines: list[bytes] = []
    asked: list[bytes] = []
    ends: dict[tuple[bytes, ...], tuple[bytes, bytes]] = {}
    for load, store in plan.questions:
        key = tuple(words(store.node.span, tokens))
        if key not in ends:
            first, last = (names.new(f"{end}_written").encode() for end in ("first", "last"))
            ends[key] = first, last
            pointer = b"const %s* const" % store.type.encode()
            lines += [
                b"%s %s = &%s;" % (pointer, first, store.node.span.of(data)),
                b"%s %s = &%s;" % (pointer, last, _last_place(situation, loop, store.node)),
            ]
        rises = adds(store.node.children[1], loop.variable)
        asked.append(_outside(b"&" + load.node.span.of(data), *ends[key], rises))
    return lines, asked


def _outside(read: bytes, first: bytes, last: bytes, rises: bool) -> bytes:
    if rises:
        return b"(%s < %s || %s > %s)" % (read, first, read, last)
    ends = (first, last)
    before = b" && ".join(b"%s < %s" % (read, end) for end in ends)
    behind = b" && ".join(b"%s > %s" % (read, end) for end in ends)
    return b"((%s) || (%s))" % (before, behind)


def _last_place(situation: Situation, loop: CountedLoop, store: Node) -> bytes:
    """Where the variable is one below its bound, which is the last place or behind it."""
    tokens = situation.unit.files[situation.kernel.path].tokens
    bound = loop.bound.span.of(situation.data)
    is_simple = stripped(loop.bound).kind in ("DeclRefExpr", "IntegerLiteral")
    last = b"(%s - 1)" % (bound if is_simple else b"(" + bound + b")")
    uses = uses_of(loop.variable, store, tokens) or []
    return replaced(situation.data, store.span, dict.fromkeys(uses, last))
