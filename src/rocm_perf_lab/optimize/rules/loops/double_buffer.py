"""What the next iteration reads is under way while this one works: rotating registers.

A loop that reads, waits and works, as one that fills a tile in LDS, keeps memory idle while it
works. Here each iteration takes what the one before it has read, and reads for the next one first.
It is for loops that ``unroll`` leaves alone: with barriers, loops inside, a long body. Right when

* what is read depends on the counter and on values that do not change, and the next iteration reads
  it in any case: whether there is a next one is asked as the loop itself asks;
* no store of the loop reaches it; around a barrier other threads are waited for, so that no store
  in front of the loop may reach it either. Stores behind the loop come later than before at most;
* nothing leaves the loop in the middle, and nothing in it is unknown or atomic.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Optional, Union

from rocm_perf_lab.analysis.verdicts.rules import LATENCY, MEMORY_BANDWIDTH, UNDER_OCCUPIED
from rocm_perf_lab.optimize.rules.loops.unroll import why_not_unrolled
from rocm_perf_lab.optimize.rules.reading.aliasing import GLOBAL, PARAMETER, may_overlap, storage_of
from rocm_perf_lab.optimize.rules.reading.invariance import meeting
from rocm_perf_lab.optimize.rules.reading.linear import mentions
from rocm_perf_lab.optimize.rules.reading.loop_shape import CountedLoop, counted_loop
from rocm_perf_lab.optimize.rules.reading.place import cannot, line_of
from rocm_perf_lab.optimize.rules.reading.purity import Access, effects_of, root_of
from rocm_perf_lab.optimize.rules.reading.shared_arrays import BYTES
from rocm_perf_lab.optimize.rules.reading.syntax import ancestors, parents, statements, stripped
from rocm_perf_lab.optimize.rules.rule import CannotChange, Change, Situation
from rocm_perf_lab.optimize.rules.writing.copies import replaced, uses_of
from rocm_perf_lab.optimize.rules.writing.formatting import indent_step, indentation
from rocm_perf_lab.optimize.rules.writing.fresh_names import FreshNames
from rocm_perf_lab.optimize.rules.writing.loop_text import (
    first_line,
    goes_on,
    going_on,
    has_hint,
    in_place_of,
    indent_of_lines,
)
from rocm_perf_lab.optimize.rules.writing.rounds import named_step, step_type
from rocm_perf_lab.optimize.source.model import LOOPS, Node, Span

_COMMENT = b"// Each turn works on what the one before has read, and reads for the next one first."
_MAX_READS = 8
_MAYBE = frozenset({"IfStmt", "SwitchStmt", "LambdaExpr", *LOOPS})


@dataclass(frozen=True)
class _Names:
    current: str
    next: str


class DoubleBuffer:
    name = "double-buffer"
    helps = (LATENCY, MEMORY_BANDWIDTH, UNDER_OCCUPIED)

    def look(self, situation: Situation) -> Iterator[Union[Change, CannotChange]]:
        for node in situation.kernel.loops():
            loop = counted_loop(situation, node)
            if isinstance(loop, CannotChange) or goes_on(situation, node):
                continue
            has_loops = any(inner.kind in LOOPS for inner in loop.body.walk())
            if not has_loops and why_not_unrolled(situation, loop) is None:
                continue  # unrolling brings several iterations together
            reads = _reads(situation, loop)
            if not reads or loop.body.kind != "CompoundStmt":
                continue
            why = _why_not(situation, loop, reads)
            yield cannot(situation, node, why) if why else _change(situation, loop, reads)


def _reads(situation: Situation, loop: CountedLoop) -> list[Node]:
    """What every iteration reads of global memory, as values that move with the counter."""
    found = []
    for statement in statements(loop.body):
        for value in _values(statement):
            loads = effects_of([value], situation.unit).loads
            kinds = {storage_of(load.root, situation.kernel).kind for load in loads}
            if kinds and kinds <= {PARAMETER, GLOBAL} and mentions(value, loop.variable):
                found.append(value)
    return found


def _values(node: Node, is_target: bool = False) -> Iterator[Node]:
    """Elements and choices among them, as far as they are evaluated in any case."""
    inner = stripped(node)
    if inner.kind in _MAYBE:
        return
    is_element = inner.kind == "ArraySubscriptExpr" and not inner.type.endswith("]")
    if not is_target and (is_element or inner.kind == "ConditionalOperator"):
        yield inner
        return
    is_write = inner.kind == "CompoundAssignOperator" or inner.operator in ("=", "++", "--", "&")
    for number, child in enumerate(inner.children):
        if not (inner.operator in ("&&", "||") and number):
            yield from _values(child, number == 0 and is_write)


def _why_not(situation: Situation, loop: CountedLoop, reads: Sequence[Node]) -> Optional[str]:
    inside, tokens = loop.inside, situation.unit.files[situation.kernel.path].tokens
    if inside.jumps:
        return "the loop is left in the middle"
    if inside.atomics or inside.unknown:
        return "something in the loop is atomic, or it is not known what it does"
    if has_hint(situation, loop):
        return "it has a hint of its own"
    if loop.step_node is not None and loop.step is None and step_type(loop) is None:
        return "the type of its step is not clear"
    if len(reads) > _MAX_READS:
        return "it reads too much to keep all of it for the next turn"
    for value in reads:
        used = effects_of([value], situation.unit)
        moved = sorted(used.reads & (inside.writes - {loop.variable}))
        if moved or not used.is_value:
            return f"what it reads depends on {moved[0] if moved else 'more than values'}"
        if value.type.replace("const ", "") not in BYTES:
            return f"values of type {value.type} are not kept in registers"
        if value.in_macro or uses_of(loop.variable, value, tokens) is None:
            return "what it reads is written by a macro"
        for load in used.loads:
            for store in _stores(situation, loop):
                if may_overlap(load, store, situation.kernel):
                    return meeting(load, store)
    return None


def _stores(situation: Situation, loop: CountedLoop) -> list[Access]:
    """Those that other threads may wait for in the loop: its own, and with barriers all in front
    of it; of a loop around it, all."""
    if not loop.inside.barriers:
        return loop.inside.stores
    around = [n for n in ancestors(loop.node, parents(situation.kernel.tree)) if n.kind in LOOPS]
    end = around[-1].span.end if around else loop.node.span.end
    everything = effects_of([situation.kernel.tree], situation.unit)
    return [store for store in everything.stores if store.node.span.start < end]


def _change(situation: Situation, loop: CountedLoop, reads: Sequence[Node]) -> Change:
    data, names = situation.data, FreshNames(situation.unit)
    indent = indent_of_lines(situation, loop)
    step = indent_step(data, situation.kernel)
    stride, declared = named_step(situation, loop, names)
    ahead = names.new("ahead")
    kept = [_named(value, names) for value in reads]
    both = list(zip(reads, kept))
    bound = loop.bound.span.of(data).decode()
    inner = indentation(data, loop.node.span.start) + step
    top = [
        *(
            f"const {_type(value)} {name.current} = {name.next};"
            for value, name in zip(reads, kept)
        ),
        f"const {loop.type} {ahead} = {loop.variable} {stride.after(1)};",
        *_reading(situation, loop, reads, kept, ahead, bound, step.decode()),
    ]
    changes = {value.span: name.current.encode() for value, name in both}
    place = loop.body.span.start + 1
    changes[Span(place, place)] = b"".join(b"\n" + inner + line.encode() for line in top)
    first = _reading(situation, loop, reads, kept, loop.variable, bound, step.decode())
    lines = [
        _COMMENT,
        *declared,
        *first_line(situation, loop),
        *(f"{_type(value)} {name.next} = 0;".encode() for value, name in both),
        *(line.encode() for line in first),
        going_on(situation, loop, indent, changes),
    ]
    line = line_of(situation, loop.node)
    return Change(
        (in_place_of(situation, loop, lines),),
        f"read for the next turn of the loop at line {line} before this one works",
        "memory is idle while a turn of the loop works on what it has read",
    )


def _named(value: Node, names: FreshNames) -> _Names:
    loads = [n for n in value.walk() if n.kind == "ArraySubscriptExpr"]
    root = root_of(loads[0]) or "value"
    return _Names(names.new(f"{root}_now"), names.new(f"{root}_next"))


def _type(value: Node) -> str:
    return value.type.replace("const ", "")


def _reading(
    situation: Situation,
    loop: CountedLoop,
    reads: Sequence[Node],
    kept: Sequence[_Names],
    counter: str,
    bound: str,
    step: str,
) -> list[str]:
    """What the turn of ``counter`` reads, when there is one."""
    tokens = situation.unit.files[situation.kernel.path].tokens
    lines = []
    for value, name in zip(reads, kept):
        uses = uses_of(loop.variable, value, tokens) or []
        text = replaced(situation.data, value.span, dict.fromkeys(uses, counter.encode()))
        lines.append(f"{step}{name.next} = {' '.join(text.decode().split())};")
    return [f"if ({counter} {loop.comparison} {bound}) {{", *lines, "}"]
