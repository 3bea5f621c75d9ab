"""What a loop adds to one place in memory is added up in a register and stored once.

``for (...) out[i] += value;`` reads and writes memory in every turn, ``atomicAdd(&out[i], value)``
makes every turn a trip to L2. The place is held in a variable while the loop runs: the same
additions in the same order. Right when

* the place does not change while the loop runs, and the loop comes to it in every turn (an atomic
  addition of integers may also be made in some turns only: zero is not added behind the loop);
* nothing else in the loop may touch the place: that follows from ``__restrict__``, types, or from
  the place being in LDS and the others not;
* the loop has no barriers, other atomics or jumps, so that no other thread can tell when it is
  written;
* a place that no turn would touch is not touched: the bounds are asked first, unless the statement
  before the loop sets the place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Optional, Union

from rocm_perf_lab.analysis.verdicts.rules import ATOMIC, LATENCY, LDS, MEMORY_BANDWIDTH
from rocm_perf_lab.optimize.rules.reading.aliasing import may_overlap
from rocm_perf_lab.optimize.rules.reading.invariance import meeting, why_it_varies
from rocm_perf_lab.optimize.rules.reading.loop_shape import CountedLoop, counted_loop
from rocm_perf_lab.optimize.rules.reading.place import cannot, line_of
from rocm_perf_lab.optimize.rules.reading.purity import Access, arguments, effects_of, root_of
from rocm_perf_lab.optimize.rules.reading.shared_arrays import BYTES
from rocm_perf_lab.optimize.rules.reading.syntax import (
    parents,
    same_words,
    statement_span,
    statements,
    stripped,
)
from rocm_perf_lab.optimize.rules.rule import CannotChange, Change, Edit, Situation
from rocm_perf_lab.optimize.rules.writing.formatting import (
    block,
    indent_step,
    indentation,
    indented,
    starts_its_line,
)
from rocm_perf_lab.optimize.rules.writing.fresh_names import FreshNames
from rocm_perf_lab.optimize.source.model import Node, Span

_COMMENT = b"// The sum stays in a register: memory is touched once, not in every turn."
_PLACES = ("ArraySubscriptExpr", "UnaryOperator")
_STATEMENTS = frozenset({"CompoundStmt", "ForStmt", "IfStmt"})


@dataclass(frozen=True)
class _Update:
    node: Node  # out[i] += value, or the atomic addition
    place: Node  # out[i]
    value: Optional[Node]  # what an atomic adds; None for an assignment

    @property
    def is_atomic(self) -> bool:
        return self.value is not None


class RegisterAccumulation:
    name = "register-accumulation"
    helps = (ATOMIC, LATENCY, LDS, MEMORY_BANDWIDTH)

    def look(self, situation: Situation) -> Iterable[Union[Change, CannotChange]]:
        for node in situation.kernel.loops():
            loop = counted_loop(situation, node)
            if isinstance(loop, CannotChange):
                continue
            for update in _updates(loop):
                if _varies(situation, loop, update):
                    continue
                why = _why_not(situation, loop, update)
                yield (
                    cannot(situation, update.node, why) if why else _change(situation, loop, update)
                )


def _updates(loop: CountedLoop) -> Iterable[_Update]:
    for node in loop.body.walk():
        if node.kind == "CompoundAssignOperator":
            place = stripped(node.children[0])
            if place.kind in _PLACES:
                yield _Update(node, place, None)
        elif node.kind == "CallExpr" and node.name == "atomicAdd":
            given = arguments(node)
            target = stripped(given[0])
            if len(given) == 2 and target.operator == "&":
                yield _Update(node, stripped(target.children[0]), given[1])


def _varies(situation: Situation, loop: CountedLoop, update: _Update) -> bool:
    """The place is another one in each turn: there is nothing to collect."""
    changing = {loop.variable, *loop.inside.writes}
    return bool(effects_of([update.place], situation.unit).reads & changing)


def _why_not(situation: Situation, loop: CountedLoop, update: _Update) -> Optional[str]:
    inside, tokens = loop.inside, situation.unit.files[situation.kernel.path].tokens
    if update.place.type not in BYTES or not _indices_hold(situation, loop, update):
        return "whether its place stays the same is not clear"
    if update.is_atomic and update.place.type in ("float", "double"):
        return f"sums of {update.place.type} depend on their order"
    others = [n for n in inside.fixed if n is not update.node]
    if others or inside.jumps:
        return "the loop waits, leaves early, or does what is not known"
    above = parents(situation.kernel.tree)
    if update.is_atomic and above[id(update.node)].kind not in _STATEMENTS:
        return "the result of the addition is used"
    if not update.is_atomic and not any(n is update.node for n in statements(loop.body)):
        return "it is not reached in every turn"
    place = Access(update.place, root_of(update.place), is_store=True)
    for access in [*inside.loads, *inside.stores]:
        is_itself = access.node is update.place
        if not is_itself and same_words(access.node, update.place, tokens):
            return "the place is used twice in the loop"
        if not is_itself and may_overlap(place, access, situation.kernel):
            return meeting(access, place)
    return None if loop.comparison == "<" and loop.counts_up else "the loop does not count up"


def _indices_hold(situation: Situation, loop: CountedLoop, update: _Update) -> bool:
    inner = [child for child in update.place.children if child.children or child.referent]
    return why_it_varies(inner, loop.inside, situation, [loop.variable]) is None or (
        update.is_atomic and not effects_of(inner, situation.unit).loads
    )


def _change(situation: Situation, loop: CountedLoop, update: _Update) -> Change:
    data, total = situation.data, FreshNames(situation.unit).new("total")
    tokens = situation.unit.files[situation.kernel.path].tokens
    span = statement_span(loop.node, tokens)
    indent, step = indentation(data, span.start), indent_step(data, situation.kernel)
    place = update.place.span.of(data).decode()
    kind = update.place.type
    before = None if update.is_atomic else _set_before(situation, loop, update)
    if update.is_atomic:
        first = f"{kind} {total} = 0;"
        last = f"if ({total} != 0) atomicAdd(&{place}, {total});"
    else:
        set_to = place if before is None else before.children[1].span.of(data).decode()
        first, last = f"{kind} {total} = {set_to};", f"{place} = {total};"
    needs_block = _parent(situation, loop).kind != "CompoundStmt"
    asks = before is None and not update.is_atomic
    inner = indent + step if asks or needs_block else indent
    middle = indented(_collecting(data, span, update, total), indent, inner)
    lines = block([first.encode()], inner) + b"\n" + inner + middle
    lines += b"\n" + block([last.encode()], inner)
    if asks or needs_block:
        head = _asked(loop, data) if asks else b""
        lines = indent + head + b"{\n" + lines + b"\n" + indent + b"}"
    start = span.start if before is None else before.span.start
    lead = indent + _COMMENT + b"\n"
    if not starts_its_line(data, start):
        lead = b"\n" + lead
    text = (lead + lines) if lead.startswith(b"\n") else (lead + lines)[len(indent) :]
    return Change(
        (Edit(Span(start, span.end), text),),
        f"add up in a register in the loop at line {line_of(situation, loop.node)}",
        f"every turn of the loop goes to {place} in memory",
    )


def _asked(loop: CountedLoop, data: bytes) -> bytes:
    """As the loop compares: what it starts with becomes a value of its variable's type first."""
    start = loop.variable.encode()
    if loop.start is not None:
        start = loop.start.span.of(data)
        if stripped(loop.start).type.replace("const ", "") != loop.type:
            start = b"(" + loop.type.encode() + b")(" + start + b")"
    return b"if (" + start + b" < " + loop.bound.span.of(data) + b") "


def _parent(situation: Situation, loop: CountedLoop) -> Node:
    return parents(situation.kernel.tree)[id(loop.node)]


def _set_before(situation: Situation, loop: CountedLoop, update: _Update) -> Optional[Node]:
    """``out[i] = value;`` right before the loop."""
    tokens = situation.unit.files[situation.kernel.path].tokens
    around: Sequence[Node] = _parent(situation, loop).children
    index = next(i for i, node in enumerate(around) if node is loop.node)
    before = around[index - 1] if index else None
    if before is None or before.kind != "BinaryOperator" or before.operator != "=":
        return None
    is_same = same_words(before.children[0], update.place, tokens)
    loop_reads = effects_of([n for n in (loop.start, loop.bound) if n], situation.unit).loads
    return before if is_same and not loop_reads and not before.in_macro else None


def _collecting(data: bytes, span: Span, update: _Update, total: str) -> bytes:
    """The loop with the variable in place of memory."""
    if update.value is not None:
        added = f"{total} += ".encode() + update.value.span.of(data)
        place = update.node.span
    else:
        added, place = total.encode(), update.node.children[0].span
    return data[span.start : place.start] + added + data[place.end : span.end]
