"""Elements that a whole row or column of threads reads go through LDS: each is read once a block.

In ``for (k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];`` with a thread for each row
and column, all threads of a row read the same elements of ``a``, all of a column the same of ``b``.
The block reads tiles of both together, neighbours side by side, and takes them from LDS: the same
values in the same order. Right when

* the loop reads two elements: of each, the index holds the counter and one variable that counts the
  threads of the block in one direction, of the other array in the other direction;
* all else that it is made of is the same for all threads, and both are read in every turn;
* nothing may change what is read, and the kernel neither waits, exchanges nor adds atomically.
  ``if (row >= n || col >= n) return`` moves behind the loop: all threads come to the barriers.

The size of the block is tested, and that one of its threads has something to do, so that no element
is read that would not have been; other blocks run the old loop. What is left over at the end is a
shorter tile.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Optional, Union

from rocm_perf_lab.analysis.verdicts.rules import LATENCY, MEMORY_BANDWIDTH
from rocm_perf_lab.optimize.rules.reading.affine import (
    ONE,
    THREAD_X,
    THREAD_Y,
    Indices,
    coefficient,
)
from rocm_perf_lab.optimize.rules.reading.evaluated import grouped
from rocm_perf_lab.optimize.rules.reading.loop_shape import CountedLoop, counted_loop
from rocm_perf_lab.optimize.rules.reading.place import cannot, line_of
from rocm_perf_lab.optimize.rules.reading.shared_arrays import BYTES
from rocm_perf_lab.optimize.rules.reading.syntax import statement_span, stripped, variable_named
from rocm_perf_lab.optimize.rules.reading.together import (
    EarlyExit,
    counts_threads,
    early_exit,
    only_declares,
    why_not_together,
)
from rocm_perf_lab.optimize.rules.reading.uniformity import why_not_uniform
from rocm_perf_lab.optimize.rules.rule import CannotChange, Change, Edit, Situation
from rocm_perf_lab.optimize.rules.writing.copies import has_directive, replaced
from rocm_perf_lab.optimize.rules.writing.formatting import (
    block,
    indent_step,
    indentation,
    indented,
    line_start,
    starts_its_line,
    whole_lines,
)
from rocm_perf_lab.optimize.rules.writing.fresh_names import FreshNames
from rocm_perf_lab.optimize.source.model import Node, Span

_SIDES = (8, 16, 32)
_SIDE = 16  # when no launch was seen
_COMMENT = b"// Tiles of %s and %s go through LDS: every element is read once a block."


@dataclass(frozen=True)
class _Operand:
    array: str
    loads: tuple[Node, ...]  # written in the same words
    variable: str  # counts threads in one direction
    direction: str  # THREAD_X or THREAD_Y
    by_counter: bool  # neighbours in memory are those of the counter, not those of the variable

    @property
    def element(self) -> str:
        return self.loads[0].type.replace("const ", "")


@dataclass(frozen=True)
class _Product:
    loop: CountedLoop
    operands: tuple[_Operand, _Operand]


class TiledProduct:
    name = "tiled-product"
    helps = (MEMORY_BANDWIDTH, LATENCY)

    def look(self, situation: Situation) -> Iterable[Union[Change, CannotChange]]:
        indices = Indices(situation)
        for node in situation.kernel.loops():
            counted = counted_loop(situation, node)
            if isinstance(counted, CannotChange):
                continue
            found = _product(situation, counted, indices)
            if found is not None:
                yield _answer(situation, found)


def _product(situation: Situation, loop: CountedLoop, indices: Indices) -> Optional[_Product]:
    tokens = situation.unit.files[situation.kernel.path].tokens
    elements = [a.node for a in loop.inside.loads if a.node.kind == "ArraySubscriptExpr"]
    operands = [_operand(situation, group, loop, indices) for group in grouped(elements, tokens)]
    found = [operand for operand in operands if operand is not None]
    if len(found) != 2 or {o.direction for o in found} != {THREAD_X, THREAD_Y}:
        return None
    return _Product(loop, (found[0], found[1]))


def _operand(
    situation: Situation, loads: Sequence[Node], loop: CountedLoop, indices: Indices
) -> Optional[_Operand]:
    array, index = variable_named(loads[0].children[0]), loads[0].children[1]
    whole = indices.polynomial(index)
    if array is None or whole is None or not coefficient(whole, loop.variable):
        return None
    named = []
    for node in index.walk():
        named += [
            (node.name, direction)
            for direction in (THREAD_X, THREAD_Y)
            if node.kind == "DeclRefExpr"
            and counts_threads(situation, indices, node.name, direction)
        ]
    if len(named) != 1:
        return None
    by_counter = coefficient(whole, loop.variable) == {ONE: 1}
    return _Operand(array, tuple(loads), *named[0], by_counter)


def _answer(situation: Situation, product: _Product) -> Union[Change, CannotChange]:
    node = product.loop.node
    why = _why_not(situation, product)
    side = _side(situation)
    if why is not None or side is None:
        return cannot(situation, node, why or "its blocks are not squares of 8, 16 or 32 threads")
    variables = [operand.variable for operand in product.operands]
    exit_ = early_exit(situation, node, variables)
    if isinstance(exit_, CannotChange):
        return exit_
    tree = situation.kernel.tree
    end = next(number for number, child in enumerate(tree.children) if child is node)
    if exit_ is not None:
        start = next(i for i, child in enumerate(tree.children) if child is exit_.statement)
        if not all(only_declares(one, situation) for one in tree.children[start + 1 : end]):
            return cannot(situation, node, "memory is used between the return and it")
    return _Writer(situation, product, exit_, side).change()


def _side(situation: Situation) -> Optional[int]:
    if situation.launch is None:
        return _SIDE
    x, y, z = situation.launch.block
    return x if x == y and z == 1 and x in _SIDES else None


def _why_not(situation: Situation, product: _Product) -> Optional[str]:
    loop, tree = product.loop, situation.kernel.tree
    if not any(loop.node is child for child in tree.children):
        return "the loop is part of another statement: not every thread may come to it"
    if loop.step != 1 or loop.comparison != "<" or not loop.declared_here:
        return f"{loop.variable} does not count up by one to a bound"
    types = {loop.type, stripped(loop.bound).type.replace("const ", "")}
    types |= {
        n.type.replace("const ", "")
        for n in tree.walk()
        if n.kind == "VarDecl" and n.name in [o.variable for o in product.operands]
    }
    if types != {"int"} or loop.start is None:
        return "its counter, bound, row or column is no int"
    if has_directive(loop.node.span, situation.unit.files[situation.kernel.path].tokens):
        return "there are preprocessor lines in it"
    for value in (loop.start, loop.bound, *_others(product)):
        why = why_not_uniform(value, situation)
        if why is not None:
            return why
    loads = [load for operand in product.operands for load in operand.loads]
    for load in loads:
        if load.type.replace("const ", "") not in BYTES or load.in_macro:
            return f"elements of type {load.type} are not staged"
    return why_not_together(situation, loop, loads)


def _others(product: _Product) -> Iterable[Node]:
    """The names of an index besides the counter and the variable of its threads."""
    for operand in product.operands:
        for node in operand.loads[0].children[1].walk():
            is_name = node.kind in ("DeclRefExpr", "MemberRefExpr")
            if is_name and node.name not in (operand.variable, product.loop.variable):
                yield node


class _Writer:
    def __init__(
        self, situation: Situation, product: _Product, exit_: Optional[EarlyExit], side: int
    ) -> None:
        self._situation, self._product, self._exit, self._side = situation, product, exit_, side
        self._data = situation.data
        self._tokens = situation.unit.files[situation.kernel.path].tokens
        self._step = indent_step(self._data, situation.kernel).decode()
        names = FreshNames(situation.unit)
        self._x, self._y = names.new("tx"), names.new("ty")
        self._left, self._end = names.new("left"), names.new("end")
        self._tiles = [names.new(f"{operand.array}_tile") for operand in product.operands]
        self._firsts = [names.new(f"first_{operand.variable}") for operand in product.operands]

    def change(self) -> Change:
        edits = [self._tiled()]
        if self._exit is not None:
            edits.insert(0, self._without_exit(self._exit))
        one, other = (operand.array for operand in self._product.operands)
        line = line_of(self._situation, self._product.loop.node)
        return Change(
            tuple(edits),
            f"tile {one} and {other} in LDS for the loop at line {line}",
            f"{self._side} threads read each element of {one} and {other} from memory, each for "
            "itself",
        )

    def _without_exit(self, exit_: EarlyExit) -> Edit:
        span = statement_span(exit_.statement, self._tokens)
        lines = whole_lines(self._data, span)
        is_alone = lines.of(self._data).strip() == span.of(self._data)
        return Edit(Span(lines.start, lines.end + 1) if is_alone else span, b"")

    def _tiled(self) -> Edit:
        data, node = self._data, self._product.loop.node
        span = statement_span(node, self._tokens)
        indent = indentation(data, span.start)
        step = self._step.encode()
        old = indented(span.of(data), indent, indent + step)
        stays = f"if ({self._exit.stays}) " if self._exit else ""
        lines = [
            block([line.encode() for line in (*self._top(), *self._loop())], indent),
            indent + f"}} else {stays}{{".encode(),
            indent + step + old,
            indent + b"}",
        ]
        if self._exit is not None:
            lines.append(indent + statement_span(self._exit.statement, self._tokens).of(data))
        lead = block([_COMMENT % tuple(o.array.encode() for o in self._product.operands)], indent)
        own_line = starts_its_line(data, span.start)
        start = line_start(data, span.start) if own_line else span.start
        text = b"\n".join([lead, *lines])
        return Edit(Span(start, span.end), text if own_line else b"\n" + text)

    def _top(self) -> list[str]:
        """Declarations, and the condition for the tiles."""
        lines = []
        for operand, tile in zip(self._product.operands, self._tiles):
            lines.append(f"__shared__ {operand.element} {tile}[{self._side}][{self._side} + 1];")
        lines.append(f"const int {self._x} = threadIdx.x, {self._y} = threadIdx.y;")
        conditions = [f"blockDim.x == {self._side} && blockDim.y == {self._side}"]
        for operand, first in zip(self._product.operands, self._firsts):
            thread = self._thread(operand)
            lines.append(f"const int {first} = {operand.variable} - {thread};")
            limit = self._exit.limit_of(operand.variable) if self._exit else None
            conditions += [f"{first} < {limit}"] if limit else []
        return [*lines, f"if ({' && '.join(conditions)}) {{"]

    def _thread(self, operand: _Operand) -> str:
        return self._x if operand.direction == THREAD_X else self._y

    def _loop(self) -> list[str]:
        loop, one = self._product.loop, self._step
        assert loop.start is not None
        start, bound = (node.span.of(self._data).decode() for node in (loop.start, loop.bound))
        left, end, two = self._left, self._end, 2 * self._step
        header = f"for (int {loop.variable} = {left}; {loop.variable} < {end}; ++{loop.variable}) "
        body = self._own_body()
        stays = [two + f"if ({self._exit.stays})"] if self._exit else []
        inner = two + one if self._exit else two
        return [
            one + f"for (int {left} = {start}; {left} < {bound}; {left} += {self._side}) {{",
            two + "__syncthreads();",
            *(two + line for line in self._filled(bound)),
            two + "__syncthreads();",
            two + f"const int {end} = min({left} + {self._side}, {bound});",
            *stays,
            *self._lines(header + body, inner),
            one + "}",
        ]

    def _lines(self, text: str, inner: str) -> list[str]:
        """At the depth of the new loop; the block's indentation comes on top of it."""
        old = indentation(self._data, self._product.loop.node.span.start).decode()
        first, *rest = text.split("\n")
        return [inner + first, *(inner + line.removeprefix(old) for line in rest)]

    def _filled(self, bound: str) -> list[str]:
        lines = []
        for operand, tile, first in zip(self._product.operands, self._tiles, self._firsts):
            counter_at, variable_at = (
                (self._x, self._y) if operand.by_counter else (self._y, self._x)
            )
            variable = f"{first} + {variable_at}"
            limit = self._exit.limit_of(operand.variable) if self._exit else None
            if limit:
                variable = f"min({variable}, {limit} - 1)"
            counter = f"min({self._left} + {counter_at}, {bound} - 1)"
            names = {
                operand.variable: variable if limit else f"({variable})",
                self._product.loop.variable: counter,
            }
            text = self._element(operand, names)
            lines.append(f"{tile}[{self._y}][{self._x}] = {text};")
        return lines

    def _element(self, operand: _Operand, names: dict[str, str]) -> str:
        changes = {
            node.span: names[node.name].encode()
            for node in operand.loads[0].children[1].walk()
            if node.kind == "DeclRefExpr" and node.name in names
        }
        text = replaced(self._data, operand.loads[0].span, changes).decode()
        return " ".join(text.split())

    def _own_body(self) -> str:
        changes: dict[Span, bytes] = {}
        counter = f"{self._product.loop.variable} - {self._left}"
        for operand, tile in zip(self._product.operands, self._tiles):
            thread = self._thread(operand)
            mine = (thread, counter) if operand.by_counter else (counter, thread)
            text = f"{tile}[{mine[0]}][{mine[1]}]".encode()
            changes.update({load.span: text for load in operand.loads})
        span = statement_span(self._product.loop.body, self._tokens)
        return replaced(self._data, span, changes).decode()
