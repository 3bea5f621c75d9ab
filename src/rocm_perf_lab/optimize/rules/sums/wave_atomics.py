"""The lanes of a wave that add to one place add up among themselves first, then once to memory.

``atomicAdd(&total, value)`` with the same address for all threads makes the lanes of a wave follow
each other, in memory or in a loop that the compiler writes. A tree of shuffles takes six steps for
64 lanes, and one lane adds the sum. Right when

* the address is the same for all threads of the block, and the old value is not used;
* all lanes are there: that is asked where the addition stands, and a wave that has lost some of its
  lanes adds as before. So nothing is assumed about branches, loops and returns around it;
* integers, whose sums, minima and the like do not depend on the order. Sums of floating-point
  numbers do, and are changed with ``--allow reassociate`` only.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Optional, Union

from rocm_perf_lab.analysis.verdicts.rules import ATOMIC, LATENCY
from rocm_perf_lab.optimize.rules.reading.place import cannot, line_of
from rocm_perf_lab.optimize.rules.reading.purity import arguments, effects_of
from rocm_perf_lab.optimize.rules.reading.shared_arrays import BYTES
from rocm_perf_lab.optimize.rules.reading.syntax import parents, statement_span, stripped
from rocm_perf_lab.optimize.rules.reading.uniformity import GROUP, why_not_uniform
from rocm_perf_lab.optimize.rules.rule import REASSOCIATE, CannotChange, Change, Edit, Situation
from rocm_perf_lab.optimize.rules.writing.formatting import (
    block,
    indent_step,
    indentation,
    starts_its_line,
)
from rocm_perf_lab.optimize.rules.writing.fresh_names import FreshNames
from rocm_perf_lab.optimize.source.model import Node, Span

_COMMENT = b"// The lanes of a whole wave add up first, then one of them adds to memory."
_COMBINED = {
    "atomicAdd": "{0} += {1};",
    "atomicOr": "{0} |= {1};",
    "atomicAnd": "{0} &= {1};",
    "atomicXor": "{0} ^= {1};",
    "atomicMax": "{0} = max({0}, {1});",
    "atomicMin": "{0} = min({0}, {1});",
}
_STATEMENTS = frozenset({"CompoundStmt", "ForStmt", "IfStmt", "WhileStmt", "DoStmt"})
_FLOATS = ("float", "double")


@dataclass(frozen=True)
class _Update:
    call: Node
    place: Node  # the pointer
    value: Node
    element: str  # the type in memory


class WaveAtomics:
    name = "wave-atomics"
    helps = (ATOMIC, LATENCY)

    def look(self, situation: Situation) -> Iterable[Union[Change, CannotChange]]:
        above = parents(situation.kernel.tree)
        for node in situation.kernel.tree.walk():
            update = _update(node)
            if update is None or _is_done(situation, node, above[id(node)]):
                continue
            why = _why_not(situation, update, above[id(node)])
            yield cannot(situation, node, why) if why else _change(situation, update)


def _update(node: Node) -> Optional[_Update]:
    if node.kind != "CallExpr" or node.name not in _COMBINED:
        return None
    given = arguments(node)
    if len(given) != 2:
        return None
    pointer = stripped(given[0]).type.replace("__restrict", "").replace("const", "").strip()
    return _Update(node, given[0], given[1], pointer.removesuffix("*").strip())


def _is_done(situation: Situation, call: Node, parent: Node) -> bool:
    """One lane adds, or it is what is left to do lane by lane."""
    if parent.kind == "CompoundStmt":
        parent = parents(situation.kernel.tree).get(id(parent), parent)
    condition = parent.children[0] if parent.kind == "IfStmt" else None
    text = condition.span.of(situation.data) if condition is not None else b""
    return any(word in text for word in (b"__lane_id", b"__ballot", b"threadIdx.x == 0"))


def _why_not(situation: Situation, update: _Update, parent: Node) -> Optional[str]:
    call, unit = update.call, situation.unit
    if call.in_macro or call.referent is None or call.referent.path in unit.files:
        return f"{call.name} is not HIP's, or comes from a macro"
    if parent.kind not in _STATEMENTS:
        return "the value before the addition is used"
    if update.element not in BYTES:
        return f"there are no shuffles of {update.element or 'what it points to'}"
    used = effects_of([update.place], unit)
    differs = why_not_uniform(update.place, situation, GROUP)
    if used.loads or not used.is_value or differs is not None:
        return f"its lanes may add to different places: {differs or 'the address is read'}"
    if update.element in _FLOATS and call.name != "atomicAdd":
        return f"minima and maxima of {update.element} depend on how numbers that are none compare"
    if update.element in _FLOATS and REASSOCIATE not in situation.allowed:
        return f"sums of {update.element} depend on their order; --allow reassociate permits it"
    if not effects_of([update.value], unit).is_value:
        return "what is added does more than to compute"
    return None


def _change(situation: Situation, update: _Update) -> Change:
    data, call = situation.data, update.call
    span = statement_span(call, situation.unit.files[situation.kernel.path].tokens)
    step = indent_step(data, situation.kernel)
    lines = _lines(situation, update, step)
    indent = indentation(data, span.start)
    if starts_its_line(data, span.start):
        text = block(lines, indent)[len(indent) :]
    else:  # behind a condition on the same line: a block has to stand there
        text = b"{\n" + block(lines, indent + step) + b"\n" + indent + b"}"
    place = update.place.span.of(data).decode()
    return Change(
        (Edit(Span(span.start, span.end), text),),
        f"add up a wave's lanes before the {call.name} at line {line_of(situation, call)}",
        f"all 64 lanes of a wave go to {place}, one after the other",
    )


def _lines(situation: Situation, update: _Update, step: bytes) -> list[bytes]:
    data, names = situation.data, FreshNames(situation.unit)
    total, offset = names.new("wave_total"), names.new("offset")
    place, value = (node.span.of(data).decode() for node in (update.place, update.value))
    combined = _COMBINED[update.call.name].format(total, f"__shfl_down({total}, {offset})")
    name = update.call.name
    inner = [
        f"{update.element} {total} = {value};",
        f"for (int {offset} = warpSize / 2; {offset} > 0; {offset} /= 2)",
        step.decode() + combined,
        f"if (__lane_id() == 0) {name}({place}, {total});",
    ]
    return [
        _COMMENT,
        b"if (__popcll(__ballot(1)) == warpSize) {",
        *(step + line.encode() for line in inner),
        b"} else {",
        step + update.call.span.of(data) + b";",
        b"}",
    ]
