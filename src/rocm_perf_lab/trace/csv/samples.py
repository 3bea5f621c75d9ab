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

from rocm_perf_lab.trace.builder import TraceBuilder
from rocm_perf_lab.trace.csv.rows import Texts, parse_integer
from rocm_perf_lab.trace.model import UNKNOWN

_REASON = "ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_"
_ISSUED = ""
_NOT_TOLD = "no reason given"
_LINE = re.compile(r":\d+$")


class CsvSamples:
    def __init__(self, builder: TraceBuilder) -> None:
        self._builder = builder
        self._of_nothing = 0

    def add(self, columns: Mapping[str, int], texts: Texts) -> None:
        """Some lines of a file, behind all dispatches of its process."""
        names = ("Dispatch_Id", "Instruction", "Instruction_Comment")
        own = [_column(columns, texts, name) for name in names]
        issued = _column(columns, texts, "Wave_Issued_Instruction")
        reasons = _column(columns, texts, "Stall_Reason")
        for key, count in Counter(zip(*own, issued, reasons)).items():
            dispatch, instruction, comment, *told = key
            self._add(dispatch, instruction, comment, _stall(*told), count)

    def _add(
        self, dispatch: str, instruction: str, comment: str, stall: Optional[str], count: int
    ) -> None:
        number = parse_integer(dispatch)
        row = self._builder.dispatch_row(UNKNOWN if number is None else number)
        if row is None:
            self._of_nothing += count
            return
        place = comment if _LINE.search(comment) else None
        self._builder.add_samples(row, instruction, place, stall, count)

    def close(self) -> None:
        if self._of_nothing:
            self._builder.warnings.append(
                f"{self._builder.process.source}: PC samples of launches that were not recorded: "
                f"{self._of_nothing}; record with --kernel-trace as well"
            )


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
