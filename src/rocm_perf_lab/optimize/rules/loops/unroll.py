"""Unrolling by hand: several iterations in one round, and a second loop for what is left.

Right for every loop that counts: the iterations keep their order, so nothing is summed in another
one. What can be distinguished are lanes that leave the loop at different times, so a loop in which
lanes meet is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Optional, Union

from rocm_perf_lab.analysis.verdicts.rules import LATENCY, MEMORY_BANDWIDTH, UNDER_OCCUPIED
from rocm_perf_lab.optimize.rules.reading.aliasing import may_overlap
from rocm_perf_lab.optimize.rules.reading.known_functions import BARRIER, EXCHANGE, kind_of
from rocm_perf_lab.optimize.rules.reading.loop_shape import CountedLoop, counted_loop
from rocm_perf_lab.optimize.rules.reading.place import cannot, line_of
from rocm_perf_lab.optimize.rules.reading.syntax import integer_value, stripped, words
from rocm_perf_lab.optimize.rules.rule import CannotChange, Change, Situation
from rocm_perf_lab.optimize.rules.writing.copies import (
    has_directive,
    uses_of,
)
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
from rocm_perf_lab.optimize.rules.writing.rounds import named_step, round_lines, step_type
from rocm_perf_lab.optimize.source.model import LOOPS

FACTORS = (4, 8, 2)
COUNT_WORDS = {2: b"Two", 4: b"Four", 8: b"Eight"}
_LONG_BODY = 600  # bytes without comments; a longer one has enough to do in one iteration


class Unroll:
    name = "unroll"
    helps = (LATENCY, UNDER_OCCUPIED, MEMORY_BANDWIDTH)

    def look(self, situation: Situation) -> Iterator[Union[Change, CannotChange]]:
        for node in situation.kernel.loops():
            if any(inner.kind in LOOPS for inner in node.walk() if inner is not node):
                continue  # the innermost loop is the one that waits
            if goes_on(situation, node):
                continue  # it is done already
            loop = counted_loop(situation, node)
            if isinstance(loop, CannotChange):
                yield loop
                continue
            why = why_not_unrolled(situation, loop)
            if why is not None:
                yield cannot(situation, node, why)
                continue
            # A store between the loads keeps them apart, however often the body is written.
            factors = FACTORS[:1] if _loads_wait(situation, loop) else FACTORS
            for factor in factors:
                yield _change(situation, loop, factor)


def why_not_unrolled(situation: Situation, loop: CountedLoop) -> Optional[str]:
    tokens = situation.unit.files[situation.kernel.path].tokens
    known = [integer_value(n, situation.data) for n in (loop.start, loop.bound) if n is not None]
    meets = lanes_meet(situation, loop)
    if all(value is not None for value in known) and len(known) == 2 and loop.step is not None:
        return "its number of iterations is known, the compiler unrolls it"
    if loop.body.kind == "NullStmt" or not loop.body.children:
        return "its body is empty"
    if has_hint(situation, loop):
        return "it has a hint of its own"
    if meets is not None:
        return meets
    if has_directive(loop.node.span, tokens):
        return "there are preprocessor lines in it"
    if sum(len(word) + 1 for word in words(loop.body.span, tokens)) > _LONG_BODY:
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
    if loop.step_node is not None and step_type(loop) is None:
        return "the type of its step is not clear"
    return None


def _wider(type_: str) -> str:
    return {"long": "int", "long long": "int"}.get(type_, type_)


def _change(situation: Situation, loop: CountedLoop, factor: int) -> Change:
    indent = indent_of_lines(situation, loop)
    names = FreshNames(situation.unit)
    step, declared = named_step(situation, loop, names)
    lines = [
        b"// " + COUNT_WORDS[factor] + b" iterations at a time: " + _benefit(situation, loop),
        *declared,
        *first_line(situation, loop),
        *round_lines(situation, loop, factor, step, names),
        going_on(situation, loop, indent),
    ]
    line = line_of(situation, loop.node)
    return Change(
        (in_place_of(situation, loop, lines),),
        f"unroll the loop at line {line} by {factor}",
        f"the loads of {factor} iterations are under way at a time instead of those of one",
    )


def _loads_wait(situation: Situation, loop: CountedLoop) -> bool:
    """For a store in front of them, which may change what they read."""
    inside = loop.inside
    return any(may_overlap(a, b, situation.kernel) for a in inside.loads for b in inside.stores)


def _benefit(situation: Situation, loop: CountedLoop) -> bytes:
    if not loop.inside.loads or _loads_wait(situation, loop):
        return b"one test for all of them."
    return b"their loads do not wait for each other."
