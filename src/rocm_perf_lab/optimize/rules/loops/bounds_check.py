"""A check of every iteration becomes a matter of where the loop starts and ends.

``if (i + d >= 0 && i + d < n)`` around the body of a loop over ``d`` holds for one stretch of the
iterations, because ``i + d`` rises with ``d``. So the loop can start and end there (*fold*), or a
loop without the check can serve the threads for which it always holds (*split*). Iterations in
which nothing happens are left out; the others keep their order. Differences like ``n - i`` are
taken not to overflow, as the sums of the check did not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Optional, Union

from rocm_perf_lab.analysis.verdicts.rules import COMPUTE, DIVERGENCE, LATENCY, UNDER_OCCUPIED
from rocm_perf_lab.optimize.rules.reading.linear import mentions
from rocm_perf_lab.optimize.rules.reading.loop_shape import CountedLoop, counted_loop
from rocm_perf_lab.optimize.rules.reading.place import cannot, line_of
from rocm_perf_lab.optimize.rules.reading.purity import effects_of
from rocm_perf_lab.optimize.rules.reading.syntax import (
    statement_span,
    statements,
    stripped,
    variable_named,
)
from rocm_perf_lab.optimize.rules.rule import CannotChange, Change, Situation
from rocm_perf_lab.optimize.rules.writing.copies import has_directive, replaced
from rocm_perf_lab.optimize.rules.writing.formatting import indent_step, indentation, indented
from rocm_perf_lab.optimize.rules.writing.fresh_names import FreshNames
from rocm_perf_lab.optimize.rules.writing.loop_text import (
    has_hint,
    in_place_of,
    indent_of_lines,
    loop_span,
)
from rocm_perf_lab.optimize.source.model import Node, Span

_SWAPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


class BoundsCheck:
    name = "bounds-check"
    helps = (LATENCY, UNDER_OCCUPIED, DIVERGENCE, COMPUTE)

    def look(self, situation: Situation) -> Iterator[Union[Change, CannotChange]]:
        for node in situation.kernel.loops():
            loop = counted_loop(situation, node)
            if isinstance(loop, CannotChange):
                continue
            guarded = _guarded(loop)
            if guarded is None:
                continue
            limits, rest = _limits(situation, loop, guarded)
            if not limits:
                continue
            why = _why_not(situation, loop, guarded)
            if why is not None:
                yield cannot(situation, guarded.check, why)
                continue
            yield _fold(situation, loop, guarded, limits, rest)
            yield _split(situation, loop, guarded, limits, rest)


@dataclass(frozen=True)
class _Guarded:
    """A body that is names of values, and one ``if`` without ``else``."""

    names: tuple[Node, ...]  # declarations in front of it
    check: Node
    condition: Node
    body: Node


@dataclass(frozen=True)
class _Limit:
    """The counter plus ``others``, compared with ``bound``."""

    comparison: str
    bound: Node
    others: tuple[tuple[str, Node], ...]  # signs and values


def _guarded(loop: CountedLoop) -> Optional[_Guarded]:
    *names, last = statements(loop.body) or (loop.body,)
    if last.kind != "IfStmt" or len(last.children) != 2:
        return None
    if any(node.kind != "DeclStmt" for node in names):
        return None
    return _Guarded(tuple(names), last, last.children[0], last.children[1])


def _why_not(situation: Situation, loop: CountedLoop, guarded: _Guarded) -> Optional[str]:
    tokens = situation.unit.files[situation.kernel.path].tokens
    if not effects_of([guarded.condition], situation.unit).is_value:
        return "its condition does more than to compare"
    for node in guarded.names:
        named = effects_of([node], situation.unit)
        if named.stores or named.fixed:
            return "what stands in front of it does more than to name values"
    for node in (*loop.inside.barriers, *loop.inside.exchanges):
        return f"{node.name} in it has to be reached together"
    if loop.inside.unknown:
        return "something in the loop is not known, which other lanes might have to reach together"
    if not loop.counts_up or loop.comparison not in ("<", "<=") or loop.type != "int":
        return "only loops over an int that count up are looked at"
    if loop.step != 1 or not loop.declared_here or loop.start is None:
        return f"{loop.variable} does not count by one from where it is declared"
    if stripped(loop.bound).type.replace("const ", "") != "int":
        return f"{loop.variable} and its bound are of different types"
    if has_directive(loop.node.span, tokens) or has_hint(situation, loop):
        return "there are preprocessor lines in or before the loop"
    return None


def _limits(
    situation: Situation, loop: CountedLoop, guarded: _Guarded
) -> tuple[list[_Limit], list[Node]]:
    """The comparisons that bound the counter, and the other parts of the condition."""
    values = _named_values(situation, guarded)
    inner = effects_of([loop.body], situation.unit).writes
    limits, rest = [], []
    for term in _conjunction(guarded.condition):
        limit = _limit(term, loop.variable, values)
        fixed = limit is not None and not any(
            effects_of([part], situation.unit).reads & (inner | {loop.variable})
            or effects_of([part], situation.unit).loads
            for part in (limit.bound, *(node for _, node in limit.others))
        )
        if limit is not None and fixed and not term.in_macro:
            limits.append(limit)
        else:
            rest.append(term)
    return limits, rest


def _conjunction(node: Node) -> list[Node]:
    inner = stripped(node)
    if inner.kind == "BinaryOperator" and inner.operator == "&&":
        return [term for side in inner.children for term in _conjunction(side)]
    return [inner]


def _named_values(situation: Situation, guarded: _Guarded) -> dict[str, Node]:
    """Names that the body gives to values and never changes."""
    changed = effects_of([guarded.check], situation.unit).writes
    return {
        variable.name: variable.children[-1]
        for statement in guarded.names
        for variable in statement.children
        if variable.kind == "VarDecl"
        and variable.children
        and variable.name not in changed
        and variable.type.replace("const ", "") == "int"
    }


def _limit(term: Node, variable: str, values: dict[str, Node]) -> Optional[_Limit]:
    if term.kind != "BinaryOperator" or term.operator not in _SWAPPED:
        return None
    left, right = term.children
    if any(stripped(side).type.replace("const ", "") != "int" for side in term.children):
        return None
    for rising, bound, comparison in (
        (left, right, term.operator),
        (right, left, _SWAPPED[term.operator]),
    ):
        whole = values.get(variable_named(rising) or "", rising)
        others = _others(whole, variable)
        if others is not None and not mentions(bound, variable):
            return _Limit(comparison, bound, tuple(others))
    return None


def _others(node: Node, variable: str) -> Optional[list[tuple[str, Node]]]:
    """What is added to the counter, None when it is no such sum."""
    inner = stripped(node)
    if variable_named(inner) == variable:
        return []
    if inner.kind != "BinaryOperator" or inner.operator not in ("+", "-"):
        return None
    left, right = inner.children
    if mentions(left, variable) and not mentions(right, variable):
        found = _others(left, variable)
        return None if found is None else [*found, (inner.operator, right)]
    if inner.operator == "+" and mentions(right, variable) and not mentions(left, variable):
        found = _others(right, variable)
        return None if found is None else [*found, ("+", left)]
    return None


def _text(situation: Situation, node: Node, in_sum: bool = False) -> str:
    text = " ".join(node.span.of(situation.data).decode().split())
    simple = stripped(node).kind in ("DeclRefExpr", "IntegerLiteral", "MemberRefExpr", "CallExpr")
    return f"({text})" if in_sum and not simple and not text.startswith("(") else text


def _counter_limit(situation: Situation, limit: _Limit, shift: int) -> str:
    """The value of the counter at which the check begins or ceases to hold."""
    flipped = "".join(
        f" {'-' if sign == '+' else '+'} {_text(situation, node, True)}"
        for sign, node in limit.others
    )
    bound = _text(situation, limit.bound, True)
    if bound == "0" and flipped:
        bound, flipped = "", flipped.strip().replace("- ", "-", 1).removeprefix("+ ")
    moved = f" {'+' if shift > 0 else '-'} 1" if shift else ""
    return f"{bound}{flipped}{moved}"


def _fold(
    situation: Situation,
    loop: CountedLoop,
    guarded: _Guarded,
    limits: Sequence[_Limit],
    rest: Sequence[Node],
) -> Change:
    assert loop.start is not None
    names = FreshNames(situation.unit)
    start, end = _text(situation, loop.start), _text(situation, loop.bound)
    for limit in limits:
        if limit.comparison in (">", ">="):
            shift = 1 if limit.comparison == ">" else 0
            start = f"max({start}, {_counter_limit(situation, limit, shift)})"
        else:
            wants_last = loop.comparison == "<="
            shift = (
                (-1 if limit.comparison == "<" else 0)
                if wants_last
                else (1 if limit.comparison == "<=" else 0)
            )
            end = f"min({end}, {_counter_limit(situation, limit, shift)})"
    lines = [b"// The loop starts and ends where the check holds."]
    bound = loop.bound.span
    changes = {loop.start.span: start.encode()}
    if end != _text(situation, loop.bound):
        name = names.new("last" if loop.comparison == "<=" else "end")
        lines.append(f"const int {name} = {end};".encode())
        changes[bound] = name.encode()
    indent = indent_of_lines(situation, loop, moves_variable=False)
    lines.append(_unchecked(situation, loop, guarded, rest, changes, indent))
    line = line_of(situation, guarded.check)
    return Change(
        (in_place_of(situation, loop, lines, moves_variable=False),),
        f"fold the check at line {line} into the bounds of its loop",
        "the iterations need no check, and their loads can be under way together",
    )


def _unchecked(
    situation: Situation,
    loop: CountedLoop,
    guarded: _Guarded,
    rest: Sequence[Node],
    changes: dict[Span, bytes],
    indent: bytes,
) -> bytes:
    """The loop without the comparisons that are not needed any more."""
    data = situation.data
    tokens = situation.unit.files[situation.kernel.path].tokens
    check = statement_span(guarded.check, tokens)
    body = statement_span(guarded.body, tokens)
    changes = dict(changes)
    if rest:
        kept = b" && ".join(term.span.of(data) for term in rest)
        changes[guarded.condition.span] = kept
    elif guarded.body.kind == "CompoundStmt" and loop.body.kind == "CompoundStmt":
        inner = Span(guarded.body.span.start + 1, guarded.body.span.end - 1)
        first = guarded.body.children[0].span.start if guarded.body.children else inner.start
        text = inner.of(data).strip()
        changes[check] = indented(text, indentation(data, first), indentation(data, check.start))
    else:
        changes[Span(check.start, body.start)] = b""
    text = replaced(data, loop_span(situation, loop), changes)
    return indented(text, indentation(data, loop.node.span.start), indent)


def _split(
    situation: Situation,
    loop: CountedLoop,
    guarded: _Guarded,
    limits: Sequence[_Limit],
    rest: Sequence[Node],
) -> Change:
    data = situation.data
    outer = indent_of_lines(situation, loop, moves_variable=False)
    deeper = indent_step(data, situation.kernel)
    conditions = [_at_the_end(situation, loop, limit) for limit in limits]
    line = line_of(situation, guarded.check)
    original = indented(
        loop_span(situation, loop).of(data), indentation(data, loop.node.span.start), outer + deeper
    )
    lines = [
        b"// Most threads never leave the bounds: they need no check.",
        f"if ({' && '.join(conditions)}) {{".encode(),
        deeper + _unchecked(situation, loop, guarded, rest, {}, outer + deeper),
        b"} else {",
        deeper + original,
        b"}",
    ]
    return Change(
        (in_place_of(situation, loop, lines, moves_variable=False),),
        f"split off the check at line {line} for the threads that need it",
        "the threads that stay within the bounds run a loop without a check",
    )


def _at_the_end(situation: Situation, loop: CountedLoop, limit: _Limit) -> str:
    """The check where it fails first: at the start for a lower bound, else at the last value. A sum
    is of 64 bits: of a loop that runs no further it may lie beyond what 32 bits hold."""
    assert loop.start is not None
    if limit.comparison in (">", ">="):
        value = _text(situation, loop.start, True)
    else:
        value = _text(situation, loop.bound, True)
        value = value if loop.comparison == "<=" else f"{value} - 1"
    bare = value[1:-1] if value.startswith("(-") and value[2:-1].isidentifier() else value
    others = [(sign, _text(situation, node, True)) for sign, node in limit.others]
    if others and others[0][0] == "+":
        tail = "".join(f" {sign} {text}" for sign, text in others[1:])
        joined = f"- {bare[1:]}" if bare.startswith("-") else f"+ {bare}"
        total = f"{others[0][1]} {joined}{tail}"
    else:
        total = bare + "".join(f" {sign} {text}" for sign, text in others)
    wide = "(long long)" if " + " in total or " - " in total else ""
    return f"{wide}{total} {limit.comparison} {_text(situation, limit.bound)}"
