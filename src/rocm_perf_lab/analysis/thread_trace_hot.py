"""Where the waves of a thread trace spent their time: by instruction and by source line.

A load's latency shows up at the wait for it, and compilers give a wait the source line of the
instruction that needs the value: the hot line is where data is used, not where it is loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rocm_perf_lab.analysis.instruction_mix import Cost
from rocm_perf_lab.trace.thread_trace_model import CodeLine

_INLINED_INTO = " -> "
_NO_LINE = ":0"


@dataclass(frozen=True)
class HotInstruction:
    code: CodeLine
    share: float  # of the time of all waves: its latency and the idle time before it


@dataclass(frozen=True)
class HotSource:
    source: str  # "file:line", the innermost one where calls were inlined
    cost: Cost
    share: float
    instructions: int  # that were executed


def hot_instructions(code: Sequence[CodeLine], limit: int) -> tuple[HotInstruction, ...]:
    """The most expensive first; equal ones in the order of the code."""
    total = sum(map(_cycles, code))
    executed = [line for line in code if line.hits]
    ranked = sorted(executed, key=lambda line: (-_cycles(line), line.line))[:limit]
    return tuple(HotInstruction(line, _cycles(line) / total if total else 0.0) for line in ranked)


def hot_sources(code: Sequence[CodeLine], limit: int) -> tuple[HotSource, ...]:
    """Empty for code without line tables (compile with -gline-tables-only to have them)."""
    total = sum(map(_cycles, code))
    costs: dict[str, Cost] = {}
    counts: dict[str, int] = {}
    for line in code:
        source = innermost(line.source)
        if line.hits and source:
            costs[source] = costs.get(source, Cost()).plus(line)
            counts[source] = counts.get(source, 0) + 1
    ranked = sorted(costs.items(), key=lambda item: (-_spent(item[1]), item[0]))[:limit]
    return tuple(
        HotSource(source, cost, _spent(cost) / total if total else 0.0, counts[source])
        for source, cost in ranked
    )


def innermost(source: str) -> str:
    """Of "callee.h:3 -> caller.hip:9" the first; what follows is where it was inlined.

    Line 0 is how line tables mark code that belongs to no line; "" then.
    """
    place = source.partition(_INLINED_INTO)[0].strip()
    return "" if place.endswith(_NO_LINE) else place


def _cycles(line: CodeLine) -> int:
    return line.latency + line.idle


def _spent(cost: Cost) -> int:
    return cost.latency + cost.idle
