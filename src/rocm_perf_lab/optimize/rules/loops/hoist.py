"""What is the same in every iteration is computed once, in front of the loop.

The compiler does that for arithmetic. It cannot for what is read from memory while the loop stores
through another pointer, nor for functions that it has made branches of. A value in memory is read
early only when no store of the loop can change it: the source excludes it, or the code asks at run
time and falls back on the original loop. The loop has to run at least once for it to be read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Optional, Union

from rocm_perf_lab.analysis.verdicts.rules import COMPUTE, LATENCY, MEMORY_BANDWIDTH
from rocm_perf_lab.optimize.rules.reading.evaluated import always_evaluated, grouped
from rocm_perf_lab.optimize.rules.reading.invariance import (
    meeting,
    overlapping_pairs,
    why_it_varies,
)
from rocm_perf_lab.optimize.rules.reading.loop_shape import CountedLoop, counted_loop
from rocm_perf_lab.optimize.rules.reading.place import cannot, line_of
from rocm_perf_lab.optimize.rules.reading.purity import effects_of, root_of, why_fixed
from rocm_perf_lab.optimize.rules.rule import CannotChange, Change, Situation
from rocm_perf_lab.optimize.rules.writing.apart import Pair, Questions, can_be_asked, distinct
from rocm_perf_lab.optimize.rules.writing.copies import has_directive
from rocm_perf_lab.optimize.rules.writing.formatting import indent_step
from rocm_perf_lab.optimize.rules.writing.fresh_names import FreshNames
from rocm_perf_lab.optimize.rules.writing.loop_text import (
    first_line,
    goes_on,
    going_on,
    has_hint,
    in_place_of,
    indent_of_lines,
    leaves_early,
)
from rocm_perf_lab.optimize.source.model import Node, Span

_TYPES = frozenset({"float", "double", "int", "unsigned int", "long", "unsigned long"})
_CHEAP = frozenset({"min", "max", "abs", "fabsf", "fabs", "fminf", "fmaxf", "fmin", "fmax"})
_MAX_QUESTIONS = 4


class Hoist:
    name = "hoist"
    helps = (COMPUTE, LATENCY, MEMORY_BANDWIDTH)

    def look(self, situation: Situation) -> Iterator[Union[Change, CannotChange]]:
        for node in situation.kernel.loops():
            loop = counted_loop(situation, node)
            if isinstance(loop, CountedLoop) and not goes_on(situation, node):
                yield from _look_at(situation, loop)


@dataclass(frozen=True)
class _Plan:
    """Equal expressions share a place in ``values``."""

    values: tuple[tuple[Node, ...], ...]
    questions: tuple[Pair, ...]  # a load and a store that may meet


def _look_at(situation: Situation, loop: CountedLoop) -> Iterator[Union[Change, CannotChange]]:
    tokens = situation.unit.files[situation.kernel.path].tokens
    found = [
        value
        for value in always_evaluated(loop.body)
        if _is_candidate(value)
        and _is_fixed(situation, loop, value)
        and _is_worth_it(situation, loop, value)
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
        hidden = [pair for pair in pairs if not can_be_asked(situation, loop, pair)]
        if hidden:
            yield cannot(situation, value, meeting(*hidden[0]))
        else:
            kept.append(value)
            questions += pairs
    questions = distinct(questions, tokens)
    if len(questions) > _MAX_QUESTIONS:
        yield cannot(situation, loop.node, "too many pointers may overlap to ask for all of them")
    elif kept:
        yield _change(situation, loop, _Plan(grouped(kept, tokens), tuple(questions)))


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
    questions = Questions(situation, loop, names)
    asked = [questions.about(pair) for pair in plan.questions]
    asked = [*questions.limits(), *asked]
    condition = loop.parts.condition.span.of(data) if loop.parts.condition else b""
    every = b"is the same" if len(texts) == 1 else b"are the same"
    lines = [
        b"// %s %s in every iteration" % (b" and ".join(texts), every)
        + (b", unless the loop writes there." if asked else b"."),
        *first_line(situation, loop),
        *questions.lines,
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
