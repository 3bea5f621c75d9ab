"""What lets the threads of a block read together what each of them reads in a loop.

All of them have to be there: a rule lets threads stay that would have returned at the start, for
there is nothing for them to do, so it has to know who: ``if (row >= rows || column >= columns)
return``. And what is read early and by others has to be read in any case, and stay as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Optional, Union

from rocm_perf_lab.optimize.rules.reading.affine import ONE, Indices, coefficient, names_in
from rocm_perf_lab.optimize.rules.reading.fixed_values import changed_names
from rocm_perf_lab.optimize.rules.reading.invariance import meeting, overlapping_pairs
from rocm_perf_lab.optimize.rules.reading.loop_shape import CountedLoop
from rocm_perf_lab.optimize.rules.reading.place import cannot
from rocm_perf_lab.optimize.rules.reading.purity import effects_of, why_fixed
from rocm_perf_lab.optimize.rules.reading.syntax import (
    ancestors,
    parents,
    statements,
    stripped,
    variable_named,
)
from rocm_perf_lab.optimize.rules.reading.uniformity import why_not_uniform
from rocm_perf_lab.optimize.rules.rule import CannotChange, Situation
from rocm_perf_lab.optimize.source.model import Node

_UNCONDITIONAL = frozenset(
    {"CompoundStmt", "CompoundAssignOperator", "DeclStmt", "VarDecl", "UnexposedExpr", "ParenExpr",
     "CallExpr", "UnaryOperator", "CStyleCastExpr", "CXXStaticCastExpr"}
)  # fmt: skip


@dataclass(frozen=True)
class EarlyExit:
    statement: Node
    limits: tuple[tuple[str, str], ...]  # a variable, and the number from which on it returns

    def limit_of(self, variable: str) -> Optional[str]:
        return dict(self.limits).get(variable)

    @property
    def stays(self) -> str:
        """The condition of those that do not return."""
        return " && ".join(f"{name} < {limit}" for name, limit in self.limits)


def early_exit(
    situation: Situation, before: Node, of: Sequence[str]
) -> Union[EarlyExit, CannotChange, None]:
    """The one in front of a statement of the kernel's body, None where no thread leaves. Anything
    else that leaves is refused."""
    tree = situation.kernel.tree
    place = next(number for number, node in enumerate(tree.children) if node is before)
    leaving = [n for n in tree.children[:place] if effects_of([n], situation.unit).jumps]
    if not leaving:
        return None
    statement = leaving[0]
    is_return = statement.kind == "IfStmt" and len(statement.children) == 2
    if len(leaving) > 1 or not is_return or not _returns(statement.children[1]):
        return cannot(situation, statement, "threads return in more than one way")
    limits: list[tuple[str, str]] = []
    for term in _alternatives(statement.children[0]):
        limit = _limit(situation, term, of)
        if limit is None or limit[0] in [name for name, _ in limits]:
            named = " or ".join(of)
            return cannot(situation, statement, f"it does not return for {named} >= a number")
        if stripped(term.children[1]).type.replace("const ", "") != "int":
            return cannot(situation, statement, f"the bound of {limit[0]} is no int")
        limits.append(limit)
    return EarlyExit(statement, tuple(limits))


def counts_threads(situation: Situation, indices: Indices, variable: str, direction: str) -> bool:
    """It is set once to the thread's place in this direction plus what the block shares."""
    if variable not in indices.set_once:
        return False
    value = indices.polynomial(indices.set_once[variable])
    if value is None or coefficient(value, direction) != {ONE: 1}:
        return False
    return all(_is_shared(situation, name) for name in names_in(value) - {direction})


def _is_shared(situation: Situation, name: str) -> bool:
    """By all threads of a block: what a polynomial is made of after all is put in."""
    kernel = situation.kernel
    if name.startswith(("blockIdx.", "blockDim.", "gridDim.")):
        return True
    if any(parameter.name == name for parameter in kernel.parameters):
        return name not in changed_names(kernel)
    uses = [n.referent for n in kernel.tree.walk() if n.kind == "DeclRefExpr" and n.name == name]
    return bool(uses) and all(
        use is not None and use.at_namespace_scope and use.is_constant for use in uses
    )


def _returns(node: Node) -> bool:
    inner = statements(node)
    return len(inner) == 1 and inner[0].kind == "ReturnStmt" and not inner[0].children


def _alternatives(condition: Node) -> Iterator[Node]:
    inner = stripped(condition)
    if inner.kind == "BinaryOperator" and inner.operator == "||":
        for child in inner.children:
            yield from _alternatives(child)
    else:
        yield inner


def _limit(situation: Situation, term: Node, of: Sequence[str]) -> Optional[tuple[str, str]]:
    if term.kind != "BinaryOperator" or term.operator != ">=":
        return None
    name = variable_named(term.children[0])
    if name is None or name not in of or why_not_uniform(term.children[1], situation) is not None:
        return None
    return name, term.children[1].span.of(situation.data).decode()


def why_not_together(
    situation: Situation, counted: CountedLoop, loads: Sequence[Node]
) -> Optional[str]:
    """None when these elements are read in every turn, nothing changes them, and the kernel neither
    waits, exchanges nor adds atomically anywhere."""
    fixed = why_fixed(effects_of([situation.kernel.tree], situation.unit), situation.unit)
    if fixed is not None:
        return fixed[1]
    if counted.inside.jumps:
        return "the loop is left in the middle"
    above = parents(situation.kernel.tree)
    for load in loads:
        for outer in ancestors(load, above):
            if outer is counted.node:
                break
            is_sum = outer.kind == "BinaryOperator" and outer.operator not in ("&&", "||", ",")
            if outer.kind not in _UNCONDITIONAL and not is_sum:
                return "the element is not read in every turn"
    for read, store in overlapping_pairs(list(loads), counted.inside, situation):
        return meeting(read, store)
    return None


def only_declares(statement: Node, situation: Situation) -> bool:
    """Values, and none from memory: those that would have left may compute them, too."""
    effects = effects_of([statement], situation.unit)
    is_declaration = statement.kind == "DeclStmt" and not effects.loads
    return is_declaration and not (effects.stores or effects.fixed or effects.jumps)
