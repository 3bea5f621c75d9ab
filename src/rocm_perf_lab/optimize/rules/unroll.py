"""Unrolling by hand: several iterations in one round, and a second loop for what is left.

Right for every loop that counts: the iterations keep their order, so nothing is summed in another
one. What can be told apart are lanes that leave the loop at different times, so a loop in which
lanes meet is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Optional, Union

from rocm_perf_lab.analysis.bottleneck_rules import LATENCY, MEMORY_BANDWIDTH, UNDER_OCCUPIED
from rocm_perf_lab.optimize.rules.aliasing import may_overlap
from rocm_perf_lab.optimize.rules.copies import (
    has_directive,
    replaced,
    uses_of,
    without_comments,
)
from rocm_perf_lab.optimize.rules.formatting import indent_step, indentation, indented
from rocm_perf_lab.optimize.rules.fresh_names import FreshNames
from rocm_perf_lab.optimize.rules.known_functions import BARRIER, EXCHANGE, kind_of
from rocm_perf_lab.optimize.rules.loop_shape import CountedLoop, counted_loop
from rocm_perf_lab.optimize.rules.loop_text import (
    first_line,
    going_on,
    has_hint,
    in_place_of,
    indent_of_lines,
    leaves_early,
    loop_span,
)
from rocm_perf_lab.optimize.rules.place import cannot, line_of
from rocm_perf_lab.optimize.rules.rule import CannotChange, Change, Situation
from rocm_perf_lab.optimize.rules.syntax import integer_value, stripped
from rocm_perf_lab.optimize.source.model import LOOPS, Span

FACTORS = (4, 8, 2)
_WORDS = {2: b"Two", 4: b"Four", 8: b"Eight"}
_LONG_BODY = 600  # bytes; a longer one has enough to do in one iteration


class Unroll:
    name = "unroll"
    helps = (LATENCY, UNDER_OCCUPIED, MEMORY_BANDWIDTH)

    def look(self, situation: Situation) -> Iterator[Union[Change, CannotChange]]:
        for node in situation.kernel.loops():
            if any(inner.kind in LOOPS for inner in node.walk() if inner is not node):
                continue  # the innermost loop is the one that waits
            loop = counted_loop(situation, node)
            if isinstance(loop, CannotChange):
                yield loop
                continue
            why = _why_not(situation, loop)
            if why is not None:
                yield cannot(situation, node, why)
                continue
            for factor in FACTORS:
                yield _change(situation, loop, factor)


def _why_not(situation: Situation, loop: CountedLoop) -> Optional[str]:
    tokens = situation.unit.files[situation.kernel.path].tokens
    known = [integer_value(n, situation.data) for n in (loop.start, loop.bound) if n is not None]
    meets = lanes_meet(situation, loop)
    if all(value is not None for value in known) and len(known) == 2 and loop.step is not None:
        return "its number of iterations is known, the compiler unrolls it"
    if loop.parts.body.kind == "NullStmt":
        return "its body is empty"
    if has_hint(situation, loop):
        return "it has a hint of its own"
    if meets is not None:
        return meets
    if has_directive(loop.node.span, tokens):
        return "there are preprocessor lines in it"
    if len(loop.body.span.of(situation.data)) > _LONG_BODY:
        return "its body is long; what one iteration does hides what it waits for"
    if leaves_early(loop.body):
        return "break or continue leaves an iteration before its end"
    if uses_of(loop.variable, loop.body, tokens) is None:
        return f"{loop.variable} is used inside of a macro"
    return _why_no_lookahead(loop)


def lanes_meet(situation: Situation, loop: CountedLoop) -> Optional[str]:
    """Whether something in the loop depends on which other lanes are in it."""
    for node in (*loop.inside.barriers, *loop.inside.exchanges):
        return f"{node.name} in it has to be reached together"
    unknown = [n for n in loop.inside.unknown if n.kind == "CallExpr" and n.referent]
    files = situation.unit.files
    for call in unknown:
        if call.referent is None or call.referent.path not in files:
            return f"what {call.name} does is not known"
    if not unknown:
        return None
    bodies = [k.body for k in situation.unit.kernels if k.path == situation.kernel.path]
    for file in files.values():
        for token in file.tokens:
            inside = any(token.span.start in body for body in bodies)
            if kind_of(token.name, False) in (BARRIER, EXCHANGE) and not inside:
                return f"{unknown[0].name} may call {token.name}, which lanes reach together"
    return None


def _why_no_lookahead(loop: CountedLoop) -> Optional[str]:
    wanted = ("<", "<=") if loop.counts_up else (">", ">=")
    if loop.comparison == "!=":
        return "a condition with != cannot be asked some steps ahead"
    if loop.comparison not in wanted:
        return f"{loop.variable} counts away from its bound"
    bound = stripped(loop.bound)
    type_ = bound.type[len("const ") :] if bound.type.startswith("const ") else bound.type
    if type_ != loop.type and bound.kind != "IntegerLiteral" and _wider(loop.type) != type_:
        return f"{loop.variable} and its bound are of different types, {loop.type} and {type_}"
    if not loop.counts_up and loop.type.startswith("unsigned long"):
        return f"{loop.variable} counts down without a sign"
    if loop.step_node is not None and _step_type(loop) is None:
        return "the type of its step is not clear"
    return None


def _wider(type_: str) -> str:
    return {"long": "int", "long long": "int"}.get(type_, type_)


def _step_type(loop: CountedLoop) -> Optional[str]:
    if loop.step_node is None:
        return None
    inner = stripped(loop.step_node)
    if inner.type == "<pseudo-object type>":
        return "unsigned int"
    plain = inner.type[len("const ") :] if inner.type.startswith("const ") else inner.type
    return plain if plain in ("int", "unsigned int", "long", "unsigned long") else None


@dataclass(frozen=True)
class _Step:
    """How the variable moves: ``i + 2 * stride``."""

    sign: str
    amount: Optional[int]
    name: str  # of the step when it is no literal

    def after(self, count: int, is_64_bit: bool = True) -> str:
        wide = "" if is_64_bit else "LL"
        if self.amount is not None:
            return f"{self.sign} {count * self.amount}{wide}"
        return (
            f"{self.sign} {self.name}" if count == 1 else f"{self.sign} {count}{wide} * {self.name}"
        )


def _change(situation: Situation, loop: CountedLoop, factor: int) -> Change:
    indent = indent_of_lines(situation, loop)
    names = FreshNames(situation.unit)
    step, declared = _named_step(situation, loop, names)
    lines = [
        b"// " + _WORDS[factor] + b" iterations at a time: " + _benefit(situation, loop),
        *declared,
        *first_line(situation, loop),
        *_main_loop(situation, loop, factor, step, names, indent),
        going_on(situation, loop, indent),
    ]
    line = line_of(situation, loop.node)
    return Change(
        (in_place_of(situation, loop, lines),),
        f"unroll the loop at line {line} by {factor}",
        f"the loads of {factor} iterations are under way at a time instead of those of one",
    )


def _benefit(situation: Situation, loop: CountedLoop) -> bytes:
    inside = loop.inside
    meet = any(may_overlap(a, b, situation.kernel) for a in inside.loads for b in inside.stores)
    if not inside.loads or meet:
        return b"one test for all of them."
    return b"their loads do not wait for each other."


def _named_step(
    situation: Situation, loop: CountedLoop, names: FreshNames
) -> tuple[_Step, list[bytes]]:
    sign = "+" if loop.counts_up else "-"
    if loop.step is not None:
        return _Step(sign, abs(loop.step), ""), []
    assert loop.step_node is not None
    inner = stripped(loop.step_node)
    written = loop.step_node.span.of(situation.data).decode()
    if inner.kind in ("DeclRefExpr", "MemberRefExpr"):
        return _Step(sign, None, written), []
    name = names.new("stride")
    return _Step(sign, None, name), [f"const {_step_type(loop)} {name} = {written};".encode()]


def _main_loop(
    situation: Situation,
    loop: CountedLoop,
    factor: int,
    step: _Step,
    names: FreshNames,
    indent: bytes,
) -> list[bytes]:
    data = situation.data
    variable, deeper = loop.variable, indent_step(data, situation.kernel)
    ahead = step.after(factor - 1, loop.type not in ("int", "unsigned int"))
    bound = loop.bound.span.of(data).decode()
    lines = [
        f"for (; {variable} {ahead} {loop.comparison} {bound}; "
        f"{variable} {step.sign}= {step.after(factor)[2:]}) {{".encode()
    ]
    tokens = situation.unit.files[situation.kernel.path].tokens
    uses = uses_of(variable, loop.body, tokens) or []
    others = [names.new(f"{variable}{number}") for number in range(1, factor)] if uses else []
    if others:
        values = [
            f"{other} = {variable} {step.after(number)}" for number, other in enumerate(others, 1)
        ]
        head = f"const {_type_written(situation, loop)} "
        declared = _wrapped(head, values, len(indent + deeper))
        lines += [deeper + line for line in declared]
    for number in range(factor):
        name = others[number - 1] if others and number else variable
        changes = {use: name.encode() for use in uses}
        if number:
            changes.update(without_comments(data, loop.body.span, tokens))
        lines += _copy(situation, loop, changes, indent)
    return [*lines, b"}"]


def _type_written(situation: Situation, loop: CountedLoop) -> str:
    """As in the declaration: a reader expects size_t where it stands."""
    init = loop.parts.init
    if loop.declared_here and init is not None:
        tokens = situation.unit.files[situation.kernel.path].tokens
        inside = [t for t in tokens if t.span.start in init.span and not t.is_comment]
        before = [t.name for t in inside[: [t.name for t in inside].index(loop.variable)]]
        if all(before) and "auto" not in before:
            return " ".join(before)
    return loop.type


def _wrapped(head: str, values: list[str], depth: int) -> list[bytes]:
    """One declaration, broken where it would be longer than a line of 100 columns."""
    lines = [head]
    for number, value in enumerate(values):
        piece = value + (", " if number + 1 < len(values) else ";")
        if number and depth + len(lines[-1]) + len(piece) > 100:
            lines.append(" " * len(head))
        lines[-1] += piece
    return [line.rstrip().encode() for line in lines]


def _copy(
    situation: Situation, loop: CountedLoop, changes: dict[Span, bytes], indent: bytes
) -> list[bytes]:
    data, deeper = situation.data, indent_step(situation.data, situation.kernel)
    body = loop.body
    if body.kind != "CompoundStmt":
        span = Span(body.span.start, loop_span(situation, loop).end)
        text = replaced(data, span, changes)
        return [deeper + indented(text, indentation(data, body.span.start), indent + deeper)]
    text = replaced(data, Span(body.span.start + 1, body.span.end - 1), changes).strip()
    has_names = any(child.kind == "DeclStmt" for child in body.children)
    depth = deeper * 2 if has_names else deeper
    first = body.children[0].span.start
    inner = indented(text, indentation(data, first), indent + depth)
    if has_names:
        return [deeper + b"{", depth + inner, deeper + b"}"]
    return [deeper + inner]
