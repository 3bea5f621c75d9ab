"""What a thread trace adds to the explanation of a kernel."""

from __future__ import annotations

from typing import Optional

from rocm_perf_lab.analysis.documents.schemas import explain as schema
from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.analysis.thread_traces.causes import BARRIER


def trace_of(profile: ProfileDocument, kernel: str) -> Optional[schema.TraceModel]:
    kernels = profile.analysis.kernels if profile.analysis else []
    att = next((found.att for found in kernels if found.kernel == kernel), None)
    if att is None:
        return None
    return schema.TraceModel(
        source=att.source,
        matrix_busy=att.matrix_busy,
        cause=next(iter(att.waiting), None),
        waiting=att.waiting,
        stall_fraction=att.stall_fraction,
    )


def traced_figures(trace: Optional[schema.TraceModel]) -> dict[str, float]:
    """Shares of the time of the traced waves, for advice."""
    if trace is None:
        return {"untraced": 1.0}
    return {"traced_barrier": trace.waiting.get(BARRIER, 0.0) * trace.stall_fraction}
