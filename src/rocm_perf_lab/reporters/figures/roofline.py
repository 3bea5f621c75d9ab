"""The roofline as a person reads it: one row per kernel, then what the figures rest on."""

from __future__ import annotations

from typing import Optional

from rocm_perf_lab.analysis.documents.schemas.roofline import KernelRooflineModel, RooflineDocument
from rocm_perf_lab.reporters import terminal
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.kernel_names import short_names

MOST_ROWS = 20
_NAME_WIDTH = 34
_COLUMNS = (
    tt.Column("kernel", align_left=True, shorten=short_names),
    tt.Column("GFLOP/s"),
    tt.Column("GB/s"),
    tt.Column("FLOP/B"),
    tt.Column("bound", align_left=True),
    tt.Column("nearest roof", align_left=True),
    tt.Column("reached"),
)
_GIGA = 1e9


def render_roofline(document: RooflineDocument) -> list[str]:
    """Paragraphs, not yet wrapped; the first is a table."""
    shown = document.kernels[:MOST_ROWS]
    names = short_names([kernel.kernel for kernel in shown], terminal.roomy(_NAME_WIDTH))
    table = tt.render(_COLUMNS, [[n, *_cells(k)] for n, k in zip(names, shown)])
    paragraphs = [table]
    if document.roofs:
        paragraphs.append(f"Roofs: {', '.join(_roofs(document))}.")
    caveats = [*document.notes, *(caveat for kernel in shown for caveat in kernel.caveats)]
    paragraphs += [f"Note: {caveat}" for caveat in dict.fromkeys(caveats)]
    return paragraphs


def _cells(kernel: KernelRooflineModel) -> list[str]:
    mark = " ?" if kernel.suspect else ""
    return [
        _number(kernel.flop_rate, _GIGA),
        _number(kernel.byte_rate, _GIGA),
        _number(kernel.arithmetic_intensity),
        kernel.bound or tt.ABSENT,
        kernel.binding or tt.ABSENT,
        tt.percent(kernel.reached) + mark,
    ]


def _number(value: Optional[float], unit: float = 1.0) -> str:
    if value is None:
        return tt.ABSENT
    scaled = value / unit
    return f"{scaled:.0f}" if scaled >= 100 else f"{scaled:.3g}"


def _roofs(document: RooflineDocument) -> list[str]:
    """Those that a kernel of the table stands under; the rest is in the document."""
    used = {c.name for kernel in document.kernels for c in kernel.ceilings if c.work > 0}
    texts = []
    for roof in document.roofs:
        if roof.name in used:
            unit = "GFLOP/s" if "." in roof.name else "GB/s"
            texts.append(f"{roof.name} {_number(roof.value, _GIGA)} {unit} ({roof.source})")
    return texts
