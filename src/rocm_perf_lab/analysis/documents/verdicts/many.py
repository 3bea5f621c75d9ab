"""Which kernels of a profile are judged when it has very many, and the sum of all others.

Nobody reads 100,000 verdicts, and they took three quarters of the whole command.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nlargest
from typing import Optional

from rocm_perf_lab.analysis.documents.schemas import profile as schema
from rocm_perf_lab.analysis.verdicts.formulas import KernelFacts
from rocm_perf_lab.analysis.verdicts.launch_floor import hand_over_ns, launch_floor_ns
from rocm_perf_lab.analysis.verdicts.measured import MeasuredKernel
from rocm_perf_lab.analysis.verdicts.timing import Timing

MOST_JUDGED = 1000
REST = "all other kernels"

_Rows = Sequence[schema.KernelRowModel]


def judged_rows(rows: _Rows, timing: Timing, most: int) -> tuple[_Rows, _Rows]:
    """Those with the most of the critical path or of the time, in their order, and the others."""
    if len(rows) <= most:
        return rows, ()
    path = timing.trusted_path
    on_path = path.kernels if path else {}
    places = nlargest(
        most,
        range(len(rows)),
        key=lambda i: (on_path[rows[i].name].fraction if rows[i].name in on_path else 0.0,
                       rows[i].total_ns),
    )  # fmt: skip
    chosen = set(places)
    return (
        [rows[i] for i in sorted(chosen)],
        [row for i, row in enumerate(rows) if i not in chosen],
    )


def together(rows: _Rows, target: Optional[str], busy_share: Optional[float]) -> MeasuredKernel:
    """As one kernel with the same launches, time, and parts of both that are launching."""
    launches = sum(row.dispatches for row in rows)
    total_ns = sum(row.total_ns for row in rows)
    mean_ns = total_ns / launches
    cost = {
        count: (
            launch_floor_ns(target, count, busy_share) or 0.0,
            hand_over_ns(target, count, busy_share) or 0.0,
        )
        for count in {row.dispatches for row in rows}
    }
    floors, more = 0.0, 0.0
    for row in rows:
        floor, hand_over = cost[row.dispatches]
        floors += row.dispatches * min(floor, row.mean_ns)
        more += row.dispatches * hand_over
    is_known = launch_floor_ns(target, 1, busy_share) is not None
    facts = KernelFacts(
        kernel=REST,
        target=target,
        mean_ns=mean_ns,
        launch_floor_ns=floors / launches if is_known else None,
        hand_over_ns=more / launches if is_known else None,
    )
    share = sum(row.share for row in rows)
    return MeasuredKernel(facts, launches, total_ns, mean_ns, mean_ns, share)
