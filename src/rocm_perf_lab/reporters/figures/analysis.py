"""The deep analysis as a person reads it: thread traces, then what the code of kernels shows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Optional

from rocm_perf_lab.analysis.documents.schemas.analysis import AnalysisDocument, KernelAnalysisModel
from rocm_perf_lab.analysis.documents.schemas.static_code import StaticCodeModel
from rocm_perf_lab.analysis.documents.schemas.thread_trace import ThreadTraceModel
from rocm_perf_lab.analysis.documents.thread_trace_summary import largest_cost
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.figures.code.thread_trace import render_thread_trace, short_source
from rocm_perf_lab.reporters.kernel_names import short_name, short_names

MOST_ROWS = 20
_MOST_TRACES = 2
_TELLING_CAUSE = 0.2  # of all stall; a smaller one is not what the kernel waits for
_NAME_WIDTH = 32  # of a kernel in a sentence


def render_analysis(document: AnalysisDocument, dominant: Optional[str] = None) -> list[str]:
    """Paragraphs and tables; of a profile, the trace of its dominant kernel only."""
    traced = [(kernel, kernel.att) for kernel in document.kernels if kernel.att is not None]
    blocks = []
    if dominant is not None:
        blocks += [_verdict(k) for k in document.kernels if k.kernel == dominant]
        traced = [(kernel, trace) for kernel, trace in traced if kernel.kernel == dominant]
    elif len(traced) > 1:
        blocks.append(_ranking([trace for _, trace in traced]))
    names = short_names([kernel.kernel for kernel, _ in traced], 60)
    for name, (_, trace) in zip(names, traced[:_MOST_TRACES]):
        blocks.append(f"Thread trace of {name} ({_place(trace)}), sums over the traced waves:")
        blocks += render_thread_trace(trace)
    blocks += _static(document)
    blocks += [f"Note: {note}" for note in document.notes]
    return [block if "\n" in block else tt.wrap(block) for block in blocks]


def _verdict(kernel: KernelAnalysisModel) -> str:
    """What limits the dominant kernel, in one sentence; ``explain`` says more."""
    verdict, headroom = kernel.bottleneck, kernel.headroom
    (name,) = short_names([kernel.kernel], 60)
    if verdict is None:
        return f"Bottleneck of {name}: too little is known (rocm-perf explain -- ./app)."
    room = f", headroom {tt.percent(headroom.fraction)} to {headroom.bound}" if headroom else ""
    otherwise = f", otherwise {verdict.runner_up}" if verdict.runner_up else ""
    return (
        f"Bottleneck of {name}: {verdict.primary} (confidence {verdict.confidence:.2f}{otherwise})"
        f"{room}; {'; '.join(verdict.reasoning)}. Next: rocm-perf explain"
    )


def render_traces_alone(document: AnalysisDocument) -> str:
    """Thread traces without a profile around them; the one that stalls most comes first."""
    worst = next(kernel.att for kernel in document.kernels if kernel.att is not None)
    result = (
        f"Result: {tt.percent(worst.stall_of_latency)} of the latency is stall, {_cause(worst)}: "
        f"{_tail(_place(worst), 22)}"
    )
    return "\n\n".join([*render_analysis(document), tt.closing(result)]) + "\n"


def _cause(trace: ThreadTraceModel) -> str:
    """What is waited for, where the trace tells; else where most of the latency is."""
    cause, share = next(iter(trace.waiting.items()), ("", 0.0))  # the largest first
    if share >= _TELLING_CAUSE:
        return f"{tt.percent(share)} of it for {cause}"
    where, share = largest_cost(trace)
    return f"{tt.percent(share)} {where}"


def _place(trace: ThreadTraceModel) -> str:
    """The last two parts of the path tell traces apart."""
    return tt.ascii_only("/".join(PurePath(trace.source).parts[-2:]))


def _ranking(traces: list[ThreadTraceModel]) -> str:
    columns = (
        tt.Column("thread trace", align_left=True, shorten=_tails),
        tt.Column("stall"),
        tt.Column("waits"),
        tt.Column("barriers"),
        tt.Column("mfma"),
        tt.Column("scratch"),
        tt.Column("IPC"),
    )
    rows = [
        [
            _tail(_place(trace), 52),
            tt.percent(trace.stall_of_latency),
            tt.percent(trace.wait_share),
            tt.percent(trace.barrier_share),
            tt.percent(trace.latency_mix["mfma"]),
            tt.percent(trace.scratch_share),
            f"{trace.ipc:.3f}",
        ]
        for trace in traces[:MOST_ROWS]
    ]
    return (
        tt.render(columns, rows)
        + "\n"
        + tt.wrap("stall to mfma are shares of latency; scratch is one of executed instructions")
    )


def _tails(texts: Sequence[str], width: int) -> list[str]:
    return [_tail(text, width) for text in texts]


def _tail(text: str, width: int) -> str:
    return text if len(text) <= width else ".." + text[2 - width :]


def _static(document: AnalysisDocument) -> list[str]:
    found = [(kernel, kernel.static) for kernel in document.kernels if kernel.static is not None]
    if not found:
        return []
    shown = found[:MOST_ROWS]
    columns = (
        tt.Column("code of", align_left=True, shorten=short_names),
        tt.Column("instr."),
        tt.Column("memory"),
        tt.Column("mfma"),
        tt.Column("spilled"),
        tt.Column("scratch B"),
        tt.Column("live VGPRs"),
        tt.Column("most at", align_left=True, shorten=tt.clipped),
    )
    cells = [_static_cells(code) for _, code in shown]
    rows = [[kernel.kernel, *row] for (kernel, _), row in zip(shown, cells)]
    legend = "each instruction counts once, however often it runs; live: with a value still needed"
    blocks = [f"{tt.render(columns, rows)}\n{tt.wrap(legend)}"]
    name = short_name(shown[0][0].kernel, [kernel.kernel for kernel, _ in shown], _NAME_WIDTH)
    blocks += _scratch_lines(name, shown[0][1])
    caveats = {c: None for _, code in shown for c in code.register_pressure.caveats}
    if caveats:
        blocks.append(f"Note: live registers may be too low for a kernel: {'; '.join(caveats)}.")
    return blocks


def _static_cells(code: StaticCodeModel) -> list[str]:
    pressure, mix = code.register_pressure, code.instruction_mix
    live = pressure.peak_vgpr + pressure.peak_accum_vgpr
    return [
        str(code.instructions),
        tt.percent(mix["vmem"] + mix["smem"] + mix["lds"]),
        tt.percent(mix["mfma"]),
        tt.whole(code.vgpr_spills),
        tt.whole(code.scratch_bytes),
        f"{live} of {pressure.allocated_vgpr}" if pressure.allocated_vgpr else str(live),
        short_source(pressure.source),
    ]


def _scratch_lines(name: str, code: StaticCodeModel) -> list[str]:
    if not code.scratch_lines:
        return []
    lines = [
        f"{short_source(line.source)} ({line.stores} stores, {line.loads} loads)"
        for line in code.scratch_lines[:5]
    ]
    return [f"Scratch accesses of {name} by line: {', '.join(lines)}."]
