"""One element more in every row of a tile in LDS, so that a column lies in different banks.

LDS has 32 banks of 4 bytes. Lanes that read down a column of a tile whose rows are a multiple of
many banks long wait for each other. The rows may be longer when the array is only ever used as
``tile[row][column]``: then no address depends on the length of a row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Optional, Union

from rocm_perf_lab.analysis.verdicts.rules import LDS, MEMORY_BANDWIDTH
from rocm_perf_lab.optimize.rules.reading.affine import THREAD_X, Indices, coefficient
from rocm_perf_lab.optimize.rules.reading.place import cannot, line_of
from rocm_perf_lab.optimize.rules.reading.shared_arrays import BYTES, SharedArray, shared_arrays
from rocm_perf_lab.optimize.rules.reading.syntax import ancestors, parents, stripped
from rocm_perf_lab.optimize.rules.rule import CannotChange, Change, Edit, Situation
from rocm_perf_lab.optimize.rules.writing.formatting import indentation, line_start, starts_its_line
from rocm_perf_lab.optimize.source.model import Node, Span

_BANKS, _BANK_BYTES = 32, 4
_MAX_LDS_BYTES = 65536  # of a workgroup
_COMMENT = b"// One element more per row: a column is spread over the banks of LDS."
_SIMPLE = re.compile(rb"[\w\s+*.:-]+\Z")


class LdsPadding:
    name = "lds-padding"
    helps = (LDS, MEMORY_BANDWIDTH)

    def look(self, situation: Situation) -> Iterable[Union[Change, CannotChange]]:
        above = parents(situation.kernel.tree)
        arrays = list(shared_arrays(situation))
        padded: list[SharedArray] = []
        for array in arrays:
            if len(array.lengths) != 2:
                continue
            why = _why_not(array, situation, above)
            if why is None:
                padded.append(array)
            else:
                yield cannot(situation, array.node, why)
        if padded:
            yield self._change(situation, arrays, padded)

    def _change(
        self, situation: Situation, arrays: list[SharedArray], padded: list[SharedArray]
    ) -> Union[Change, CannotChange]:
        first = padded[0]
        grown = sum(BYTES[array.element] * (array.lengths[0] or 0) for array in padded)
        if sum(array.bytes for array in arrays) + grown > _MAX_LDS_BYTES:
            return cannot(situation, first.node, "the padded tiles do not fit into 64 KiB of LDS")
        edits = [*_comment(situation, first), *(_longer(situation, array) for array in padded)]
        names = " and ".join(array.name for array in padded)
        return Change(
            tuple(edits),
            f"pad the rows of {names} at line {line_of(situation, first.node)} by one element",
            f"the lanes of a wave read a column of {names}, which is in few of the {_BANKS} banks",
        )


def _why_not(array: SharedArray, situation: Situation, above: Mapping[int, Node]) -> Optional[str]:
    length = array.lengths[1]
    if length is None or array.lengths[0] is None or array.element not in BYTES:
        return f"the size of {array.name} depends on a template, or its type is not a plain number"
    if array.brackets is None:
        return f"the size of {array.name} is written by a macro"
    row_bytes = length * BYTES[array.element]
    if row_bytes % (_BANK_BYTES * 8) != 0:
        return f"rows of {row_bytes} bytes already spread over the banks"
    columns = False
    for use in array.uses:
        access = _element(use, above)
        if access is None:
            return f"{array.name} is used as more than {array.name}[row][column]"
        columns = columns or _goes_down(access, situation)
    return None if columns else f"no access goes down a column of {array.name}"


def _element(use: Node, above: Mapping[int, Node]) -> Optional[tuple[Node, Node]]:
    """Row and column of the element that is accessed, when it is that and nothing else."""
    subscripts, child = [], use
    for node in ancestors(use, above):
        if node.kind == "ArraySubscriptExpr" and stripped(node.children[0]) is stripped(child):
            subscripts.append(node)
            if len(subscripts) == 2:
                taken = _outer(node, above)
                is_address = taken is not None and taken.operator == "&"
                return None if is_address else (_index(subscripts[0]), _index(subscripts[1]))
        elif node.kind not in ("UnexposedExpr", "ParenExpr"):
            return None
        child = node
    return None


def _outer(node: Node, above: Mapping[int, Node]) -> Optional[Node]:
    return next((n for n in ancestors(node, above) if n.kind != "ParenExpr"), None)


def _index(subscript: Node) -> Node:
    return subscript.children[1]


def _goes_down(access: tuple[Node, Node], situation: Situation) -> bool:
    indices = Indices(situation)
    row, column = (indices.polynomial(index) for index in access)
    if row is None or column is None:
        return False
    return bool(coefficient(row, THREAD_X)) and not coefficient(column, THREAD_X)


def _comment(situation: Situation, array: SharedArray) -> Iterator[Edit]:
    data, start = situation.data, array.statement.span.start
    if starts_its_line(data, start):
        place = line_start(data, start)
        yield Edit(Span(place, place), indentation(data, start) + _COMMENT + b"\n")


def _longer(situation: Situation, array: SharedArray) -> Edit:
    assert array.brackets is not None
    inner = Span(array.brackets.start + 1, array.brackets.end - 1)
    text = inner.of(situation.data).strip()
    plain = text if _SIMPLE.match(text) else b"(" + text + b")"
    return Edit(inner, plain + b" + 1")
