"""A branch that only chooses a value becomes the choice itself.

``if (c) x = a; else x = b;`` makes the lanes of a wave go both ways one after the other;
``x = c ? a : b;`` computes both values and takes one. Right when both values may be computed by
every lane: they read no memory, divide by nothing and call only what computes. Without ``else``, x
is a variable of the thread and keeps its value.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Optional, Union

from rocm_perf_lab.analysis.verdicts.rules import COMPUTE, DIVERGENCE
from rocm_perf_lab.optimize.rules.reading.place import cannot, line_of
from rocm_perf_lab.optimize.rules.reading.purity import effects_of
from rocm_perf_lab.optimize.rules.reading.syntax import (
    same_words,
    statement_span,
    statements,
    stripped,
    variable_named,
)
from rocm_perf_lab.optimize.rules.rule import CannotChange, Change, Edit, Situation
from rocm_perf_lab.optimize.rules.writing.formatting import indentation, starts_its_line
from rocm_perf_lab.optimize.source.model import Node

_PLAIN = frozenset(
    {"float", "double", "int", "unsigned int", "long", "unsigned long", "long long",
     "unsigned long long", "bool"}
)  # fmt: skip
_COMMENT = b"// A choice instead of a branch: lanes do not wait for each other."


class BranchToSelect:
    name = "branch-to-select"
    helps = (DIVERGENCE, COMPUTE)

    def look(self, situation: Situation) -> Iterable[Union[Change, CannotChange]]:
        for node in situation.kernel.tree.walk():
            if node.kind != "IfStmt" or len(node.children) not in (2, 3):
                continue
            sides = [_assignment(side) for side in node.children[1:]]
            if any(side is None for side in sides):
                continue
            chosen = [side for side in sides if side is not None]
            why = _why_not(situation, node, chosen)
            yield cannot(situation, node, why) if why else _change(situation, node, chosen)


def _assignment(side: Node) -> Optional[Node]:
    """The one assignment to a plain variable or element that a side consists of."""
    inner = statements(side)
    if len(inner) != 1:
        return None
    node = inner[0]
    is_assignment = node.kind == "CompoundAssignOperator" or (
        node.kind == "BinaryOperator" and node.operator == "="
    )
    is_plain = is_assignment and stripped(node.children[0]).type in _PLAIN
    return node if is_plain else None


def _why_not(situation: Situation, node: Node, sides: list[Node]) -> Optional[str]:
    tokens = situation.unit.files[situation.kernel.path].tokens
    if node.in_macro or any(inner.in_macro for side in sides for inner in side.walk()):
        return "it is written by a macro"
    if len(sides) == 2 and not same_words(sides[0].children[0], sides[1].children[0], tokens):
        return "the two sides set different things"
    is_variable = variable_named(sides[0].children[0]) is not None
    if not is_variable and (len(sides) == 1 or any(s.operator != "=" for s in sides)):
        return "memory that is set on one side only is not written on the other"
    if len(sides) == 2 and any(side.operator != "=" for side in sides):
        return "the two sides do not both set a value"
    kinds = {stripped(side.children[1]).type.replace("const ", "") for side in sides}
    kinds.add(stripped(sides[0].children[0]).type)
    if len(kinds) != 1:
        return "the values are converted: a choice could convert them otherwise"
    for side in sides:
        effects = effects_of([side.children[1]], situation.unit)
        if effects.loads:
            return "a value is read from memory, which not every lane may read"
        if not effects.is_value or any(inner.operator in ("/", "%") for inner in side.walk()):
            return "a value is more than cheap arithmetic"
    if not effects_of([node.children[0]], situation.unit).is_value:
        return "the condition does more than to compare"
    return None


def _change(situation: Situation, node: Node, sides: list[Node]) -> Change:
    data = situation.data
    tokens = situation.unit.files[situation.kernel.path].tokens
    target = sides[0].children[0].span.of(data).decode()
    condition = _operand(situation, node.children[0])
    value = _operand(situation, sides[0].children[1])
    if sides[0].kind == "CompoundAssignOperator":
        value = f"{target} {sides[0].operator[:-1]} {_factor(situation, sides[0].children[1])}"
    other = _operand(situation, sides[1].children[1]) if len(sides) == 2 else target
    text = f"{target} = {condition} ? {value} : {other};"
    line = line_of(situation, node)
    span = statement_span(node, tokens)
    own_line = starts_its_line(data, span.start)
    lead = _COMMENT + b"\n" + indentation(data, span.start) if own_line else b""
    return Change(
        (Edit(span, lead + text.encode()),),
        f"choose {target} instead of branching at line {line}",
        f"lanes that differ in the condition at line {line} go both ways one after the other",
    )


def _operand(situation: Situation, node: Node) -> str:
    """With parentheses where a choice binds tighter."""
    inner, text = stripped(node), node.span.of(situation.data).decode()
    loose = inner.kind == "ConditionalOperator" or inner.operator in ("=", ",")
    return f"({text})" if loose and not text.startswith("(") else text


def _factor(situation: Situation, node: Node) -> str:
    inner, text = stripped(node), node.span.of(situation.data).decode()
    compound = inner.kind in ("BinaryOperator", "ConditionalOperator", "CompoundAssignOperator")
    return f"({text})" if compound and node.kind != "ParenExpr" else text
