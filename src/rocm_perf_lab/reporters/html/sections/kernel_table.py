"""All kernels as rows that the page sorts and filters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Union

from rocm_perf_lab.analysis.documents.schemas.explain import RankedKernelModel
from rocm_perf_lab.analysis.documents.schemas.profile import KernelRowModel
from rocm_perf_lab.report.contents import Measured
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.kernel_names import short_names

MOST_ROWS = 1000
NAME_WIDTH = 42  # characters; a library's name can have 500
COLUMNS = (
    ("kernel", "demangled name"),
    ("share", "of the time of all kernels"),
    ("critical", "share of the critical path, or of kernel time where there is no path"),
    ("launches", "in the run that is shown"),
    ("total", "of all launches"),
    ("mean", "of a launch"),
    ("CV", "standard deviation / mean over the launches"),
    ("bottleneck", "what limits the kernel"),
    ("headroom", "distance to the nearest ceiling"),
    ("occupancy", "waves that fit, of the wave slots of a compute unit"),
    ("slack", "how much longer it may take without making the run longer"),
)


@dataclass(frozen=True)
class Cell:
    text: str
    order: Union[float, str]  # what the page sorts by


@dataclass(frozen=True)
class Row:
    name: str
    short: str  # as the table shows it
    link: Optional[str]  # to the kernel's own section
    cells: tuple[Cell, ...]


def kernel_rows(measured: Measured, links: dict[str, str]) -> tuple[Row, ...]:
    known = {k.kernel: k for k in measured.explanation.kernels} if measured.explanation else {}
    rows = sorted(measured.profile.kernels, key=lambda row: -row.total_ns)[:MOST_ROWS]
    short = short_names([row.name for row in rows], NAME_WIDTH)
    return tuple(
        Row(r.name, name, links.get(r.name), _cells(r, known.get(r.name)))
        for r, name in zip(rows, short)
    )


def _cells(row: KernelRowModel, known: Optional[RankedKernelModel]) -> tuple[Cell, ...]:
    label = known.bottleneck.primary if known and known.bottleneck else None
    headroom = known.headroom.fraction if known and known.headroom else None
    criticality = known.criticality if known else None
    occupancy = row.occupancy.theoretical if row.occupancy else None
    slack = None if known is None or known.slack_us is None else known.slack_us * 1e3
    return (
        _cell(tt.percent(row.share), row.share),
        _cell(tt.percent(criticality), criticality),
        _cell(str(row.dispatches), row.dispatches),
        _cell(tt.duration(row.total_ns), row.total_ns),
        _cell(tt.duration(row.mean_ns), row.mean_ns),
        _cell(tt.percent(row.cv), row.cv),
        Cell(label or tt.ABSENT, label or ""),
        _cell(tt.percent(headroom), headroom),
        _cell(tt.percent(occupancy), occupancy),
        _cell(tt.duration(slack), slack),
    )


def _cell(text: str, order: Optional[float]) -> Cell:
    """What is not known sorts below everything that is."""
    return Cell(text, -1.0 if order is None else order)
