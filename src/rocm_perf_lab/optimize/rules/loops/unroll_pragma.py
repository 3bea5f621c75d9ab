"""Telling the compiler how far to unroll: a hint never changes what a loop computes.

A hint with a number replaces the compiler's own choice, in both directions: it unrolls a loop that
the compiler would leave as it is, and it limits one that the compiler would unroll further, or
completely. Source text does not say which of the two it is, so that no text here does.

The compiler keeps every test of a loop whose number of iterations it does not know, so that the
hint gains less there than unrolling by hand: it is for loops that ``unroll`` leaves alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Union

from rocm_perf_lab.analysis.verdicts.rules import COMPUTE, LATENCY, UNDER_OCCUPIED
from rocm_perf_lab.optimize.rules.loops.unroll import why_not_unrolled
from rocm_perf_lab.optimize.rules.reading.loop_shape import CountedLoop, counted_loop
from rocm_perf_lab.optimize.rules.reading.place import cannot, line_of
from rocm_perf_lab.optimize.rules.reading.syntax import parents
from rocm_perf_lab.optimize.rules.rule import CannotChange, Change, Edit, Situation
from rocm_perf_lab.optimize.rules.writing.formatting import indentation, line_start, starts_its_line
from rocm_perf_lab.optimize.rules.writing.loop_text import goes_on
from rocm_perf_lab.optimize.source.model import LOOPS, Span

FACTORS = (4, 8, 2)


class UnrollPragma:
    name = "unroll-pragma"
    helps = (LATENCY, UNDER_OCCUPIED, COMPUTE)

    def look(self, situation: Situation) -> Iterator[Union[Change, CannotChange]]:
        above = parents(situation.kernel.tree)
        for node in situation.kernel.loops():
            if any(inner.kind in LOOPS for inner in node.walk() if inner is not node):
                continue
            loop = counted_loop(situation, node)
            if goes_on(situation, node):
                continue
            if isinstance(loop, CountedLoop) and why_not_unrolled(situation, loop) is None:
                continue  # by hand it gains more
            if above[id(node)].kind == "UnexposedStmt":
                yield cannot(situation, node, "it has a hint of its own")
            elif node.in_macro or not starts_its_line(situation.data, node.span.start):
                yield cannot(situation, node, "a hint needs a line of its own in front of it")
            else:
                for factor in FACTORS:
                    yield self._change(situation, node.span.start, line_of(situation, node), factor)

    def _change(self, situation: Situation, offset: int, line: int, factor: int) -> Change:
        start = line_start(situation.data, offset)
        hint = indentation(situation.data, offset) + b"#pragma unroll %d\n" % factor
        return Change(
            (Edit(Span(start, start), hint),),
            f"hint: {factor} copies of the body of the loop at line {line} (unroll {factor})",
            f"the compiler makes {factor} copies of the body instead of as many as it would choose:"
            " if that is more than its choice, it may overlap iterations; if it is fewer, the hint"
            " limits unrolling and saves code and registers",
        )
