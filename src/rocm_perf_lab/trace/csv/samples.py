"""Samples of program counters (``rocprofv3 --pc-sampling-beta-enabled``), counted as they are read.

Stochastic samples say whether the wave issued the instruction, and what held it back if it did not;
those of the host trap do not. The comment of an instruction is its line of source, where the code
has line tables.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import Optional

import numpy as np
from msgspec.structs import replace

from rocm_perf_lab.trace.builder import TraceBuilder
from rocm_perf_lab.trace.csv.rows import Texts, parse_integer
from rocm_perf_lab.trace.lookup import StringTable
from rocm_perf_lab.trace.model import UNKNOWN, Samples, Trace
from rocm_perf_lab.trace.row_tables import as_table

_REASON = "ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_"
_ISSUED = ""
_NOT_TOLD = "no reason given"
_LINE = re.compile(r":\d+$")


class CsvSamples:
    """Of one process, whose dispatches ``builder`` has already."""

    def __init__(self, builder: TraceBuilder) -> None:
        self._builder = builder
        self._strings: dict[str, int] = {}
        self._counts: Counter[tuple[int, int, int, int]] = Counter()
        self._of_nothing = 0

    def add(self, columns: Mapping[str, int], fields: Texts) -> None:
        """Some lines of a file."""
        names = ("Dispatch_Id", "Instruction", "Instruction_Comment")
        own = [_column(columns, fields, name) for name in names]
        issued = _column(columns, fields, "Wave_Issued_Instruction")
        reasons = _column(columns, fields, "Stall_Reason")
        for key, count in Counter(zip(*own, issued, reasons)).items():
            dispatch, instruction, comment, *told = key
            number = parse_integer(dispatch)
            row = self._builder.dispatch_row(UNKNOWN if number is None else number)
            if row is None:
                self._of_nothing += count
                continue
            place = comment if _LINE.search(comment) else None
            texts = (instruction, place, _stall(*told))
            at, line, stall = (self._number(text) for text in texts)
            self._counts[row, at, line, stall] += count

    def _number(self, text: Optional[str]) -> int:
        return UNKNOWN if text is None else self._strings.setdefault(text, len(self._strings))

    def added_to(self, trace: Trace) -> Trace:
        if self._of_nothing:
            warning = (
                f"{trace.source}: PC samples of launches that were not recorded: "
                f"{self._of_nothing}; record with --kernel-trace as well"
            )
            trace = replace(trace, warnings=(*trace.warnings, warning))
        strings = StringTable()
        strings.add_all(trace.strings)
        number = np.append(strings.add_all(tuple(self._strings)), np.int32(UNKNOWN))
        table = as_table(Samples, [(*key, count) for key, count in self._counts.items()])
        moved = {name: number[getattr(table, name)] for name in ("instruction", "place", "stall")}
        return replace(trace, strings=strings.as_tuple(), samples=replace(table, **moved))


def _column(columns: Mapping[str, int], texts: Texts, name: str) -> Sequence[str]:
    position = columns.get(name)
    return list(repeat("", len(texts[0]))) if position is None else texts[position]


def _stall(issued: str, reason: str) -> Optional[str]:
    """None where the file does not tell."""
    if not issued:
        return None
    if issued.lower() in ("1", "true"):
        return _ISSUED
    words = reason.removeprefix(_REASON).replace("_", " ").lower()
    return words if words not in ("", "none") else _NOT_TOLD
