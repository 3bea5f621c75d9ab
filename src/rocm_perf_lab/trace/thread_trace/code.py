"""The code of a thread trace with its costs, from ``code.json`` or from the statistics table.

Both have had columns added and will have more: columns are found by their names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from rocm_perf_lab.errors import RecordingError
from rocm_perf_lab.trace.csv.rows import CsvRow, read_rows
from rocm_perf_lab.trace.thread_trace.detect import STATISTICS_COLUMNS
from rocm_perf_lab.trace.thread_trace.json import (
    HOW_TO_TRACE,
    address,
    items,
    natural,
    read_document,
)
from rocm_perf_lab.trace.thread_trace.model import CodeLine, ThreadTrace

_LABEL = ";"  # begins the row of a function's name
_COSTS = ("Hit", "Latency", "Stall", "Idle")
_NEEDED = ("ISA", "LineNumber", *_COSTS)
_STATS_COSTS = STATISTICS_COLUMNS[1:]


@dataclass(frozen=True)
class Code:
    kernels: tuple[str, ...]
    lines: tuple[CodeLine, ...]
    warnings: tuple[str, ...]


def read_code(path: Path) -> Code:
    """``code.json``. A code of ``null`` (no wave came to the traced CU) gives no lines."""
    document = read_document(path)
    header = document.get("header")
    names = [name.strip() for name in header.split(",")] if isinstance(header, str) else []
    columns = {name: position for position, name in enumerate(names)}
    rows = items(document.get("code"))
    missing = [name for name in _NEEDED if name not in columns]
    if rows and missing:
        raise RecordingError(f"{path} has no column {', '.join(missing)}", HOW_TO_TRACE)
    return _collected((_of_json(row, columns) for row in rows), path.name)


def read_statistics(path: Path) -> ThreadTrace:
    """``stats_ui_output_agent_<A>_dispatch_<N>.csv``: costs only, no waves."""
    warnings: list[str] = []
    try:
        rows = list(read_rows(path, warnings))
    except OSError as error:
        raise RecordingError(
            f"{path} cannot be read: {error.strerror or error}", HOW_TO_TRACE
        ) from error
    missing = [name for name in STATISTICS_COLUMNS if rows and name not in rows[0].columns]
    if missing:
        raise RecordingError(f"{path} has no column {', '.join(missing)}", HOW_TO_TRACE)
    code = _collected((_of_csv(row, number) for number, row in enumerate(rows)), path.name)
    return ThreadTrace(str(path), code.kernels, code.lines, warnings=(*warnings, *code.warnings))


def _collected(lines: Iterable[Optional[CodeLine]], name: str) -> Code:
    """Kernel labels apart from instructions; damaged rows are counted in a warning."""
    kernels, kept, damaged = [], [], 0
    for line in lines:
        if line is None:
            damaged += 1
        elif line.text.startswith(_LABEL):
            kernels.append(line.text[len(_LABEL) :].strip())
        else:
            kept.append(line)
    warnings = (f"{name}: left out {damaged} damaged rows",) if damaged else ()
    return Code(tuple(kernels), tuple(kept), warnings)


def _of_json(row: object, columns: Mapping[str, int]) -> Optional[CodeLine]:
    values = items(row)

    def value(name: str) -> Any:
        position = columns.get(name, len(values))
        return values[position] if position < len(values) else None

    source = value("Source")
    return _line(
        text=value("ISA"),
        line=natural(value("LineNumber")),
        source=source if isinstance(source, str) else "",
        place=(address(value("Codeobj")), address(value("Vaddr"))),
        costs=[natural(value(name)) for name in _COSTS],
    )


def _of_csv(row: CsvRow, number: int) -> Optional[CodeLine]:
    return _line(
        text=row.text("Instruction"),
        line=number,
        source=row.text("Source") or "",
        place=(
            address(row.optional_integer("CodeObj")),
            address(row.optional_integer("Vaddr")),
        ),
        costs=[natural(row.optional_integer(name)) for name in _STATS_COSTS],
    )


def _line(
    text: object,
    line: Optional[int],
    source: str,
    place: tuple[int, int],
    costs: Sequence[Optional[int]],
) -> Optional[CodeLine]:
    hits, latency, stall, idle = costs
    if not isinstance(text, str) or not text.strip() or line is None:
        return None
    if hits is None or latency is None or stall is None or idle is None or stall > latency:
        return None
    known_source = "" if source.strip() == _LABEL else source.strip()
    return CodeLine(text.strip(), line, known_source, *place, hits, latency, stall, idle)
