"""What a thread trace comes down to, in a sentence or two."""

from __future__ import annotations

from rocm_perf_lab.analysis.documents.schemas.thread_trace import ThreadTraceModel
from rocm_perf_lab.analysis.thread_traces.causes import (
    BARRIER,
    GLOBAL,
    LDS,
    MATRIX,
    SCALAR,
    SPILL,
)

_WAIT, _BARRIER = "wait", "barrier"
_AT = {
    _WAIT: "waiting for memory (s_waitcnt)",
    _BARRIER: "at barriers, waiting for other waves",
    "valu": "in vector arithmetic",
    "salu": "in scalar arithmetic",
    "mfma": "in matrix instructions",
    "vmem": "issuing vector memory instructions",
    "smem": "issuing scalar loads",
    "lds": "issuing LDS instructions",
    "branch": "in branches",
    "other": "in other instructions",
}
_ANSWER = {"vmem": "vector memory answers", "smem": "scalar loads return", "lds": "LDS answers"}
_CAUSES = {
    BARRIER: "other waves at barriers",
    GLOBAL: "global memory",
    LDS: "LDS",
    SCALAR: "scalar loads",
    SPILL: "spilled registers",
    MATRIX: "the matrix unit or its results",
}
_WORTH_SAYING = 0.1


def largest_cost(trace: ThreadTraceModel) -> tuple[str, float]:
    """Where most of the latency is, and its share: a class of instructions, "wait" or "barrier"."""
    shares = {kind: share for kind, share in trace.latency_mix.items() if kind in _AT}
    shares[_WAIT], shares[_BARRIER] = trace.wait_share, trace.barrier_share
    return max(shares.items(), key=lambda item: item[1])


def summarise(trace: ThreadTraceModel) -> str:
    """Stall, where the time goes, and for waits: for what."""
    where, share = largest_cost(trace)
    text = _mostly_idle(trace) + (
        f"{_percent(trace.stall_of_latency)} of the latency is stall; the largest part of the "
        f"latency, {_percent(share)}, is spent {_AT[where]}."
    )
    if where == _WAIT:
        text += _waited_for(trace)
    return text + _cause(trace) + _matrix(trace)


def _cause(trace: ThreadTraceModel) -> str:
    """What the waves wait for, which need not be where most of the latency is counted."""
    cause = next(iter(trace.waiting), None)
    if cause is None:
        return ""
    return f" Of all stall {_percent(trace.waiting[cause])} is for {_CAUSES[cause]}."


def _matrix(trace: ThreadTraceModel) -> str:
    """How fast a product is follows from this, not from its stalls."""
    if not trace.matrix_busy:
        return ""
    return f" The matrix units work {_percent(trace.matrix_busy)} of the time of their SIMDs."


def _mostly_idle(trace: ThreadTraceModel) -> str:
    """Latency does not hold idle time, so it must be said where it is the larger part."""
    if trace.idle_fraction <= max(trace.stall_fraction, trace.issue_fraction):
        return ""
    return (
        f"{_percent(trace.idle_fraction)} of the time of the waves is idle: no instruction was "
        "there to try, as while code is fetched. Of the rest: "
    )


def _waited_for(trace: ThreadTraceModel) -> str:
    stalls = {kind: memory.stall for kind, memory in trace.memory_latency.items()}
    text = ""
    if sum(stalls.values()):
        kind, most = max(stalls.items(), key=lambda item: item[1])
        part = _percent(most / sum(stalls.values()))
        text += f" {part} of these stalls end when {_ANSWER.get(kind, kind)}."
    if trace.scratch_wait_share is not None and trace.scratch_wait_share > _WORTH_SAYING:
        text += (
            f" {_percent(trace.scratch_wait_share)} of the stall at waits is for scratch alone: "
            "registers that were spilled, or arrays outside registers."
        )
    return text


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
