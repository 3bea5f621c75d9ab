"""Where a rule acts or refuses, in lines."""

from __future__ import annotations

from rocm_perf_lab.optimize.refusal import Location
from rocm_perf_lab.optimize.rules.rule import CannotChange, Situation
from rocm_perf_lab.optimize.source.model import Node


def line_of(situation: Situation, node: Node) -> int:
    return situation.data.count(b"\n", 0, node.span.start) + 1


def cannot(situation: Situation, node: Node, why: str) -> CannotChange:
    where = Location.of(situation.kernel.path, situation.data, node.span.start)
    return CannotChange(why, where)
