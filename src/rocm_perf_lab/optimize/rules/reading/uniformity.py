"""Values that are the same for every thread of the grid, or of a workgroup."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Optional

from rocm_perf_lab.optimize.rules.reading.affine import built_in
from rocm_perf_lab.optimize.rules.reading.fixed_values import changed_names, set_once
from rocm_perf_lab.optimize.rules.reading.purity import effects_of
from rocm_perf_lab.optimize.rules.reading.syntax import VARIABLES
from rocm_perf_lab.optimize.rules.rule import Situation
from rocm_perf_lab.optimize.source.model import Node

GRID, GROUP = "grid", "workgroup"
_DIFFERING = {GRID: ("threadIdx.", "blockIdx."), GROUP: ("threadIdx.",)}
_DEEPEST = 8


def why_not_uniform(value: Node, situation: Situation, among: str = GRID) -> Optional[str]:
    """None for what is made of numbers, constants, unchanged parameters and variables that are set
    once from such; memory is not looked into, because it may differ by place."""
    return _Question(situation, among).why(value)


class _Question:
    def __init__(self, situation: Situation, among: str) -> None:
        self._situation = situation
        self._differing = _DIFFERING[among]
        self._held: Mapping[str, Node] = set_once(situation.kernel)
        self._changed = changed_names(situation.kernel)

    def why(self, value: Node, depth: int = 0) -> Optional[str]:
        if depth > _DEEPEST:
            return "what it depends on is not clear"
        for node in value.walk():
            if node.kind == "MemberRefExpr":
                name = built_in(node, self._situation.data)
                if name is not None and name.startswith(self._differing):
                    return f"{name} is used by itself"
            if node.kind == "DeclRefExpr" and node.referent is not None:
                why = self._name(node, depth)
                if why is not None:
                    return why
        return None

    def _name(self, node: Node, depth: int) -> Optional[str]:
        referent = node.referent
        if referent is None or referent.kind not in VARIABLES or referent.at_namespace_scope:
            return None
        if any(parameter.name == referent.name for parameter in self._situation.kernel.parameters):
            is_changed = referent.name in self._changed
            return f"{referent.name} is changed in the kernel" if is_changed else None
        held = self._held.get(referent.name)
        if held is None or not self._is_computed(held):
            return f"{referent.name} may differ from thread to thread"
        why = self.why(held, depth + 1)
        return None if why is None else f"{referent.name} differs from thread to thread"

    def _is_computed(self, value: Node) -> bool:
        effects = effects_of([value], self._situation.unit)
        return effects.is_value and not effects.loads
