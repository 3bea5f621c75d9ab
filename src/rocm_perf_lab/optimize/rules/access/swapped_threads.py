"""Threads of a block change places, so that neighbours read and write neighbouring addresses.

A kernel in which threads neither wait for each other nor exchange anything does the same whichever
thread of a block does which part of it: ``threadIdx.x`` and ``threadIdx.y`` may be any pair of
numbers, when every thread of the block gets another one. Where ``threadIdx.y`` counts neighbouring
addresses and ``threadIdx.x`` far ones, they are taken from the thread's place in the block the
other way round. That holds for blocks of every shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Optional, Union

from rocm_perf_lab.analysis.verdicts.rules import LATENCY, MEMORY_BANDWIDTH
from rocm_perf_lab.optimize.rules.reading.affine import (
    ONE,
    THREAD_X,
    THREAD_Y,
    Indices,
    built_in,
    coefficient,
)
from rocm_perf_lab.optimize.rules.reading.place import cannot
from rocm_perf_lab.optimize.rules.reading.purity import Access, effects_of, why_fixed
from rocm_perf_lab.optimize.rules.reading.shared_arrays import shared_arrays
from rocm_perf_lab.optimize.rules.reading.syntax import ancestors, parents
from rocm_perf_lab.optimize.rules.rule import CannotChange, Change, Edit, Situation
from rocm_perf_lab.optimize.rules.writing.formatting import indentation, line_start, starts_its_line
from rocm_perf_lab.optimize.rules.writing.fresh_names import FreshNames
from rocm_perf_lab.optimize.source.model import Node, Span

_COMMENT = b"// Neighbouring threads take neighbouring addresses: a wave uses whole cache lines."


class SwappedThreads:
    name = "swapped-threads"
    helps = (MEMORY_BANDWIDTH, LATENCY)

    def look(self, situation: Situation) -> Iterable[Union[Change, CannotChange]]:
        tree, data = situation.kernel.tree, situation.data
        effects = effects_of([tree], situation.unit)
        scattered = _scattered([*effects.loads, *effects.stores], Indices(situation))
        if scattered is None:
            return
        fixed = why_fixed(effects, situation.unit)
        if fixed is not None:
            yield cannot(situation, fixed[0], f"threads cannot change places: {fixed[1]}")
            return
        if any(True for _ in shared_arrays(situation)):
            yield cannot(situation, tree, "threads cannot change places: they share LDS")
            return
        uses = list(_uses(tree, data))
        if any(node.in_macro for node, _ in uses):
            yield cannot(situation, scattered, "threadIdx is used by a macro")
            return
        yield _change(situation, uses, scattered)


def _scattered(accesses: Iterable[Access], indices: Indices) -> Optional[Node]:
    """The first access that swapping improves, if it improves more accesses than it degrades."""
    first, gained, lost = None, 0, 0
    for access in accesses:
        index = access.node.children[-1] if access.node.kind == "ArraySubscriptExpr" else None
        polynomial = indices.polynomial(index) if index is not None else None
        if polynomial is None:
            continue
        x, y = coefficient(polynomial, THREAD_X), coefficient(polynomial, THREAD_Y)
        if x == {ONE: 1} and y != {ONE: 1}:
            lost += 1
        elif y == {ONE: 1} and x != {ONE: 1}:
            gained += 1
            first = first or access.node
    return first if gained > lost else None


def _uses(tree: Node, data: bytes) -> Iterator[tuple[Node, str]]:
    for node in tree.walk():
        name = built_in(node, data) if node.kind == "MemberRefExpr" else None
        if name in (THREAD_X, THREAD_Y):
            yield node, name


def _change(situation: Situation, uses: list[tuple[Node, str]], scattered: Node) -> Change:
    above, names = parents(situation.kernel.tree), FreshNames(situation.unit)
    place = names.new("place")
    texts = {THREAD_X: f"{place} / blockDim.y", THREAD_Y: f"{place} % blockDim.y"}
    edits = [_insertion(situation, uses[0][0], place)]
    for node, name in uses:
        outer = next((n for n in ancestors(node, above) if n.kind != "UnexposedExpr"), None)
        text = texts[name] if _is_summand(node, outer) else f"({texts[name]})"
        edits.append(Edit(node.span, text.encode()))
    array = situation.data[scattered.span.start : scattered.span.end].split(b"[")[0].decode()
    return Change(
        tuple(edits),
        f"swap threadIdx.x and threadIdx.y in {situation.kernel.name}",
        f"threadIdx.y counts neighbouring elements of {array}, but neighbouring lanes differ in "
        "threadIdx.x",
    )


def _is_summand(node: Node, outer: Optional[Node]) -> bool:
    """It needs no parentheses: the right side of a sum, or a value of its own."""
    if outer is None or outer.kind in ("VarDecl", "ParenExpr"):
        return True
    is_sum = outer.kind == "BinaryOperator" and outer.operator == "+"
    return is_sum and node.span.end == outer.span.end


def _insertion(situation: Situation, first: Node, place: str) -> Edit:
    """In front of the statement of the body that uses a thread's index first."""
    data = situation.data
    statement = next(s for s in situation.kernel.tree.children if first.span.start in s.span)
    start = statement.span.start
    declared = f"const unsigned int {place} = threadIdx.y * blockDim.x + threadIdx.x;".encode()
    indent = indentation(data, start)
    if starts_its_line(data, start):
        at = line_start(data, start)
        return Edit(Span(at, at), indent + _COMMENT + b"\n" + indent + declared + b"\n")
    return Edit(Span(start, start), declared + b" ")
