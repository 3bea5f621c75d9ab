"""Atomic additions to few places in global memory are collected in LDS first, block by block.

A loop with ``atomicAdd(&bins[value], amount)`` of integers adds to a copy of the bins in LDS;
behind the loop each bin that is not zero is added once to global memory. Integer sums do not
depend on the order, so the result is the same. Right when

* the number of bins follows from the source: a byte, ``x % constant`` or ``x & constant``;
* nothing else in the kernel uses the bins, and the result of the addition is not used;
* what the loop reads are not the bins: that follows from types or ``__restrict__``, or it is tested
  for the stretch that the loop reads;
* every thread of the block comes to the loop, because barriers stand around it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Optional, Union

from rocm_perf_lab.analysis.verdicts.rules import ATOMIC, LATENCY
from rocm_perf_lab.optimize.rules.reading.affine import Indices
from rocm_perf_lab.optimize.rules.reading.aliasing import PARAMETER, may_overlap, storage_of
from rocm_perf_lab.optimize.rules.reading.loop_shape import CountedLoop, counted_loop
from rocm_perf_lab.optimize.rules.reading.place import cannot, line_of
from rocm_perf_lab.optimize.rules.reading.purity import Access, arguments, effects_of
from rocm_perf_lab.optimize.rules.reading.syntax import (
    integer_value,
    parents,
    statement_span,
    stripped,
)
from rocm_perf_lab.optimize.rules.rule import CannotChange, Change, Edit, Situation
from rocm_perf_lab.optimize.rules.writing.formatting import (
    block,
    indent_step,
    indentation,
    indented,
    line_start,
    starts_its_line,
)
from rocm_perf_lab.optimize.rules.writing.fresh_names import FreshNames
from rocm_perf_lab.optimize.source.model import Node, Span

_INTEGERS = ("int", "unsigned int", "unsigned long long", "unsigned long")
_STATEMENTS = frozenset({"CompoundStmt", "ForStmt", "IfStmt"})
_MOST_BINS = 4096
_COMMENT = b"// The block counts in LDS; global memory sees one addition per block and bin."
# A block of several planes would add what each of them finds.
_ONE_PLANE = b"if (threadIdx.y == 0 && threadIdx.z == 0)"


@dataclass(frozen=True)
class _Addition:
    call: Node
    element: Node  # bins[value]
    bins: str
    count: str  # how many bins there can be, as text


class PrivateHistogram:
    name = "private-histogram"
    helps = (ATOMIC, LATENCY)

    def look(self, situation: Situation) -> Iterable[Union[Change, CannotChange]]:
        above = parents(situation.kernel.tree)
        for call in situation.kernel.tree.walk():
            if call.kind == "CallExpr" and call.name == "atomicAdd":
                addition = _addition(situation, call)
                if isinstance(addition, str):
                    yield cannot(situation, call, addition)
                else:
                    is_used = above[id(call)].kind not in _STATEMENTS
                    yield (
                        cannot(situation, call, "its result is used")
                        if is_used
                        else _answer(situation, addition)
                    )


def _addition(situation: Situation, call: Node) -> Union[_Addition, str]:
    given = arguments(call)
    target = stripped(given[0]) if given else call
    element = stripped(target.children[0]) if target.operator == "&" else target
    if target.operator != "&" or element.kind != "ArraySubscriptExpr":
        return "it does not add to bins[value]"
    base = stripped(element.children[0])
    storage = storage_of(base.name, situation.kernel)
    if base.kind != "DeclRefExpr" or storage.kind != PARAMETER or storage.name != base.name:
        return "its bins are not a parameter of the kernel"
    if element.type not in _INTEGERS:
        return f"sums of {element.type} depend on their order"
    count = _count(element.children[1], situation.data)
    if count is None:
        return "how many bins there are does not follow from the source"
    return _Addition(call, element, base.name, count)


def _count(index: Node, data: bytes) -> Optional[str]:
    inner = stripped(index)
    if inner.type.replace("const ", "") == "unsigned char":
        return "256"
    if inner.kind != "BinaryOperator" or inner.operator not in ("%", "&"):
        return None
    left, right = inner.children
    number = integer_value(right, data)
    if inner.operator == "&":
        return str(number + 1) if number is not None and 0 <= number < _MOST_BINS else None
    if not stripped(left).type.replace("const ", "").startswith("unsigned"):
        return None  # what is left of a negative number is negative
    name = stripped(right)
    if number is None and name.kind == "DeclRefExpr" and name.referent is not None:
        is_fixed = name.referent.is_constant and name.referent.at_namespace_scope
        return name.span.of(data).decode() if is_fixed and not name.in_macro else None
    return str(number) if number is not None and 0 < number <= _MOST_BINS else None


def _answer(situation: Situation, addition: _Addition) -> Union[Change, CannotChange]:
    tree, call = situation.kernel.tree, addition.call
    around = next((n for n in tree.children if call.span.start in n.span), tree)
    if around.kind not in ("ForStmt", "WhileStmt"):
        return cannot(situation, call, "it is not in a loop that every thread comes to")
    before = effects_of([n for n in tree.children if n is not around], situation.unit)
    if before.jumps:
        return cannot(situation, before.jumps[0], "a thread that returns misses the barriers")
    inside = effects_of([around], situation.unit)
    why = _why_not(situation, addition, around)
    if why is not None:
        return cannot(situation, call, why)
    if inside.jumps and any(jump.kind == "ReturnStmt" for jump in inside.jumps):
        return cannot(situation, inside.jumps[0], "a thread that returns misses the barriers")
    tests = _tests(situation, addition, around)
    if isinstance(tests, str):
        return cannot(situation, call, tests)
    return _change(situation, addition, around, tests)


def _why_not(situation: Situation, addition: _Addition, around: Node) -> Optional[str]:
    effects = effects_of([situation.kernel.tree], situation.unit)
    if effects.barriers or effects.exchanges or effects.unknown:
        return "the kernel has barriers, exchanges values between lanes or calls something unknown"
    uses = [n for n in situation.kernel.tree.walk() if _names(n, addition.bins)]
    if len(uses) != 1:
        return f"{addition.bins} is used in more than this addition"
    if len(effects.atomics) != 1:
        return "the kernel has other atomic operations"
    stored = Access(addition.element, addition.bins, is_store=True)
    for store in effects.stores:
        if may_overlap(stored, store, situation.kernel):
            return f"{store.root or 'a store'} may write into {addition.bins}"
    return None


def _names(node: Node, name: str) -> bool:
    return node.kind == "DeclRefExpr" and node.name == name


def _tests(situation: Situation, addition: _Addition, around: Node) -> Union[str, list[str]]:
    """What the kernel has to test so that no load meets the bins."""
    stored = Access(addition.element, addition.bins, is_store=True)
    loop = counted_loop(situation, around)
    tests: list[str] = []
    for load in effects_of([situation.kernel.tree], situation.unit).loads:
        if load.root == addition.bins or not may_overlap(stored, load, situation.kernel):
            continue
        if isinstance(loop, CannotChange) or not _runs_to_bound(load, loop, situation):
            return f"{load.root or 'what is read'} may be part of {addition.bins}"
        end = f"{load.root} + {loop.bound.span.of(situation.data).decode()}"
        kind = load.type if load.type.startswith("const ") else f"const {load.type}"
        bins = f"({kind}*){addition.bins}"
        last = f"({kind}*)({addition.bins} + {addition.count})"
        test = f"{end} <= {bins} || {last} <= {load.root}"
        if test not in tests:
            tests.append(test)
    return tests


def _runs_to_bound(load: Access, loop: CountedLoop, situation: Situation) -> bool:
    """``in[i]`` with i below the bound: the stretch that is read begins at ``in``."""
    storage = storage_of(load.root, situation.kernel)
    if load.node.kind != "ArraySubscriptExpr" or storage.kind != PARAMETER:
        return False
    index = Indices(situation).polynomial(load.node.children[1])
    simple = stripped(loop.bound).kind in ("DeclRefExpr", "IntegerLiteral")
    start = Indices(situation).polynomial(loop.start) if loop.start is not None else None
    from_zero = start is not None and all(
        number > 0 and all("." in name for name in factors) for factors, number in start.items()
    )  # sums of products of threadIdx and its like are never negative
    is_up = loop.comparison == "<" and loop.counts_up and from_zero
    return storage.name == load.root and index == {(loop.variable,): 1} and simple and is_up


def _change(situation: Situation, addition: _Addition, around: Node, tests: list[str]) -> Change:
    data, names = situation.data, FreshNames(situation.unit)
    tokens = situation.unit.files[situation.kernel.path].tokens
    span = statement_span(around, tokens)
    indent, step = indentation(data, span.start), indent_step(data, situation.kernel)
    counts, bin_ = names.new("counts"), names.new("bin")
    inner = indent + step if tests else indent
    loop = indented(_counting(situation, addition, span, counts), indent, inner)
    header = f"for (int {bin_} = threadIdx.x; {bin_} < {addition.count}; {bin_} += blockDim.x)"
    flush = f"if ({counts}[{bin_}] != 0) atomicAdd(&{addition.bins}[{bin_}], {counts}[{bin_}]);"
    lines = [
        block([f"{header} {counts}[{bin_}] = 0;".encode(), b"__syncthreads();"], inner),
        inner + loop,
        block([b"__syncthreads();", _ONE_PLANE], inner),
        block([header.encode(), step + flush.encode()], inner + step),
    ]
    declared = f"__shared__ {addition.element.type} {counts}[{addition.count}];".encode()
    top = [block([_COMMENT, declared], indent)]
    if tests:
        top.append(indent + f"if ({_joined(tests)}) {{".encode())
        old = indented(span.of(data), indent, inner)
        lines += [indent + b"} else {", inner + old, indent + b"}"]
    own_line = starts_its_line(data, span.start)
    start = line_start(data, span.start) if own_line else span.start
    text = b"\n".join([*top, *lines])
    return Change(
        (Edit(Span(start, span.end), text if own_line else b"\n" + text),),
        f"count in LDS in the loop at line {line_of(situation, around)}, add to "
        f"{addition.bins} once",
        f"every turn of the loop is an atomic addition to one of {addition.count} words in global "
        "memory",
    )


def _joined(tests: list[str]) -> str:
    return tests[0] if len(tests) == 1 else " && ".join(f"({test})" for test in tests)


def _counting(situation: Situation, addition: _Addition, span: Span, counts: str) -> bytes:
    """The loop with the name of the bins replaced in the addition."""
    base = stripped(addition.element.children[0]).span
    data = situation.data
    return data[span.start : base.start] + counts.encode() + data[base.end : span.end]
