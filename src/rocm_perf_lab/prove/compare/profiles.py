"""Two profile documents: they keep the time of each run, and the kernels of one run only."""

from __future__ import annotations

import statistics
from typing import Optional

from rocm_perf_lab.analysis.documents.schemas.profile import KernelRowModel, ProfileDocument
from rocm_perf_lab.errors import NotComparable
from rocm_perf_lab.prove.compare.compare_schema import RowModel
from rocm_perf_lab.prove.compare.document import row
from rocm_perf_lab.prove.compare.judgement import not_judged, only_in
from rocm_perf_lab.prove.compare.unpaired import judge_runs

_ONE_RUN = not_judged(
    "a profile keeps the kernels of one run only",
    "compare the commands, or the recordings: profile --keep-trace DIR",
)


def profile_rows(
    base: ProfileDocument, head: ProfileDocument, threshold: float
) -> tuple[RowModel, list[RowModel]]:
    quantity = base.stability.quantity
    if quantity != head.stability.quantity:
        raise NotComparable(
            f"BASE has the {quantity} of its runs, HEAD the {head.stability.quantity}",
            "make both with, or both without --no-rocprof",
        )
    samples = [profile.stability.samples_ms for profile in (base, head)]
    whole = row(
        None,
        quantity,
        [statistics.median(values) * 1e6 for values in samples],
        [None, None],
        None,
        judge_runs(samples[0], samples[1], 1, threshold),
    )
    rows = [
        {kernel.name: kernel for kernel in profile.kernels if not kernel.runtime_internal}
        for profile in (base, head)
    ]
    names = sorted({*rows[0], *rows[1]}, key=lambda name: (-_share(rows, name), name))
    return whole, [_kernel(name, [side.get(name) for side in rows]) for name in names]


def _kernel(name: str, sides: list[Optional[KernelRowModel]]) -> RowModel:
    judged = _ONE_RUN
    if not all(sides):
        judged = only_in("BASE" if sides[0] else "HEAD")
    return row(
        name,
        "dispatch",
        [float(side.median_ns) if side else None for side in sides],
        [side.dispatches if side else None for side in sides],
        max(side.share for side in sides if side),
        judged,
    )


def _share(rows: list[dict[str, KernelRowModel]], name: str) -> float:
    return max(side[name].share for side in rows if name in side)
