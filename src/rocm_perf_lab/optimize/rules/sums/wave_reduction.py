"""The last steps of a reduction in LDS are made by one wave with shuffles, in the same order.

In ``for (s = blockDim.x / 2; s > 0; s /= 2) { if (t < s) tile[t] += tile[t + s]; barrier; }`` each
step combines element t with element t + s. Once two times s fits into a wave, lane t has what it
needs in its own wave: ``value += __shfl_down(value, s)`` combines the same pairs in the same order,
so the result is the same bit by bit, also of floating-point sums. Right when

* t is ``threadIdx.x``, and the first s is half of ``blockDim.x``: lane t + s is there;
* of the array only element 0 is read behind the loop, until every element is set again;
* all threads come to the loop, as its barriers demand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Optional, Union

from rocm_perf_lab.analysis.verdicts.rules import LATENCY, LDS
from rocm_perf_lab.optimize.rules.reading.affine import THREAD_X, Indices, Polynomial
from rocm_perf_lab.optimize.rules.reading.loop_shape import ForLoop, for_parts
from rocm_perf_lab.optimize.rules.reading.place import cannot, line_of
from rocm_perf_lab.optimize.rules.reading.purity import effects_of
from rocm_perf_lab.optimize.rules.reading.shared_arrays import BYTES, SharedArray, shared_arrays
from rocm_perf_lab.optimize.rules.reading.syntax import (
    integer_value,
    statement_span,
    statements,
    stripped,
    variable_named,
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

_COMMENT = b"// The last steps are those of one wave: shuffles in the same order, without barriers."
_WRITING = ("=", "++", "--", "&")
_CHOOSING = frozenset({"ConditionalOperator", "LambdaExpr"})


@dataclass(frozen=True)
class _Tree:
    parts: ForLoop
    stride: str  # the loop's variable
    stride_type: str
    combine: Node  # tile[t] += tile[t + s]
    own: tuple[Node, ...]  # tile[t]
    other: tuple[Node, ...]  # tile[t + s]
    array: SharedArray


class WaveReduction:
    name = "wave-reduction"
    helps = (LDS, LATENCY)

    def look(self, situation: Situation) -> Iterable[Union[Change, CannotChange]]:
        indices = Indices(situation)
        arrays = [a for a in shared_arrays(situation) if len(a.lengths) == 1]
        for node in situation.kernel.loops():
            tree = _tree(situation, node, indices, arrays)
            if tree is None:
                continue
            why = _why_not(situation, tree, indices)
            yield cannot(situation, node, why) if why else _change(situation, tree)


def _tree(
    situation: Situation, node: Node, indices: Indices, arrays: Sequence[SharedArray]
) -> Optional[_Tree]:
    """The loop when it halves a stride and combines elements of an array in LDS."""
    tokens = situation.unit.files[situation.kernel.path].tokens
    parts = for_parts(node, tokens)
    if parts is None or parts.init is None or parts.init.kind != "DeclStmt":
        return None
    stride = parts.init.children[0]
    if not _halves(parts, stride.name, situation.data):
        return None
    inner = statements(parts.body)
    if len(inner) != 2 or inner[0].kind != "IfStmt" or inner[1].name != "__syncthreads":
        return None
    if len(inner[0].children) != 2 or len(statements(inner[0].children[1])) != 1:
        return None
    condition, combine = stripped(inner[0].children[0]), statements(inner[0].children[1])[0]
    if condition.operator != "<" or variable_named(condition.children[1]) != stride.name:
        return None
    if indices.polynomial(condition.children[0]) != {(THREAD_X,): 1}:
        return None
    return _combined(parts, stride, combine, indices, arrays)


def _halves(parts: ForLoop, name: str, data: bytes) -> bool:
    step, test = parts.increment, parts.condition
    if step is None or test is None or step.kind != "CompoundAssignOperator":
        return False
    wanted = {">>=": 1, "/=": 2}.get(step.operator)
    halved = variable_named(step.children[0]) == name
    if not halved or wanted is None or integer_value(step.children[1], data) != wanted:
        return False
    compared = stripped(test)
    if compared.operator not in (">", ">=", "!="):
        return False
    last = integer_value(compared.children[1], data)
    is_stride = variable_named(compared.children[0]) == name
    return is_stride and last == (1 if compared.operator == ">=" else 0)


def _combined(
    parts: ForLoop,
    stride: Node,
    combine: Node,
    indices: Indices,
    arrays: Sequence[SharedArray],
) -> Optional[_Tree]:
    own: list[Node] = []
    other: list[Node] = []
    mine: Polynomial = {(THREAD_X,): 1}
    theirs: Polynomial = {(THREAD_X,): 1, (stride.name,): 1}
    names = set()
    for node in combine.walk():
        if node.kind == "ArraySubscriptExpr":
            index = indices.polynomial(node.children[1])
            if index not in (mine, theirs):
                return None
            names.add(variable_named(node.children[0]))
            (own if index == mine else other).append(node)
    found = [array for array in arrays if {array.name} == names]
    if not found or not own or not other or stripped(combine.children[0]) is not own[0]:
        return None
    return _Tree(parts, stride.name, stride.type, combine, tuple(own), tuple(other), found[0])


def _why_not(situation: Situation, tree: _Tree, indices: Indices) -> Optional[str]:
    top = situation.kernel.tree.children
    if tree.parts.node not in top:
        return "the reduction is part of another statement"
    place = next(i for i, node in enumerate(top) if node is tree.parts.node)
    if any(n.kind == "ReturnStmt" for before in top[:place] for n in before.walk()):
        return "threads return before the reduction"
    if tree.array.element not in BYTES:
        return f"there are no shuffles of {tree.array.element}"
    effects = effects_of([tree.combine], situation.unit)
    if effects.fixed or effects.jumps or effects.writes:
        return "combining two elements does more than to compute"
    chooses = any(n.kind in _CHOOSING or n.operator in ("&&", "||") for n in tree.combine.walk())
    if len(tree.other) != 1 or chooses:
        return "the other element is not used exactly once"
    if not _starts_at_half(tree, situation):
        return f"{tree.stride} does not start at half of blockDim.x"
    return _read_behind(situation, tree, top[place + 1 :], indices)


def _starts_at_half(tree: _Tree, situation: Situation) -> bool:
    assert tree.parts.init is not None
    value = stripped(tree.parts.init.children[0].children[-1])
    if value.kind != "BinaryOperator" or value.operator not in ("/", ">>"):
        return False
    by = {"/": 2, ">>": 1}[value.operator]
    left = value.children[0].span.of(situation.data)
    is_block = b"".join(left.split()) == b"blockDim.x"
    return is_block and integer_value(value.children[1], situation.data) == by


def _read_behind(
    situation: Situation, tree: _Tree, behind: Sequence[Node], indices: Indices
) -> Optional[str]:
    """Elements other than the first have other values than before: nobody may look at them."""
    for statement in behind:
        sets_all = _sets_own(statement, tree, indices)
        for use in statement.walk():
            if use.kind != "DeclRefExpr" or use.name != tree.array.name:
                continue
            if sets_all is not None and use.span.start in sets_all.span:
                continue
            if not _is_first(use, statement, indices):
                return f"{tree.array.name} is used behind the reduction for more than element 0"
        if sets_all is not None:
            return None
    return None


def _sets_own(statement: Node, tree: _Tree, indices: Indices) -> Optional[Node]:
    """``tile[t] = ...`` by all threads; its left side."""
    if statement.kind != "BinaryOperator" or statement.operator != "=":
        return None
    target = stripped(statement.children[0])
    is_array = target.kind == "ArraySubscriptExpr" and (
        variable_named(target.children[0]) == tree.array.name
    )
    own = is_array and indices.polynomial(target.children[1]) == {(THREAD_X,): 1}
    return target if own else None


def _is_first(use: Node, statement: Node, indices: Indices) -> bool:
    """``tile[0]``, read."""
    for node in statement.walk():
        is_written = node.kind == "CompoundAssignOperator" or node.operator in _WRITING
        if is_written and node.children and use.span.start in node.children[0].span:
            return False
    return any(
        node.kind == "ArraySubscriptExpr"
        and stripped(node.children[0]) is use
        and indices.polynomial(node.children[1]) == {}
        for node in statement.walk()
    )


def _change(situation: Situation, tree: _Tree) -> Change:
    data = situation.data
    tokens = situation.unit.files[situation.kernel.path].tokens
    span = statement_span(tree.parts.node, tokens)
    indent, step = indentation(data, span.start), indent_step(data, situation.kernel)
    text = _text(situation, tree, span)
    declared = [n for n in situation.kernel.tree.walk() if n.kind == "VarDecl"]
    if sum(node.name == tree.stride for node in declared) > 1:  # its name moves to a block
        inner = indent + step
        text = b"{\n" + inner + indented(text, indent, inner) + b"\n" + indent + b"}"
    lead = b"" if starts_its_line(data, span.start) else b"\n" + indent
    return Change(
        (Edit(span, lead + text),),
        f"make the last steps of the reduction at line {line_of(situation, tree.parts.node)} with "
        "shuffles",
        f"below one wave, each step on {tree.array.name} is a barrier and two accesses to LDS for "
        "few lanes",
    )


def _text(situation: Situation, tree: _Tree, span: Span) -> bytes:
    data, names, parts = situation.data, FreshNames(situation.unit), tree.parts
    assert parts.init is not None
    assert parts.condition is not None
    assert parts.increment is not None
    indent, step = indentation(data, span.start), indent_step(data, situation.kernel)
    wave, value = names.new("wave"), names.new("value")
    thread, own = (n.span.of(data).decode() for n in (tree.own[0].children[1], tree.own[0]))
    condition, increment = (n.span.of(data).decode() for n in (parts.condition, parts.increment))
    rest = data[parts.increment.span.start : span.end]
    kind = tree.stride_type.replace("const ", "")
    lines = [
        f"const {kind} {wave} = warpSize;".encode(),
        parts.init.span.of(data).strip(),
        f"for (; {tree.stride} > {wave} / 2; ".encode() + rest,
    ]
    below = [
        _COMMENT,
        f"if ({thread} < {wave}) {{".encode(),
        step + f"{tree.array.element} {value} = {own};".encode(),
        step + f"for (; {condition}; {increment}) ".encode() + _shuffled(tree, data, value) + b";",
        step + f"if ({thread} == 0) {tree.array.name}[0] = {value};".encode(),
        b"}",
        b"__syncthreads();",
    ]
    return b"\n".join([block(lines, indent).lstrip(), block(below, indent)])


def _shuffled(tree: _Tree, data: bytes, value: str) -> bytes:
    changes = [(node.span, value) for node in tree.own]
    changes += [(node.span, f"__shfl_down({value}, {tree.stride})") for node in tree.other]
    pieces, at = [], tree.combine.span.start
    for place, text in sorted(changes, key=lambda change: change[0].start):
        pieces += [data[at : place.start], text.encode()]
        at = place.end
    return b"".join([*pieces, data[at : tree.combine.span.end]])
