"""Where the waves of a thread trace spent their time: by instruction and by source line.

A load's latency shows up at the wait for it, and compilers give a wait the source line of the
instruction that needs the value: the hot line is where data is used, not where it is loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rocm_perf_lab.analysis.code.instruction_mix import Cost
from rocm_perf_lab.trace.thread_trace.model import CodeLine

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
    within: str  # of inlined code the outermost call that spends most there, else ""


def hot_instructions(code: Sequence[CodeLine], limit: int) -> tuple[HotInstruction, ...]:
    """The most expensive first; equal ones in the order of the code."""
    total = sum(map(_cycles, code))
    executed = [line for line in code if line.hits]
    ranked = sorted(executed, key=lambda line: (-_cycles(line), line.line))[:limit]
    return tuple(HotInstruction(line, _cycles(line) / total if total else 0.0) for line in ranked)


def hot_sources(code: Sequence[CodeLine], limit: int) -> tuple[HotSource, ...]:
    """Empty for code without line tables (compile with -gline-tables-only to have them)."""
    total = sum(map(_cycles, code))
    lines: dict[str, list[CodeLine]] = {}
    for line in code:
        source = innermost(line.source)
        if line.hits and source:
            lines.setdefault(source, []).append(line)
    found = [_hot_source(source, mine, total) for source, mine in lines.items()]
    return tuple(sorted(found, key=lambda hot: (-_spent(hot.cost), hot.source))[:limit])


def _hot_source(source: str, lines: Sequence[CodeLine], total: int) -> HotSource:
    cost = Cost()
    within: dict[str, int] = {}
    for line in lines:
        cost = cost.plus(line)
        within[outermost(line.source)] = within.get(outermost(line.source), 0) + _cycles(line)
    place = max(within, key=lambda call: (within[call], call))
    return HotSource(source, cost, _spent(cost) / total if total else 0.0, len(lines), place)


def innermost(source: str) -> str:
    """Of "callee.h:3 -> caller.hip:9" the first; what follows is where it was inlined.

    Line 0 is how line tables mark code that belongs to no line; "" then.
    """
    place = source.partition(_INLINED_INTO)[0].strip()
    return "" if place.endswith(_NO_LINE) else place


def outermost(source: str) -> str:
    """Of "callee.h:3 -> caller.hip:9" the last, the call in the kernel; "" if not inlined."""
    _, inlined, place = source.rpartition(_INLINED_INTO)
    return place.strip() if inlined and not place.endswith(_NO_LINE) else ""


def _cycles(line: CodeLine) -> int:
    return line.latency + line.idle


def _spent(cost: Cost) -> int:
    return cost.latency + cost.idle
