"""Rows that threads read one each go through LDS in tiles, read by neighbours side by side.

``for (c = 0; c < columns; ++c) sum += in[row * columns + c];`` with a row for each thread makes the
lanes of a wave read a row apart. The block reads a tile of its rows together, then each thread
takes its row from LDS: the same values in the same order. Right when

* ``row`` is a number that is the same for the block plus ``threadIdx.x``, so that the threads of
  the block have neighbouring rows; ``if (row >= rows) return`` moves behind the loops, because all
  threads come to the barriers;
* the loop reads its element in every turn, and stores nothing that may be read in it;
* the kernel neither waits, exchanges nor adds atomically anywhere else.

The size of the block is tested; blocks of other sizes run the old loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Optional, Union

from rocm_perf_lab.analysis.verdicts.rules import LATENCY, MEMORY_BANDWIDTH
from rocm_perf_lab.optimize.rules.reading.affine import (
    ONE,
    THREAD_X,
    Indices,
    coefficient,
    names_in,
)
from rocm_perf_lab.optimize.rules.reading.loop_shape import CountedLoop, counted_loop
from rocm_perf_lab.optimize.rules.reading.place import cannot, line_of
from rocm_perf_lab.optimize.rules.reading.shared_arrays import BYTES
from rocm_perf_lab.optimize.rules.reading.syntax import (
    same_words,
    statement_span,
    variable_named,
)
from rocm_perf_lab.optimize.rules.reading.together import (
    EarlyExit,
    counts_threads,
    early_exit,
    only_declares,
    why_not_together,
)
from rocm_perf_lab.optimize.rules.reading.uniformity import why_not_uniform
from rocm_perf_lab.optimize.rules.rule import CannotChange, Change, Edit, Situation
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

_WIDTH = 8  # columns of a tile: with them, seven blocks of 256 threads fit into the LDS of a CU
_UNROLL = 4  # loads of a thread that are under way together
_BLOCK = 256  # when no launch was seen
_LARGEST = 1024
_COMMENT = b"// Tiles of the rows go through LDS: neighbouring threads read neighbouring columns."


@dataclass(frozen=True)
class _Loop:
    counted: CountedLoop
    loads: tuple[Node, ...]  # the same element, wherever it stands
    row: str


class StagedRows:
    name = "staged-rows"
    helps = (MEMORY_BANDWIDTH, LATENCY)

    def look(self, situation: Situation) -> Iterable[Union[Change, CannotChange]]:
        indices = Indices(situation)
        loops: list[_Loop] = []
        for node in situation.kernel.loops():
            counted = counted_loop(situation, node)
            if isinstance(counted, CannotChange):
                continue
            found = _row_reads(counted, indices)
            if found is None:
                continue
            why = _why_not(situation, found, indices)
            if why is not None:
                yield cannot(situation, node, why)
            else:
                loops.append(found)
        if loops:
            yield _answer(situation, loops)


def _row_reads(counted: CountedLoop, indices: Indices) -> Optional[_Loop]:
    """Reads in[row * length + variable] that lanes make far from each other."""
    found: list[Node] = []
    row = None
    for load in counted.inside.loads:
        if load.node.kind != "ArraySubscriptExpr":
            continue
        index = indices.polynomial(load.node.children[1])
        if index is None or coefficient(index, counted.variable) != {ONE: 1}:
            continue
        apart = coefficient(index, THREAD_X)
        if not apart or apart == {ONE: 1}:
            continue
        rows = [n.name for n in load.node.children[1].walk() if _holds_thread(n, indices)]
        if rows and (not found or rows[0] == row):
            row = rows[0]
            found.append(load.node)
    return _Loop(counted, tuple(found), row) if found and row else None


def _holds_thread(node: Node, indices: Indices) -> bool:
    if node.kind != "DeclRefExpr" or node.name not in indices.set_once:
        return False
    value = indices.polynomial(node)
    return value is not None and THREAD_X in names_in(value)


def _why_not(situation: Situation, loop: _Loop, indices: Indices) -> Optional[str]:
    counted, tree = loop.counted, situation.kernel.tree
    tokens = situation.unit.files[situation.kernel.path].tokens
    if counted.node not in tree.children:
        return "the loop is part of another statement: not every thread may come to it"
    if counted.step != 1 or counted.comparison != "<" or not counted.declared_here:
        return f"{counted.variable} does not count up by one to a bound"
    if counted.type != "int" or counted.start is None:
        return f"{counted.variable} is no int"
    if not counts_threads(situation, indices, loop.row, THREAD_X):
        return f"{loop.row} does not count the threads of the block"
    for value in (counted.start, counted.bound, *_others(loop)):
        why = why_not_uniform(value, situation)
        if why is not None:
            return why
    if any(not same_words(loop.loads[0], other, tokens) for other in loop.loads[1:]):
        return "several rows are read"
    element = loop.loads[0].type.replace("const ", "")
    if element not in BYTES or variable_named(loop.loads[0].children[0]) is None:
        return f"elements of type {element} are not staged"
    return why_not_together(situation, counted, loop.loads)


def _others(loop: _Loop) -> Iterator[Node]:
    """The names of the index besides the row and the loop's variable."""
    for node in loop.loads[0].children[1].walk():
        is_name = node.kind in ("DeclRefExpr", "MemberRefExpr")
        if is_name and node.name not in (loop.row, loop.counted.variable):
            yield node


def _answer(situation: Situation, loops: Sequence[_Loop]) -> Union[Change, CannotChange]:
    """The loops that nothing but declarations stand between."""
    tree, first = situation.kernel.tree, loops[0]
    threads = _threads(situation)
    if threads is None:
        return cannot(situation, first.counted.node, "its blocks are not rows of whole waves")
    exit_ = early_exit(situation, first.counted.node, [first.row])
    if isinstance(exit_, CannotChange):
        return exit_
    chosen: list[_Loop] = []
    begin = tree.children.index(exit_.statement if exit_ else first.counted.node)
    for statement in tree.children[begin:]:
        mine = [loop for loop in loops if loop.counted.node is statement]
        if mine and _alike(mine[0], first, situation):
            chosen += mine
        elif statement is not (exit_.statement if exit_ else None) and not only_declares(
            statement, situation
        ):
            break
    if not chosen or chosen[0] is not first:
        return cannot(situation, first.counted.node, "memory is used between the return and it")
    return _Writer(situation, exit_, threads).change(chosen)


def _threads(situation: Situation) -> Optional[int]:
    if situation.launch is None:
        return _BLOCK
    x, y, z = situation.launch.block
    return x if y == z == 1 and x % 64 == 0 and x <= _LARGEST // 2 else None


def _alike(one: _Loop, other: _Loop, situation: Situation) -> bool:
    return one.row == other.row and one.loads[0].type == other.loads[0].type


class _Writer:
    def __init__(self, situation: Situation, exit_: Optional[EarlyExit], threads: int) -> None:
        self._situation, self._exit, self._threads = situation, exit_, threads
        self._data = situation.data
        self._tokens = situation.unit.files[situation.kernel.path].tokens
        self._step = indent_step(self._data, situation.kernel)
        names = FreshNames(situation.unit)
        self._names: Mapping[str, str] = {
            word: names.new(word)
            for word in ("tile", "first_row", "left", "turn", "cell", "other", "column", "end")
        }

    def change(self, loops: Sequence[_Loop]) -> Change:
        edits = []
        if self._exit is not None:
            edits.append(self._without_exit(self._exit))
        for loop in loops:
            edits.append(self._staged(loop, is_first=loop is loops[0], is_last=loop is loops[-1]))
        lines = " and ".join(str(line_of(self._situation, loop.counted.node)) for loop in loops)
        array = variable_named(loops[0].loads[0].children[0])
        return Change(
            tuple(edits),
            f"stage the rows of {array} in LDS for the loop at line {lines}",
            f"each thread reads a row of {array} of its own, so that a load of a wave touches 64 "
            "cache lines",
        )

    def _without_exit(self, exit_: EarlyExit) -> Edit:
        span = statement_span(exit_.statement, self._tokens)
        lines = whole_lines(self._data, span)
        is_alone = lines.of(self._data).strip() == span.of(self._data)
        return Edit(Span(lines.start, lines.end + 1) if is_alone else span, b"")

    def _staged(self, loop: _Loop, is_first: bool, is_last: bool) -> Edit:
        data, node = self._data, loop.counted.node
        span = statement_span(node, self._tokens)
        indent = indentation(data, span.start)
        lines = [block(self._top(loop), indent)] if is_first else []
        lines.append(self._fast(loop, indent))
        lines.append(self._otherwise(loop, indent, span))
        if is_last and self._exit is not None:
            lines.append(indent + statement_span(self._exit.statement, self._tokens).of(data))
        own_line = starts_its_line(data, span.start)
        start = line_start(data, span.start) if own_line else span.start
        return Edit(Span(start, span.end), b"\n".join(lines))

    def _top(self, loop: _Loop) -> list[bytes]:
        element = loop.loads[0].type.replace("const ", "")
        name, first = self._names["tile"], self._names["first_row"]
        return [
            _COMMENT,
            f"__shared__ {element} {name}[{self._threads}][{_WIDTH} + 1];".encode(),
            f"const int {first} = {loop.row} - threadIdx.x;".encode(),
        ]

    def _fast(self, loop: _Loop, indent: bytes) -> bytes:
        n, counted, data = self._names, loop.counted, self._data
        assert counted.start is not None
        start, bound = (x.span.of(data).decode() for x in (counted.start, counted.bound))
        guard = f"blockDim.x == {self._threads}"
        row = f"{n['first_row']} + {n['cell']} / {_WIDTH}"
        if self._exit is not None:
            guard += f" && {n['first_row']} < {self._exit.limits[0][1]}"
            row = f"min({row}, {self._exit.limits[0][1]} - 1)"
        column = f"min({n['left']} + {n['cell']} % {_WIDTH}, {bound} - 1)"
        one, two = self._step, 2 * self._step
        lines = [
            f"if ({guard}) {{".encode(),
            one + f"for (int {n['left']} = {start}; {n['left']} < {bound}; ".encode()
            + f"{n['left']} += {_WIDTH}) {{".encode(),
            two + b"__syncthreads();",
            f"#pragma unroll {_UNROLL}".encode(),
            two + f"for (int {n['turn']} = 0; {n['turn']} < {_WIDTH}; ++{n['turn']}) {{".encode(),
            two + one + f"const int {n['cell']} = {n['turn']} * {self._threads} + ".encode()
            + b"threadIdx.x;",
            two + one + f"const int {n['other']} = {row};".encode(),
            two + one + f"const int {n['column']} = {column};".encode(),
            two + one + f"{n['tile']}[{n['cell']} / {_WIDTH}][{n['cell']} % {_WIDTH}] = ".encode()
            + self._element(loop) + b";",
            two + b"}",
            two + b"__syncthreads();",
            two + f"const int {n['end']} = min({n['left']} + {_WIDTH}, {bound});".encode(),
        ]  # fmt: skip
        header = f"for (int {counted.variable} = {n['left']}; "
        header += f"{counted.variable} < {n['end']}; ++{counted.variable}) "
        body = indented(self._own_body(loop), indentation(data, counted.node.span.start), b"")
        if self._exit is not None:
            lines.append(two + f"if ({loop.row} < {self._exit.limits[0][1]})".encode())
        inner = two + one if self._exit else two
        mine = indented(header.encode() + body, b"", indent + inner)
        text = block(lines, indent).replace(indent + b"#pragma", b"#pragma")
        return b"\n".join([text, indent + inner + mine, indent + one + b"}"])

    def _element(self, loop: _Loop) -> bytes:
        """The element with the names of another row and column."""
        return self._replaced(
            loop.loads[0].span,
            [
                (node.span, self._names["other" if node.name == loop.row else "column"])
                for node in loop.loads[0].children[1].walk()
                if node.kind == "DeclRefExpr" and node.name in (loop.row, loop.counted.variable)
            ],
        )

    def _own_body(self, loop: _Loop) -> bytes:
        name, counted = self._names["tile"], loop.counted
        mine = f"{name}[threadIdx.x][{counted.variable} - {self._names['left']}]"
        span = statement_span(counted.body, self._tokens)
        return self._replaced(span, [(load.span, mine) for load in loop.loads])

    def _replaced(self, span: Span, changes: Sequence[tuple[Span, str]]) -> bytes:
        pieces, at = [], span.start
        for place, text in sorted(changes, key=lambda change: change[0].start):
            pieces += [self._data[at : place.start], text.encode()]
            at = place.end
        return b"".join([*pieces, self._data[at : span.end]])

    def _otherwise(self, loop: _Loop, indent: bytes, span: Span) -> bytes:
        own = f"if ({loop.row} < {self._exit.limits[0][1]}) " if self._exit else ""
        old = indented(span.of(self._data), indent, indent + self._step)
        head = indent + f"}} else {own}{{".encode()
        return b"\n".join([head, indent + self._step + old, indent + b"}"])
