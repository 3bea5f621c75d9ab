"""What several iterations need is read before the first of them writes.

Unrolling alone does not bring the loads of a round together where a store stands between them that
might change what is read next. Here they are read first, by name. That is right when no store of
the loop reaches what the loop reads: the code asks at run time, and the original loop stands in.
Where the source excludes it already, plain unrolling does the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Union

from rocm_perf_lab.analysis.verdicts.rules import LATENCY, MEMORY_BANDWIDTH, UNDER_OCCUPIED
from rocm_perf_lab.optimize.rules.loops.unroll import COUNT_WORDS, why_not_unrolled
from rocm_perf_lab.optimize.rules.reading.evaluated import always_evaluated, grouped
from rocm_perf_lab.optimize.rules.reading.invariance import meeting, overlapping_pairs
from rocm_perf_lab.optimize.rules.reading.linear import mentions
from rocm_perf_lab.optimize.rules.reading.loop_shape import CountedLoop, counted_loop
from rocm_perf_lab.optimize.rules.reading.place import cannot, line_of
from rocm_perf_lab.optimize.rules.reading.purity import effects_of, why_fixed
from rocm_perf_lab.optimize.rules.rule import CannotChange, Change, Situation
from rocm_perf_lab.optimize.rules.writing.apart import Questions, can_be_asked, distinct
from rocm_perf_lab.optimize.rules.writing.fresh_names import FreshNames
from rocm_perf_lab.optimize.rules.writing.loop_text import (
    first_line,
    goes_on,
    going_on,
    in_place_of,
    indent_of_lines,
)
from rocm_perf_lab.optimize.rules.writing.rounds import Groups, named_step, round_lines
from rocm_perf_lab.optimize.source.model import LOOPS, Node

FACTORS = (4, 8)
_MAX_READS, _MAX_QUESTIONS = 8, 4


class Prefetch:
    name = "prefetch"
    helps = (LATENCY, UNDER_OCCUPIED, MEMORY_BANDWIDTH)

    def look(self, situation: Situation) -> Iterator[Union[Change, CannotChange]]:
        for node in situation.kernel.loops():
            if any(inner.kind in LOOPS for inner in node.walk() if inner is not node):
                continue
            loop = counted_loop(situation, node)
            if isinstance(loop, CountedLoop) and not goes_on(situation, node):
                yield from _look_at(situation, loop)


def _look_at(situation: Situation, loop: CountedLoop) -> Iterator[Union[Change, CannotChange]]:
    tokens = situation.unit.files[situation.kernel.path].tokens
    reads = [node for node in always_evaluated(loop.body) if _is_read(loop, node)]
    pairs = overlapping_pairs(reads, loop.inside, situation)
    if not reads or not pairs:
        return  # plain unrolling does the same
    fixed = why_fixed(loop.inside, situation.unit)
    why = fixed[1] if fixed else why_not_unrolled(situation, loop)
    if why is not None:
        yield cannot(situation, loop.node, f"its reads cannot be brought together: {why}")
        return
    for node in reads:
        used = effects_of(node.children, situation.unit)
        if used.loads or used.reads & (loop.inside.writes - {loop.variable}):
            yield cannot(situation, node, "its index is computed or read in the loop")
            return
    hidden = [pair for pair in pairs if not can_be_asked(situation, loop, pair)]
    groups = grouped(reads, tokens)
    if hidden:
        yield cannot(situation, hidden[0][0].node, meeting(*hidden[0]))
    elif len(groups) > _MAX_READS or len(distinct(pairs, tokens)) > _MAX_QUESTIONS:
        yield cannot(situation, loop.node, "it reads or asks too much to do so for each round")
    else:
        for factor in FACTORS:
            yield _change(situation, loop, groups, factor)


def _is_read(loop: CountedLoop, node: Node) -> bool:
    is_element = node.kind == "ArraySubscriptExpr" and not node.type.endswith("]")
    return is_element and not node.in_macro and mentions(node, loop.variable)


def _change(situation: Situation, loop: CountedLoop, reads: Groups, factor: int) -> Change:
    tokens = situation.unit.files[situation.kernel.path].tokens
    names = FreshNames(situation.unit)
    step, declared = named_step(situation, loop, names)
    questions = Questions(situation, loop, names)
    all_reads = [node for group in reads for node in group]
    pairs = distinct(overlapping_pairs(all_reads, loop.inside, situation), tokens)
    apart = names.new("apart")
    asked = [questions.about(pair) for pair in pairs]
    start = b"const bool %s = " % apart.encode()
    gap = b" &&\n" + indent_of_lines(situation, loop) + b" " * len(start)
    text = asked[0][1:-1] if len(asked) == 1 else gap.join(asked)
    lines = [
        b"// %s iterations at a time, all that they need is read first." % COUNT_WORDS[factor],
        *declared,
        *first_line(situation, loop),
        *questions.lines,
        start + text + b";",
        *round_lines(situation, loop, factor, step, names, f"{apart} && ", reads),
        going_on(situation, loop, indent_of_lines(situation, loop)),
    ]
    line = line_of(situation, loop.node)
    return Change(
        (in_place_of(situation, loop, lines),),
        f"read what {factor} iterations of the loop at line {line} need first",
        f"{factor} loads are under way at a time instead of one between two stores",
    )
