"""Measured roofs as a person reads them, beside what the hardware could do at most."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

from rocm_perf_lab.analysis.rooflines.roofs import Roof, roofs_of
from rocm_perf_lab.arch.device import DeviceFacts
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.trace.measured_roofs import MeasuredRoofs

_COLUMNS = (
    tt.Column("roof", align_left=True),
    tt.Column("measured"),
    tt.Column("hardware"),
    tt.Column("share"),
    tt.Column("unit", align_left=True),
)
_TERA = 1e12


def render_roofs(roofs: MeasuredRoofs, facts: DeviceFacts, kept: Optional[Path]) -> str:
    limits = roofs_of(facts)
    rows = [
        _row(level, value, limits.bandwidth.get(level), "TB/s")
        for level, value in roofs.bandwidth.items()
    ] + [
        _row(".".join(pipe), value, limits.rate.get(pipe), "TFLOP/s")
        for pipe, value in roofs.rate.items()
    ]
    title = f"Roofs of {tt.ascii_only(facts.product_name or facts.target.name)}"
    notes = [tt.wrap(f"Note: {note}.") for note in roofs_of(facts, roofs).notes]
    count = f"{len(rows)} roof{'s' * (len(rows) != 1)} measured"
    ending = (
        f"Result: {count}, kept in {kept} for profile --roofline on every equal GPU"
        if kept
        else f"Result: {count}, not kept: without --only all are measured and kept"
    )
    page = [title, "", tt.render(_COLUMNS, rows), "", *notes, tt.closing(ending)]
    return "\n".join(page) + "\n"


def _row(name: str, value: float, limit: Optional[Roof], unit: str) -> list[str]:
    return [
        name,
        f"{value / _TERA:.2f}",
        tt.ABSENT if limit is None else f"{limit.value / _TERA:.2f}",
        tt.ABSENT if limit is None else tt.percent(value / limit.value),
        unit,
    ]
