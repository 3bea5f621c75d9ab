"""A thread trace with the figures of a recorded one: what each opcode cost, and nothing else of it.

Every wave executes its share of each opcode in one go, opcode after opcode, and every execution
costs the same but for a cycle; our own writer of thread traces does the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rocm_perf_lab.vrocm.att.file import (
    STEP,
    Function,
    Instruction,
    OccupancyEvent,
    ThreadTrace,
    TracedWave,
)
from rocm_perf_lab.vrocm.att.output import TracedDispatch, write_dispatch

AGENT = 5600
_BEGIN = 100
_BETWEEN_LAUNCHES = 4  # cycles
_LAST = "s_endpgm"
_WAIT = "s_waitcnt"
_SIMDS = 4


def shares(total: int, parts: int) -> list[int]:
    """``total`` in whole parts that differ by one at most."""
    whole, rest = divmod(total, parts)
    return [whole + (part < rest) for part in range(parts)]


def write_waves(figures: Mapping[str, Any], number: int, symbol: str, folder: Path) -> None:
    """The decoder folder and the statistics table of one dispatch."""
    costs = sorted(figures["costs"], key=lambda cost: (cost[0] == _LAST, cost[0], cost[1]))
    code = tuple(Instruction(4 * row, _text(cost[0]), "") for row, cost in enumerate(costs))
    waves = tuple(_wave(figures, costs, index) for index in range(figures["waves"]))
    events = tuple(_occupancy(figures))
    function = Function(0, symbol, symbol, code)
    trace = ThreadTrace(figures["clock_mhz"] / 1000, 0, 0, (function,), waves, events)
    write_dispatch(trace, TracedDispatch(AGENT, number, symbol, 0, {0: number}), folder)


def _text(opcode: str) -> str:
    return f"{opcode} vmcnt(0) lgkmcnt(0)" if opcode == _WAIT else opcode


def _wave(figures: Mapping[str, Any], costs: list[list[Any]], index: int) -> TracedWave:
    waves, steps, now = figures["waves"], [], _BEGIN
    for row, (_opcode, category, *sums) in enumerate(costs):
        hits, latency, stall, idle = (shares(total, waves)[index] for total in sums)
        now += idle
        for cycles, stalled in zip(shares(latency, hits), shares(stall, hits)):
            steps.append((now, stalled, cycles, row, category))
            now += cycles
    end = _BEGIN + shares(figures["wave_cycles"], waves)[index]
    return TracedWave(0, 0, index, 0, _BEGIN, end, np.array(steps, dtype=STEP))


def _occupancy(figures: Mapping[str, Any]) -> Iterator[OccupancyEvent]:
    """One wave after the other, on as many CUs as there were."""
    life = figures["wave_cycles"] // figures["waves"]
    for begins in (True, False):
        for wave in range(figures["launched"]):
            cu, simd = divmod(wave, _SIMDS)
            time = _BEGIN + _BETWEEN_LAUNCHES * wave + (0 if begins else life)
            slot = 0
            yield OccupancyEvent(0, time, cu % figures["compute_units"], simd, slot, begins)
