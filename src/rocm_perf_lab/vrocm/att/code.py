"""The code of a thread trace with what its instructions cost: rows of ``code.json`` and the stats.

Latency is the time from the first attempt to issue until the wave goes on, the stall included;
idle is the time before that attempt in which the wave had nothing to issue. What a load takes is
not in its own row, but in the stall of the ``s_waitcnt`` that waits for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.vrocm.att.file import Function, Steps, ThreadTrace, TracedWave

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class CodeRow:
    """An instruction, or the label of a function (a text that begins with ";")."""

    text: str
    line: int
    source: str
    code_object: int
    address: int
    hits: int = 0
    latency: int = 0
    stall: int = 0
    idle: int = 0


@dataclass(frozen=True)
class Code:
    rows: tuple[CodeRow, ...]  # by address; a row's line is its position
    lines: IntArray  # line of each instruction, counted over all functions

    @property
    def texts(self) -> list[str]:
        return [row.text for row in self.rows]


@dataclass(frozen=True)
class Costs:
    """What was spent on each instruction, over all waves."""

    hits: IntArray
    latency: IntArray
    stall: IntArray
    idle: IntArray


def list_code(trace: ThreadTrace, code_objects: Mapping[int, int]) -> Code:
    """``code_objects`` are ids by the address at which they were loaded."""
    costs = sum_costs(trace.waves, sum(len(f.instructions) for f in trace.functions))
    rows: list[CodeRow] = []
    lines: list[int] = []
    for function in trace.functions:
        code_object = code_objects.get(function.base, 0)
        if function.symbol:
            rows.append(_label(function, len(rows), code_object))
        for instruction in function.instructions:
            number = len(lines)
            lines.append(len(rows))
            rows.append(
                CodeRow(
                    instruction.text,
                    len(rows),
                    instruction.source,
                    code_object,
                    instruction.address,
                    int(costs.hits[number]),
                    int(costs.latency[number]),
                    int(costs.stall[number]),
                    int(costs.idle[number]),
                )
            )
    return Code(tuple(rows), np.array(lines, dtype=np.int64))


def _label(function: Function, line: int, code_object: int) -> CodeRow:
    address = function.instructions[0].address
    return CodeRow(f"; {function.symbol}", line, function.demangled, code_object, address)


def sum_costs(waves: Iterable[TracedWave], instructions: int) -> Costs:
    hits, latency, stall, idle = (np.zeros(instructions, dtype=np.int64) for _ in range(4))
    for wave in waves:
        rows = wave.steps["row"]
        np.add.at(hits, rows, 1)
        np.add.at(latency, rows, wave.steps["duration"].astype(np.int64))
        np.add.at(stall, rows, wave.steps["stall"].astype(np.int64))
        np.add.at(idle, rows, idle_before(wave.steps, wave.begin))
    return Costs(hits, latency, stall, idle)


def idle_before(steps: Steps, begin: int) -> IntArray:
    """Cycles between what a wave did last and its first attempt at each step."""
    times = steps["time"].astype(np.int64)
    ends = np.maximum.accumulate(times + steps["duration"].astype(np.int64))
    before = np.concatenate((np.array([begin], dtype=np.int64), ends))[: len(times)]
    idle: IntArray = np.maximum(times - np.maximum(before, begin), 0)
    return idle
