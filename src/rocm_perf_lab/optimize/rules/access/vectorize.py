"""Sixteen bytes per access instead of one element, in loops that go over arrays element by element.

The iterations are redistributed: a thread gets four neighbours instead of four elements that lie a
stride apart. That is right where all threads share the loop, an iteration touches nothing but its
own elements, and the arrays are the same or apart. Alignment and overlap are asked at run time,
unless the source proves the latter; the loop of the original does the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Optional, Union

from rocm_perf_lab.analysis.verdicts.rules import LATENCY, MEMORY_BANDWIDTH, UNDER_OCCUPIED
from rocm_perf_lab.optimize.rules.reading.aliasing import PARAMETER, may_overlap, storage_of
from rocm_perf_lab.optimize.rules.reading.loop_shape import CountedLoop, counted_loop
from rocm_perf_lab.optimize.rules.reading.place import cannot, line_of
from rocm_perf_lab.optimize.rules.reading.purity import Access, effects_of, why_fixed
from rocm_perf_lab.optimize.rules.reading.syntax import (
    same_words,
    statement_span,
    statements,
    stripped,
    variable_named,
)
from rocm_perf_lab.optimize.rules.reading.thread_index import shared_by
from rocm_perf_lab.optimize.rules.reading.uniformity import why_not_uniform
from rocm_perf_lab.optimize.rules.rule import CannotChange, Change, Edit, Situation
from rocm_perf_lab.optimize.rules.writing.copies import has_directive, replaced, uses_of
from rocm_perf_lab.optimize.rules.writing.formatting import indent_step, indentation
from rocm_perf_lab.optimize.rules.writing.fresh_names import FreshNames
from rocm_perf_lab.optimize.source.model import LOOPS, Node, Span, Token

_VECTORS = {"float": ("float4", 4), "int": ("int4", 4), "unsigned int": ("uint4", 4)}
_VECTORS["double"] = ("double2", 2)
_MEMBERS = "xyzw"
_WORDS = {4: "Four", 2: "Two"}


class Vectorize:
    name = "vectorize"
    helps = (MEMORY_BANDWIDTH, LATENCY, UNDER_OCCUPIED)

    def look(self, situation: Situation) -> Iterator[Union[Change, CannotChange]]:
        for node in situation.kernel.loops():
            if any(inner.kind in LOOPS for inner in node.walk() if inner is not node):
                continue
            loop = counted_loop(situation, node)
            if isinstance(loop, CannotChange) or shared_by(situation, loop) is None:
                continue  # nobody would expect it there
            plan = _plan(situation, loop)
            if isinstance(plan, str):
                yield cannot(situation, node, plan)
            else:
                yield _change(situation, plan)


@dataclass(frozen=True)
class _Plan:
    loop: CountedLoop
    lanes: int
    offset: Optional[Node]  # what is added to the variable in every index
    arrays: tuple[tuple[str, str], ...]  # name and element type, with const where it is only read
    elements: tuple[Node, ...]  # every access
    is_read: frozenset[str]
    is_written: frozenset[str]
    unproven: tuple[tuple[str, str], ...]  # pairs that may overlap


def _plan(situation: Situation, loop: CountedLoop) -> Union[_Plan, str]:
    tokens = situation.unit.files[situation.kernel.path].tokens
    sharing = shared_by(situation, loop) or ""
    fixed = why_fixed(loop.inside, situation.unit)
    if fixed is not None:
        return fixed[1]
    if loop.comparison != "<" or not loop.declared_here:
        return "it is not written as for (int i = ...; i < n; ...)"
    if has_directive(loop.node.span, tokens) or uses_of(loop.variable, loop.body, tokens) is None:
        return "there are macros or preprocessor lines in it"
    for statement in statements(loop.body):
        if not _is_assignment(statement):
            return "its body is more than assignments to elements"
    return _with_accesses(situation, loop, sharing, tokens)


def _is_assignment(node: Node) -> bool:
    is_plain = node.kind == "BinaryOperator" and node.operator == "="
    if not (is_plain or node.kind == "CompoundAssignOperator") or node.in_macro:
        return False
    return stripped(node.children[0]).kind == "ArraySubscriptExpr"


def _with_accesses(
    situation: Situation, loop: CountedLoop, sharing: str, tokens: Sequence[Token]
) -> Union[_Plan, str]:
    accesses = [*loop.inside.loads, *loop.inside.stores]
    offsets: list[Optional[Node]] = []
    types = {}
    for access in accesses:
        offset = _offset(access, loop.variable)
        if isinstance(offset, str):
            return offset
        if storage_of(access.root, situation.kernel).kind != PARAMETER:
            return f"{access.root or 'an address'} is not a pointer that the kernel is given"
        offsets.append(offset)
        types[access.root or ""] = access.type.replace("const ", "")
    first = offsets[0]
    for offset in offsets[1:]:
        if (offset is None) != (first is None) or (
            offset and first and not same_words(offset, first, tokens)
        ):
            return "its accesses are not all to the same index"
    sizes = {_VECTORS[type_][1] for type_ in types.values() if type_ in _VECTORS}
    if len(sizes) != 1 or not set(types.values()) <= set(_VECTORS):
        return f"there are no vectors of 16 bytes of {', '.join(sorted(set(types.values())))}"
    parts = [first] if first is not None else []
    parts += [loop.bound, *(_values(loop, accesses))]
    if any(why_not_uniform(part, situation, sharing) for part in parts):
        return "a value in it differs from thread to thread"
    outside = _touched_outside(situation, loop)
    if outside is not None:
        return outside
    return _Plan(
        loop,
        sizes.pop(),
        first,
        tuple(types.items()),
        tuple(access.node for access in accesses),
        frozenset(access.root or "" for access in loop.inside.loads),
        frozenset(access.root or "" for access in loop.inside.stores),
        _unproven(situation, loop),
    )


def _offset(access: Access, variable: str) -> Union[Optional[Node], str]:
    """What is added to the variable in its index, None for nothing; a reason when it is more."""
    why = f"an index in it is not a fixed place plus {variable}"
    node = access.node
    if node.kind != "ArraySubscriptExpr" or variable_named(node.children[0]) is None:
        return why
    index = stripped(node.children[1])
    if variable_named(index) == variable:
        return None
    if index.kind == "BinaryOperator" and index.operator == "+":
        left, right = index.children
        for one, other in ((left, right), (right, left)):
            if variable_named(one) == variable and not _names(other, variable):
                return other
    return why


def _names(node: Node, variable: str) -> bool:
    return any(inner.kind == "DeclRefExpr" and inner.name == variable for inner in node.walk())


def _values(loop: CountedLoop, accesses: Sequence[Access]) -> Iterator[Node]:
    """What is computed with besides the elements and the variable itself."""
    elements = {id(access.node) for access in accesses}
    waiting: list[Node] = [loop.body]
    while waiting:
        node = waiting.pop()
        if id(node) in elements or node.name == loop.variable:
            continue
        if not node.children or node.kind == "MemberRefExpr":
            yield node
        else:
            waiting.extend(node.children)


def _touched_outside(situation: Situation, loop: CountedLoop) -> Optional[str]:
    """Another statement of the kernel that the same thread would have met in memory."""
    others = [child for child in situation.kernel.tree.children if child is not loop.node]
    rest = effects_of(others, situation.unit)
    fixed = why_fixed(rest, situation.unit)
    if fixed is not None and (fixed[0] in rest.unknown or fixed[0] in rest.atomics):
        return f"outside of the loop, {fixed[1]}"
    for mine in (*loop.inside.loads, *loop.inside.stores):
        for other in (*rest.loads, *rest.stores):
            if may_overlap(mine, other, situation.kernel):
                return f"{other.root} is accessed outside of the loop as well"
    return None


def _unproven(situation: Situation, loop: CountedLoop) -> tuple[tuple[str, str], ...]:
    pairs: dict[tuple[str, str], None] = {}
    accesses = [*loop.inside.loads, *loop.inside.stores]
    for one in loop.inside.stores:
        for other in accesses:
            if one.root != other.root and may_overlap(one, other, situation.kernel):
                pair = sorted([one.root or "", other.root or ""])
                pairs[(pair[0], pair[1])] = None
    return tuple(pairs)


def _change(situation: Situation, plan: _Plan) -> Change:
    loop, data = plan.loop, situation.data
    line = line_of(situation, loop.node)
    indent, deeper = indentation(data, loop.node.span.start), indent_step(data, situation.kernel)
    names = FreshNames(situation.unit)
    vectors, item = names.new("vectors"), names.new("v")
    lines = [*_conditions(situation, plan, names, vectors)]
    start = _text(situation, loop.start)
    step = _text(situation, loop.parts.increment).replace(loop.variable, item, 1)
    type_ = loop.type
    lines.append(f"for ({type_} {item} = {start}; {item} < {vectors}; {step}) {{")
    lines += [deeper.decode() + line for line in _body(situation, plan, names, item)]
    lines.append("}")
    text = ("\n" + indent.decode()).join(lines)
    header = Span(loop.node.span.start, loop.start.span.start if loop.start else 0)
    head = header.of(data).decode()
    return Change(
        (
            Edit(Span(header.start, header.start), (text + "\n" + indent.decode()).encode()),
            Edit(Span(header.start, header.end), f"{head}{plan.lanes} * {vectors} + ".encode()),
        ),
        f"access {plan.lanes} elements at a time in the loop at line {line}",
        f"a lane moves 16 bytes with one instruction instead of {16 // plan.lanes}",
    )


def _text(situation: Situation, node: Optional[Node]) -> str:
    return node.span.of(situation.data).decode() if node is not None else ""


def _pointer(situation: Situation, plan: _Plan, name: str) -> str:
    return name if plan.offset is None else f"{name} + {_text(situation, plan.offset)}"


def _conditions(
    situation: Situation, plan: _Plan, names: FreshNames, vectors: str
) -> Iterator[str]:
    loop = plan.loop
    bound = _operand(situation, loop.bound)
    count = _WORDS[plan.lanes]
    yield f"// {count} elements at a time where the pointers allow it, the rest one by one."
    tests = []
    if plan.unproven:
        apart = names.new("apart")
        pairs = [
            f"({a} == {b} || {a} + {bound} <= {b} || {b} + {bound} <= {a})"
            for a, b in plan.unproven
        ]
        joined = " && ".join(pairs)
        yield f"const bool {apart} = {joined[1:-1] if len(pairs) == 1 else joined};"
        tests.append(apart)
    address = names.new("address")
    parts = [f"reinterpret_cast<size_t>({_pointer(situation, plan, n)})" for n, _ in plan.arrays]
    yield f"const size_t {address} = {' | '.join(parts)};"
    tests.append(f"{address} % 16 == 0")
    yield f"const {loop.type} {vectors} = {' && '.join(tests)} ? {bound} / {plan.lanes} : 0;"


def _operand(situation: Situation, node: Node) -> str:
    text = _text(situation, node)
    is_simple = stripped(node).kind in ("DeclRefExpr", "IntegerLiteral", "MemberRefExpr")
    return text if is_simple or text.startswith("(") else f"({text})"


def _body(situation: Situation, plan: _Plan, names: FreshNames, item: str) -> Iterator[str]:
    vector_of = {name: _VECTORS[type_][0] for name, type_ in plan.arrays}
    of_array = {}
    for name, _ in plan.arrays:
        place = f"({_pointer(situation, plan, name)})[{item}]"
        const = "" if name in plan.is_written else "const "
        of_array[name] = f"reinterpret_cast<{const}{vector_of[name]}*>{place}"
    copy = _plain_copy(plan)
    if copy is not None:
        yield f"{of_array[copy[0]]} = {of_array[copy[1]]};"
        return
    locals_ = {name: names.new(f"{name}{plan.lanes}") for name, _ in plan.arrays}
    for name, _ in plan.arrays:
        const = "" if name in plan.is_written else "const "
        value = f" = {of_array[name]}" if name in plan.is_read else ""
        yield f"{const}{vector_of[name]} {locals_[name]}{value};"
    yield from _lanes(situation, plan, item, locals_)
    for name in sorted(plan.is_written):
        yield f"{of_array[name]} = {locals_[name]};"


def _lanes(situation: Situation, plan: _Plan, item: str, locals_: dict[str, str]) -> Iterator[str]:
    tokens = situation.unit.files[situation.kernel.path].tokens
    inside = [node.span for node in plan.elements]
    for statement in statements(plan.loop.body):
        span = statement_span(statement, tokens)
        for lane in range(plan.lanes):
            changes = {
                node.span: f"{locals_[_array(node)]}.{_MEMBERS[lane]}".encode()
                for node in plan.elements
            }
            number = f"({plan.lanes} * {item} + {lane})" if lane else f"{plan.lanes} * {item}"
            for use in uses_of(plan.loop.variable, plan.loop.body, tokens) or []:
                if not any(use.start in element for element in inside):
                    changes[use] = number.encode() if lane else f"({number})".encode()
            yield " ".join(replaced(situation.data, span, changes).decode().split())


def _array(element: Node) -> str:
    return variable_named(element.children[0]) or ""


def _plain_copy(plan: _Plan) -> Optional[tuple[str, str]]:
    """Target and source of a body that is one ``out[i] = in[i]``."""
    body = statements(plan.loop.body)
    if len(body) != 1 or body[0].kind != "BinaryOperator" or len(plan.arrays) != 2:
        return None
    target, value = (stripped(child) for child in body[0].children)
    types = {type_ for _, type_ in plan.arrays}
    if value.kind != "ArraySubscriptExpr" or len(types) != 1:
        return None
    return _array(target), _array(value)
