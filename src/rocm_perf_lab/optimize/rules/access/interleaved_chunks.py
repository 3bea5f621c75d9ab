"""Threads that each work through a stretch of neighbouring elements take every n-th one instead.

``for (i = 0; i < P; ++i)`` over element ``thread * P + i`` becomes the same loop over element
``thread + i * threads``: the threads of the grid together visit the same elements, each once, and
the lanes of a wave stand side by side. Right when

* the loop's body depends on the thread and on ``i`` through that element alone, carries nothing
  from one turn to the next, and nothing but the loop writes memory;
* each element is stored to by its own turn only, and what it reads, other turns do not write: that
  follows from types or ``__restrict__``, or the arrays are compared where the kernel starts, and
  the old order is kept when they overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Optional, Union

from rocm_perf_lab.analysis.verdicts.rules import LATENCY, MEMORY_BANDWIDTH
from rocm_perf_lab.optimize.rules.reading.affine import Indices, Polynomial
from rocm_perf_lab.optimize.rules.reading.aliasing import PARAMETER, may_overlap, storage_of
from rocm_perf_lab.optimize.rules.reading.loop_shape import CountedLoop, counted_loop
from rocm_perf_lab.optimize.rules.reading.place import cannot, line_of
from rocm_perf_lab.optimize.rules.reading.purity import Access, effects_of, why_fixed
from rocm_perf_lab.optimize.rules.reading.syntax import integer_value, stripped, variable_named
from rocm_perf_lab.optimize.rules.reading.uniformity import why_not_uniform
from rocm_perf_lab.optimize.rules.rule import CannotChange, Change, Edit, Situation
from rocm_perf_lab.optimize.rules.writing.formatting import (
    block,
    indentation,
    line_start,
    starts_its_line,
)
from rocm_perf_lab.optimize.rules.writing.fresh_names import FreshNames
from rocm_perf_lab.optimize.source.model import Node, Span

_THREAD: Polynomial = {("blockDim.x", "blockIdx.x"): 1, ("threadIdx.x",): 1}
_COMMENT = b"// Neighbouring threads take neighbouring elements: a wave uses whole cache lines."


@dataclass(frozen=True)
class _Chunk:
    """A loop over the elements of one thread."""

    loop: CountedLoop
    elements: tuple[Node, ...]  # expressions that are the number of the element
    begin: Optional[Node]  # the variable that holds the first one, when nothing else uses it


class InterleavedChunks:
    name = "interleaved-chunks"
    helps = (MEMORY_BANDWIDTH, LATENCY)

    def look(self, situation: Situation) -> Iterable[Union[Change, CannotChange]]:
        indices = Indices(situation)
        for node in situation.kernel.loops():
            loop = counted_loop(situation, node)
            if isinstance(loop, CannotChange):
                continue
            elements = tuple(_elements(loop, indices))
            if elements:
                yield self._answer(situation, loop, elements, indices)

    def _answer(
        self, situation: Situation, loop: CountedLoop, elements: tuple[Node, ...], indices: Indices
    ) -> Union[Change, CannotChange]:
        why = _why_not(situation, loop, elements, indices)
        if why is not None:
            return cannot(situation, loop.node, why)
        compared = _compared(situation, loop, indices)
        if isinstance(compared, str):
            return cannot(situation, loop.node, compared)
        begin = _begin(situation, loop, elements, indices)
        return _change(situation, _Chunk(loop, elements, begin), indices, compared)


def _elements(loop: CountedLoop, indices: Indices) -> Iterator[Node]:
    """The outermost expressions that are thread * bound + variable."""
    bound = indices.polynomial(loop.bound)
    if bound is None or len(bound) != 1:
        return
    wanted = dict(_times(_THREAD, bound))
    wanted[(loop.variable,)] = 1
    waiting = [loop.body]
    while waiting:
        node = waiting.pop()
        is_sum = node.kind == "BinaryOperator" and node.operator == "+"
        if is_sum and indices.polynomial(node) == wanted:
            yield node
        else:
            waiting.extend(reversed(node.children))


def _times(one: Polynomial, factor: Polynomial) -> Polynomial:
    ((names, number),) = factor.items()
    return {tuple(sorted(key + names)): value * number for key, value in one.items()}


def _why_not(
    situation: Situation, loop: CountedLoop, elements: tuple[Node, ...], indices: Indices
) -> Optional[str]:
    tree, data = situation.kernel.tree, situation.data
    if loop.node not in tree.children:
        return "the loop is part of another statement: not every thread may come to it"
    if loop.start is None or integer_value(loop.start, data) != 0 or loop.step != 1:
        return f"{loop.variable} does not count 0, 1, 2"
    if loop.comparison != "<" or not loop.declared_here:
        return f"{loop.variable} is not declared in the loop and compared with <"
    others = effects_of([n for n in tree.children if n is not loop.node], situation.unit)
    if others.stores or others.jumps:
        return "the kernel does more than the loop: it returns early or stores elsewhere"
    for effects in (others, loop.inside):
        fixed = why_fixed(effects, situation.unit)
        if fixed is not None:
            return fixed[1]
    if loop.inside.jumps:
        return "the loop is left in the middle"
    inner = {n.name for n in loop.body.walk() if n.kind == "VarDecl"}
    carried = sorted(loop.inside.writes - inner)
    if carried:
        return f"{carried[0]} is carried from one turn to the next"
    return _depends(situation, loop, elements, inner)


def _depends(
    situation: Situation, loop: CountedLoop, elements: tuple[Node, ...], inner: set[str]
) -> Optional[str]:
    """What the body uses besides the number of the element is the same for all threads."""
    waiting = [loop.body]
    while waiting:
        node = waiting.pop()
        if any(node is element for element in elements):
            continue
        name = variable_named(node) if node.kind == "DeclRefExpr" else None
        if name == loop.variable:
            return f"{name} is used by itself, not as part of the element's number"
        if name in inner:
            continue
        if node.kind in ("DeclRefExpr", "MemberRefExpr"):
            why = why_not_uniform(node, situation)
            if why is not None:
                return why
        waiting.extend(reversed(node.children))
    return None


def _compared(
    situation: Situation, loop: CountedLoop, indices: Indices
) -> Union[str, list[tuple[str, str]]]:
    """Pairs of parameters that must not overlap, or what is in the way for good."""
    pairs: list[tuple[str, str]] = []
    element = _element_of(loop, indices)
    for store in loop.inside.stores:
        if _index(store, indices) != element:
            return "a store goes elsewhere than to the element of its turn"
        for other in [*loop.inside.loads, *loop.inside.stores]:
            if not may_overlap(store, other, situation.kernel):
                continue
            if other.root == store.root and _index(other, indices) == element:
                continue
            why = _why_not_compared(situation, store, other, element, indices)
            if why is not None:
                return why
            pair = (other.root or "", store.root or "")
            if pair not in pairs and pair[::-1] not in pairs:
                pairs.append(pair)
    return pairs


def _why_not_compared(
    situation: Situation, store: Access, other: Access, element: object, indices: Indices
) -> Optional[str]:
    for access in (store, other):
        storage = storage_of(access.root, situation.kernel)
        if storage.kind != PARAMETER or storage.name != access.root:
            return "the store may change what another turn reads"
    if other.root == store.root or _index(other, indices) != element:
        return f"{other.root} is read at other elements than {store.root} is written"
    if other.type.replace("const ", "") != store.type.replace("const ", ""):
        return f"{other.root} and {store.root} may overlap and differ in type"
    return None


def _element_of(loop: CountedLoop, indices: Indices) -> Optional[Polynomial]:
    return indices.polynomial(next(iter(_elements(loop, indices))))


def _index(access: Access, indices: Indices) -> Optional[Polynomial]:
    if access.node.kind != "ArraySubscriptExpr":
        return None
    base = stripped(access.node.children[0])
    is_name = base.kind == "DeclRefExpr" and base.name == access.root
    return indices.polynomial(access.node.children[1]) if is_name else None


def _begin(
    situation: Situation, loop: CountedLoop, elements: tuple[Node, ...], indices: Indices
) -> Optional[Node]:
    """The declaration of ``begin`` in ``begin + i``, when the elements are its only uses."""
    names = set()
    for element in elements:
        left = variable_named(element.children[0])
        if left is None or variable_named(element.children[1]) != loop.variable:
            return None
        names.add(left)
    uses = [n for n in situation.kernel.tree.walk() if n.kind == "DeclRefExpr" and n.name in names]
    if len(names) != 1 or len(uses) != len(elements):
        return None
    for statement in situation.kernel.tree.children:
        declared = [n for n in statement.children if n.name in names]
        if statement.kind == "DeclStmt" and len(statement.children) == 1 and declared:
            return statement
    return None


def _change(
    situation: Situation, chunk: _Chunk, indices: Indices, compared: list[tuple[str, str]]
) -> Change:
    data, loop = situation.data, chunk.loop
    names = FreshNames(situation.unit)
    begin = chunk.begin.children[0].name if chunk.begin else names.new("first")
    step = names.new("step" if compared else "threads")
    lines = [_COMMENT, *_declared(situation, chunk, names, begin, step, compared, indices)]
    place = chunk.begin or loop.node
    edits = [_lines_at(data, place, lines, replaces=chunk.begin is not None)]
    for element in chunk.elements:
        text = f"{begin} + {loop.variable} * {step}".encode()
        edits.append(Edit(element.span, text))
    return Change(
        tuple(edits),
        f"deal the elements of the loop at line {line_of(situation, loop.node)} to the threads in "
        "turn",
        f"each thread takes {_text(data, loop.bound)} elements in a row, so the lanes of a wave "
        "are in different cache lines",
    )


def _declared(
    situation: Situation,
    chunk: _Chunk,
    names: FreshNames,
    begin: str,
    step: str,
    compared: list[tuple[str, str]],
    indices: Indices,
) -> Iterator[bytes]:
    data = situation.data
    kind = stripped(chunk.elements[0]).type.replace("const ", "")
    thread, was = _thread(indices), _first(situation, chunk)
    if not compared:
        yield f"const {kind} {step} = gridDim.x * blockDim.x;".encode()
        yield f"const {kind} {begin} = {thread};".encode()
        return
    count, apart = names.new("count"), names.new("apart")
    bound = _text(data, chunk.loop.bound)
    yield f"const size_t {count} = size_t(gridDim.x) * blockDim.x * {_factor(bound)};".encode()
    tests = [f"{a} == {b} || {a} + {count} <= {b} || {b} + {count} <= {a}" for a, b in compared]
    joined = tests[0] if len(tests) == 1 else " && ".join(f"({test})" for test in tests)
    yield f"const bool {apart} = {joined};".encode()
    yield f"const {kind} {begin} = {apart} ? {thread} : {was};".encode()
    yield f"const {kind} {step} = {apart} ? gridDim.x * blockDim.x : 1;".encode()


def _thread(indices: Indices) -> str:
    """The number of the thread, by its name where it has one."""
    for name, value in indices.set_once.items():
        if indices.polynomial(value) == _THREAD:
            return name
    return "blockIdx.x * blockDim.x + threadIdx.x"


def _first(situation: Situation, chunk: _Chunk) -> str:
    if chunk.begin is not None:
        return _text(situation.data, chunk.begin.children[0].children[-1])
    bound = _text(situation.data, chunk.loop.bound)
    return f"{_factor(_thread(Indices(situation)))} * {_factor(bound)}"


def _factor(text: str) -> str:
    return text if text.isidentifier() or text.isdigit() else f"({text})"


def _text(data: bytes, node: Node) -> str:
    return node.span.of(data).decode()


def _lines_at(data: bytes, node: Node, lines: list[bytes], replaces: bool) -> Edit:
    """In front of a statement, or in its place."""
    start = node.span.start
    indent = indentation(data, start)
    text = block(lines, indent)
    if not starts_its_line(data, start):
        end = node.span.end if replaces else start
        return Edit(Span(start, end), b"\n" + text + (b"" if replaces else b"\n" + indent))
    at = line_start(data, start)
    return Edit(Span(at, node.span.end if replaces else at), text + (b"" if replaces else b"\n"))
