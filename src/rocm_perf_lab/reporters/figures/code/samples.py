"""Samples of program counters as a person reads them: in words, and as a table of lines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Optional

from rocm_perf_lab.analysis.documents.schemas.profile import (
    KernelRowModel,
    SampledLineModel,
    SamplesModel,
)
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.figures.code.thread_trace import clipped, short_source
from rocm_perf_lab.reporters.kernel_names import short_names

_MOST_TOLD, _MOST_ROWS, _NAME_WIDTH, _TEXT_WIDTH, _REASON_WIDTH = 3, 8, 32, 44, 20
_FEW = 100  # samples: a share of them is a guess


def render_samples(row: KernelRowModel) -> list[str]:
    """Of one kernel; nothing where it has none."""
    if row.samples is None:
        return []
    name = short_names([row.name], _NAME_WIDTH)[0]
    return [tt.wrap(f"PC samples of {name}: {in_words(row.samples)}"), _table(row.samples)]


def in_words(samples: SamplesModel) -> str:
    few = ", too few for shares to mean much" if samples.samples < _FEW else ""
    text = f"{samples.samples}{few}"
    if samples.stalled is None:
        return f"{text}. The host trap does not tell why a wave waits."
    text += f"; in {tt.percent(samples.stalled)} of them the wave issued nothing"
    most = [f"{name} {tt.percent(share)}" for name, share in samples.reasons.items()]
    return f"{text} ({', '.join(most[:_MOST_TOLD])})." if most else f"{text}."


def most_sampled(samples: Optional[SamplesModel]) -> Optional[str]:
    """The lines with most samples in one sentence."""
    if samples is None:
        return None
    told = [_brief(line) for line in (samples.lines or samples.instructions)[:_MOST_TOLD]]
    what = "Lines" if samples.lines else "Instructions"
    return f"PC samples: {in_words(samples)} {what} with most of them: {', '.join(told)}."


def _brief(line: SampledLineModel) -> str:
    stalled = "" if line.stalled is None else f", stalled {tt.percent(line.stalled)}"
    return f"{PurePath(line.text).name} ({tt.percent(line.share)}{stalled})"


def _table(samples: SamplesModel) -> str:
    by_line = bool(samples.lines)
    title = "line" if by_line else "instruction (no line tables: compile with -gline-tables-only)"
    columns = (
        tt.Column("samples"),
        tt.Column("share"),
        tt.Column("stalled"),
        tt.Column("mostly for", align_left=True),
        tt.Column(title, align_left=True, shorten=tt.clipped),
    )
    return tt.render(columns, _rows(samples.lines or samples.instructions, by_line))


def _rows(lines: Sequence[SampledLineModel], by_line: bool) -> list[list[str]]:
    return [
        [
            str(line.samples),
            tt.percent(line.share),
            tt.percent(line.stalled),
            clipped(line.reason or tt.ABSENT, _REASON_WIDTH),
            short_source(line.text) if by_line else clipped(line.text, _TEXT_WIDTH),
        ]
        for line in lines[:_MOST_ROWS]
    ]
