"""A thread trace as a person reads it: where the waves spent their time, and what for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Optional

from rocm_perf_lab.analysis.code.hot import innermost, outermost
from rocm_perf_lab.analysis.documents.schemas.thread_trace import (
    EngineOccupancyModel,
    LatencyModel,
    ThreadTraceModel,
    WaitModel,
)
from rocm_perf_lab.analysis.documents.thread_trace_summary import summarise
from rocm_perf_lab.reporters import text_table as tt

_MOST_HOT = 5
_TEXT_WIDTH = 32
_PLACE_WIDTH, _LINE_WIDTH = 42, 80
_SHADES = " .:-=+*#"
_MEMORY = {"vmem": "vector memory", "smem": "scalar loads", "lds": "LDS"}
_EXPOSED = "exposed: the wave was held up until this one came back, so it is the latency itself"
_DEFINITIONS = (
    ("stall", "an instruction was tried, but its data or its unit was not ready"),
    ("issue", "instructions were being issued"),
    ("idle", "no instruction was tried: the time before the first attempt to issue one"),
)


def render_thread_trace(trace: ThreadTraceModel) -> list[str]:
    """Sentences, not yet wrapped, and tables, which have more than one line."""
    blocks = [
        summarise(trace),
        _fractions(trace),
        _mix(trace),
        _rates(trace),
        _memory(trace),
        _hot_instructions(trace),
        _hot_sources(trace),
        _waits(trace.waits[:_MOST_HOT]),
        *(f"Note: {warning}" for warning in trace.warnings),
    ]
    return [block for block in blocks if block]


def _fractions(trace: ThreadTraceModel) -> str:
    values = (trace.stall_fraction, trace.issue_fraction, trace.idle_fraction)
    shares = [tt.percent(value) for value in values]
    width = max(map(len, ("share", *shares)))
    lines = [f"time of waves  {'share':>{width}}  meaning"]
    for (name, meaning), share in zip(_DEFINITIONS, shares):
        lines.append(tt.wrap(meaning, f"{name:<13}  {share:>{width}}  ", " " * (width + 17)))
    return "\n".join(lines)


def _mix(trace: ThreadTraceModel) -> str:
    """One column per class, so that the table stays short."""
    kinds = [kind for kind, share in trace.instruction_mix.items() if share > 0]
    columns = [tt.Column("instructions", align_left=True), *(tt.Column(kind) for kind in kinds)]
    rows = [
        ["executed", *(tt.percent(trace.instruction_mix[kind]) for kind in kinds)],
        ["latency", *(tt.percent(trace.latency_mix[kind]) for kind in kinds)],
    ]
    return tt.render(columns, rows)


def _rates(trace: ThreadTraceModel) -> str:
    parts = [f"{trace.ipc:.3f} per wave"]
    if trace.ipc_simd is not None:
        parts.append(f"{trace.ipc_simd:.3f} per SIMD, all its waves together")
    lines = [f"Instructions per cycle: {', '.join(parts)}."]
    if trace.mean_wave_cycles is not None:
        clock = "" if trace.mean_wave_us is None else f" ({tt.duration(trace.mean_wave_us * 1e3)})"
        lines.append(f"A wave lives {trace.mean_wave_cycles:.0f} cycles{clock}.")
    lines += [_engine(engine) for engine in trace.occupancy[:1]]
    return "\n".join(tt.wrap(line) for line in lines)


def _engine(engine: EngineOccupancyModel) -> str:
    mean = "" if engine.mean_waves is None else f"mean {engine.mean_waves:.1f}, "
    highest = max(engine.waves_over_time, default=0.0)
    bars = "".join(
        _SHADES[round((len(_SHADES) - 1) * waves / highest)] if highest else _SHADES[0]
        for waves in engine.waves_over_time
    )
    return (
        f"Waves on shader engine {engine.engine} over time: [{bars}] {mean}"
        f"peak {engine.peak_waves} on {engine.compute_units} CUs"
    )


def _memory(trace: ThreadTraceModel) -> str:
    if not trace.memory_latency:
        return ""
    columns = (
        tt.Column("cycles from issue", align_left=True),
        tt.Column("waited for"),
        tt.Column("mean, until the wait ends"),
        tt.Column("mean, exposed"),
        tt.Column("range, exposed"),
    )
    rows = [
        [
            _MEMORY.get(kind, kind),
            str(memory.until_wait_ends.count),
            f"{memory.until_wait_ends.mean:.0f}",
            tt.ABSENT if memory.exposed is None else f"{memory.exposed.mean:.0f}",
            _range(memory.exposed),
        ]
        for kind, memory in trace.memory_latency.items()
    ]
    return tt.render(columns, rows) + "\n" + tt.wrap(_EXPOSED)


def _range(latency: Optional[LatencyModel]) -> str:
    return tt.ABSENT if latency is None else f"{latency.min} to {latency.max}"


def _hot_instructions(trace: ThreadTraceModel) -> str:
    columns = (
        tt.Column("time"),
        tt.Column("stall"),
        tt.Column("executed"),
        tt.Column("hot instruction", align_left=True, shorten=tt.clipped),
        tt.Column("line or address", align_left=True, shorten=tt.clipped),
    )
    rows = [
        [
            tt.percent(hot.share),
            tt.percent(hot.code.stall / hot.code.latency if hot.code.latency else None),
            str(hot.code.hits),
            clipped(hot.code.instruction, _TEXT_WIDTH),
            short_source(hot.code.source or f"{hot.code.address:#x}"),
        ]
        for hot in trace.hot_instructions[:_MOST_HOT]
    ]
    return tt.render(columns, rows)


def _hot_sources(trace: ThreadTraceModel) -> str:
    if not trace.hot_sources:
        return "No source lines: compile with -gline-tables-only to have them."
    columns = (
        tt.Column("time"),
        tt.Column("stall"),
        tt.Column("hot line (where values are used)", align_left=True, shorten=tt.clipped),
    )
    rows = [
        [
            tt.percent(hot.share),
            tt.percent(hot.stall / hot.latency if hot.latency else None),
            short_place(hot.source, hot.within, _LINE_WIDTH),
        ]
        for hot in trace.hot_sources[:_MOST_HOT]
    ]
    return tt.render(columns, rows)


def _waits(waits: Sequence[WaitModel]) -> str:
    if not waits:
        return ""
    columns = (
        tt.Column("stall cycles"),
        tt.Column("wait", align_left=True, shorten=tt.clipped),
        tt.Column("waited for", align_left=True, shorten=tt.clipped),
    )
    rows = [
        [
            str(wait.code.stall),
            clipped(wait.code.instruction, 32),
            clipped(_dependencies(wait), 48),
        ]
        for wait in waits
    ]
    return tt.render(columns, rows)


def _dependencies(wait: WaitModel) -> str:
    """Each kind of instruction once, with how many there are of it."""
    counts: dict[str, int] = {}
    for dependency in wait.waited_for:
        opcode = dependency.code.instruction.partition(" ")[0]
        counts[opcode] = counts.get(opcode, 0) + 1
    texts = [opcode if n == 1 else f"{n} x {opcode}" for opcode, n in counts.items()]
    return ", ".join(texts) or "nothing that was outstanding"


def clipped(text: str, width: int) -> str:
    text = tt.ascii_only(text)
    return text if len(text) <= width else text[: width - 2] + ".."


def short_source(source: Optional[str]) -> str:
    """Of a line of code, with where it was inlined."""
    return short_place(innermost(source), outermost(source)) if source else tt.ABSENT


def short_place(source: str, within: Optional[str], width: int = _PLACE_WIDTH) -> str:
    """Files without their folders."""
    if not source:
        return tt.ABSENT
    inlined = f" in {PurePath(within).name}" if within else ""
    return clipped(PurePath(source).name + inlined, width)
