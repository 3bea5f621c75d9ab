"""Every kernel as a row of a CSV file."""

from __future__ import annotations

import csv
import io
from typing import Any, Optional

from rocm_perf_lab.analysis.documents.schemas.explain import RankedKernelModel
from rocm_perf_lab.analysis.documents.schemas.profile import KernelRowModel
from rocm_perf_lab.report.contents import Measured, Report

COLUMNS = (
    "application",
    "device",
    "virtual",
    "kernel",
    "dispatches",
    "total_ns",
    "mean_ns",
    "median_ns",
    "min_ns",
    "max_ns",
    "cv",
    "share",
    "criticality",
    "slack_us",
    "bottleneck",
    "confidence",
    "headroom",
    "occupancy",
    "occupancy_limiter",
    "vgpr",
    "sgpr",
    "lds_bytes",
    "scratch_bytes",
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would compute


def kernels_csv(report: Report) -> str:
    """What is not known is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for measured in report.measured:
        explanation = measured.explanation
        ranked = {k.kernel: k for k in explanation.kernels} if explanation else {}
        for row in measured.profile.kernels:
            writer.writerow([_harmless(v) for v in _row(measured, row, ranked.get(row.name))])
    return text.getvalue()


def _row(measured: Measured, row: KernelRowModel, ranked: Optional[RankedKernelModel]) -> list[Any]:
    device, resources = measured.profile.device, row.resources
    verdict = ranked.bottleneck if ranked else None
    return [
        measured.title,
        device.product if device else None,
        str(measured.is_virtual).lower(),
        row.name,
        row.dispatches,
        row.total_ns,
        row.mean_ns,
        row.median_ns,
        row.min_ns,
        row.max_ns,
        row.cv,
        row.share,
        ranked.criticality if ranked else None,
        ranked.slack_us if ranked else None,
        verdict.primary if verdict else None,
        verdict.confidence if verdict else None,
        ranked.headroom.fraction if ranked and ranked.headroom else None,
        row.occupancy.theoretical if row.occupancy else None,
        row.occupancy.limiter if row.occupancy else None,
        resources.vgpr_per_thread if resources else None,
        resources.sgpr_per_wave if resources else None,
        resources.lds_bytes if resources else None,
        resources.scratch_bytes if resources else None,
    ]


def _harmless(value: Any) -> Any:
    """Text of a recording that a spreadsheet would take for a formula gets an apostrophe."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
