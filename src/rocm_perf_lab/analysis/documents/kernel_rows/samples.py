"""What samples of program counters say of each kernel: the lines and instructions they fell on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Optional

import numpy as np

from rocm_perf_lab.analysis.documents.schemas.profile import SampledLineModel, SamplesModel
from rocm_perf_lab.trace.model import UNKNOWN, Trace

_MOST_LINES = 12
_ISSUED = ""

Row = tuple[str, Optional[str], Optional[str], int]  # instruction, place, stall, count


def sampled_kernels(trace: Trace) -> Mapping[str, SamplesModel]:
    """By the name of the kernel; of all launches of kernels of that name."""
    table = trace.samples
    if not len(table):
        return {}
    kernel = trace.dispatches.kernel[table.dispatch]
    keys = np.stack([kernel, table.instruction, table.place, table.stall])
    groups, where = np.unique(keys, axis=1, return_inverse=True)
    counts = np.bincount(where.ravel(), weights=table.count).astype(np.int64)
    rows: dict[str, list[Row]] = {}
    for (of_kernel, instruction, place, stall), count in zip(groups.T.tolist(), counts.tolist()):
        at, why = (None if i == UNKNOWN else trace.strings[i] for i in (place, stall))
        row = (trace.strings[instruction], at, why, count)
        rows.setdefault(trace.kernels[of_kernel].name, []).append(row)
    return {name: _model(found) for name, found in rows.items()}


def _model(rows: Sequence[Row]) -> SamplesModel:
    total = sum(count for *_, count in rows)
    reasons = _reasons(rows)
    stalled = sum(reasons.values())
    return SamplesModel(
        samples=total,
        stalled=stalled / total if _tells(rows) else None,
        reasons={name: count / stalled for name, count in _most_common(reasons)},
        lines=_lines(rows, 1, total),
        instructions=_lines(rows, 0, total),
    )


def _lines(rows: Sequence[Row], column: int, total: int) -> list[SampledLineModel]:
    by_text: dict[str, list[Row]] = {}
    for row in rows:
        text = row[column]
        if isinstance(text, str):
            by_text.setdefault(text, []).append(row)
    found = [_line(text, own, total) for text, own in by_text.items()]
    return sorted(found, key=lambda line: (-line.samples, line.text))[:_MOST_LINES]


def _line(text: str, rows: Sequence[Row], total: int) -> SampledLineModel:
    samples = sum(count for *_, count in rows)
    reasons = _reasons(rows)
    return SampledLineModel(
        text=text,
        samples=samples,
        share=samples / total,
        stalled=sum(reasons.values()) / samples if _tells(rows) else None,
        reason=_most_common(reasons)[0][0] if reasons else None,
    )


def _tells(rows: Sequence[Row]) -> bool:
    return all(stall is not None for _, _, stall, _ in rows)


def _reasons(rows: Sequence[Row]) -> Counter[str]:
    reasons: Counter[str] = Counter()
    for _, _, stall, count in rows:
        if stall is not None and stall != _ISSUED:
            reasons[stall] += count
    return reasons


def _most_common(reasons: Counter[str]) -> list[tuple[str, int]]:
    """Equal ones by name: the page must not depend on the order of the file."""
    return sorted(reasons.items(), key=lambda one: (-one[1], one[0]))
