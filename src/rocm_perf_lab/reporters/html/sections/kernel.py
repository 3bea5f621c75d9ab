"""One kernel: launches, why it is limited, occupancy, instructions, stalls, hot code, counters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Optional

from rocm_perf_lab.analysis.documents.schemas.analysis import KernelAnalysisModel
from rocm_perf_lab.analysis.documents.schemas.explain import RankedKernelModel
from rocm_perf_lab.analysis.documents.schemas.profile import KernelRowModel, SamplesModel
from rocm_perf_lab.analysis.documents.schemas.roofline import KernelRooflineModel
from rocm_perf_lab.analysis.documents.schemas.thread_trace import ThreadTraceModel
from rocm_perf_lab.analysis.verdicts.formula_texts import FORMULAS
from rocm_perf_lab.analysis.verdicts.metrics import METRICS
from rocm_perf_lab.report.contents import Measured
from rocm_perf_lab.report.occupancy import Sliders, sgpr_limits
from rocm_perf_lab.report.roofline import roof_title
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.figures import explain_words as words
from rocm_perf_lab.reporters.figures.code.samples import in_words
from rocm_perf_lab.reporters.kernel_names import short_names

MOST_SECTIONS = 25
_NAME_WIDTH = 64  # characters of a heading
_MOST_HOT = 12
_ABSENT = {"att": "Thread trace", "static": "Code"}
_RESOURCES = {
    "vgpr": "VGPR (vector registers)",
    "sgpr": "SGPR (scalar registers)",
    "lds": "LDS (memory of a workgroup)",
    "barriers": "barriers",
    "slots": "wave slots",
    "workgroup_size": "workgroup size",
    "launch_impossible": "nothing: it cannot be launched",
}


@dataclass(frozen=True)
class Part:
    name: str
    text: str
    percent: float


@dataclass(frozen=True)
class Counter:
    name: str
    value: str
    meaning: str
    formula: str  # with the names of counters, or where the number comes from


@dataclass(frozen=True)
class OccupancyView:
    text: str
    limits: tuple[tuple[str, str], ...]
    steps: tuple[str, ...]
    start: Optional[Mapping[str, Any]]  # of the sliders; None where the target is unknown


@dataclass(frozen=True)
class KernelSection:
    anchor: str
    name: str
    short: str  # for headings
    facts: tuple[tuple[str, str], ...]
    why: Optional[words.Why]
    occupancy: Optional[OccupancyView]
    mix_title: str
    mix: tuple[Part, ...]
    stalls: tuple[Part, ...]
    waiting: tuple[Part, ...]
    trace: Optional[ThreadTraceModel]
    samples: Optional[SamplesModel]
    sampled: Optional[str]
    counters: tuple[Counter, ...]
    ceilings: tuple[tuple[str, ...], ...]
    absent: tuple[str, ...]


def kernel_sections(
    measured: Measured, prefix: str, sliders: Optional[Sliders]
) -> tuple[KernelSection, ...]:
    profile, explanation = measured.profile, measured.explanation
    ranked = {k.kernel: k for k in explanation.kernels} if explanation else {}
    analysed = {k.kernel: k for k in profile.analysis.kernels} if profile.analysis else {}
    roofs = {k.kernel: k for k in profile.rooflines.kernels} if profile.rooflines else {}
    rows = sorted(profile.kernels, key=lambda row: -row.total_ns)[:MOST_SECTIONS]
    gfx = profile.gpu.architecture if profile.gpu else None
    short = short_names([row.name for row in rows], _NAME_WIDTH)
    return tuple(
        _section(
            f"{prefix}kernel-{number}",
            row,
            name,
            ranked.get(row.name),
            analysed.get(row.name),
            roofs.get(row.name),
            _occupancy(row, sliders, gfx),
        )
        for number, (row, name) in enumerate(zip(rows, short))
    )


def _section(
    anchor: str,
    row: KernelRowModel,
    short: str,
    ranked: Optional[RankedKernelModel],
    analysed: Optional[KernelAnalysisModel],
    roofline: Optional[KernelRooflineModel],
    occupancy: Optional[OccupancyView],
) -> KernelSection:
    trace = analysed.att if analysed else None
    static = analysed.static if analysed else None
    mix = trace.instruction_mix if trace else static.instruction_mix if static else {}
    return KernelSection(
        anchor=anchor,
        name=row.name,
        short=short,
        facts=_facts(row, ranked),
        why=words.why_of(ranked) if ranked and ranked.bottleneck else None,
        occupancy=occupancy,
        mix_title="executed instructions" if trace else "instructions in the code, each once",
        mix=_parts(mix),
        stalls=_stalls(trace),
        waiting=_parts(trace.waiting if trace else {}),
        trace=trace,
        samples=row.samples,
        sampled=in_words(row.samples) if row.samples else None,
        counters=_counters(ranked),
        ceilings=_ceilings(roofline),
        absent=tuple(
            f"{_ABSENT.get(gap.field, gap.field)}: {gap.reason}"
            + (f". Next: {gap.next}" if gap.next else "")
            for gap in (analysed.unavailable if analysed else ())
        ),
    )


def _facts(row: KernelRowModel, ranked: Optional[RankedKernelModel]) -> tuple[tuple[str, str], ...]:
    resources = row.resources
    pairs = [
        ("launches", str(row.dispatches)),
        ("total time", f"{tt.duration(row.total_ns)} ({tt.percent(row.share)} of all kernels)"),
        ("mean / shortest / longest", _times(row)),
        ("grid", _triple(row.grid)),
        ("workgroup", _triple(row.block)),
    ]
    if resources is not None:
        pairs += [
            ("vector registers", tt.whole(resources.vgpr_per_thread)),
            ("scalar registers", tt.whole(resources.sgpr_per_wave)),
            ("LDS of a workgroup", f"{tt.bytes_short(resources.lds_bytes)} bytes"),
            ("scratch of a work-item", f"{tt.bytes_short(resources.scratch_bytes)} bytes"),
        ]
    if ranked is not None and ranked.slack_us is not None:
        pairs.append(("slack", tt.duration(ranked.slack_us * 1e3)))
    pairs += [
        ("decided by a bound", f"{one.dispatches} launches: {one.meaning or one.name}")
        for one in row.time_bounds
    ]
    return tuple(pairs)


def _times(row: KernelRowModel) -> str:
    return " / ".join(tt.duration(ns) for ns in (row.mean_ns, row.min_ns, row.max_ns))


def _triple(value: Optional[tuple[int, int, int]]) -> str:
    return tt.ABSENT if value is None else " x ".join(map(str, value))


def _occupancy(
    row: KernelRowModel, sliders: Optional[Sliders], gfx: Optional[str]
) -> Optional[OccupancyView]:
    found = row.occupancy
    if found is None:
        return None
    limiter = _RESOURCES.get(found.limiter, found.limiter)
    text = (
        f"{tt.percent(found.theoretical)} of the wave slots: {found.waves_per_simd:g} waves per "
        f"SIMD, {found.workgroups_per_cu} workgroups per compute unit. Limited by {limiter}."
    )
    steps = [*([found.next_up] if found.next_up else []), *found.next_down]
    return OccupancyView(
        text,
        tuple((_RESOURCES.get(name, name), str(value)) for name, value in found.limits.items()),
        tuple(step.text for step in steps),
        _start(row, sliders, gfx),
    )


def _start(
    row: KernelRowModel, sliders: Optional[Sliders], gfx: Optional[str]
) -> Optional[dict[str, Any]]:
    resources, found = row.resources, row.occupancy
    if sliders is None or gfx is None or resources is None or found is None:
        return None
    if found.wave_size != sliders.wave_size:
        return None
    return {
        "vgpr": _step(sliders.vgprs, resources.vgpr_per_thread or 1),
        "lds": _step(sliders.lds_bytes, resources.lds_bytes or 0),
        "size": _step(sliders.workgroup_sizes, found.threads_per_block),
        "sgpr": sgpr_limits(sliders, gfx, resources.sgpr_per_wave),
    }


def _step(values: tuple[int, ...], value: int) -> int:
    """The first step that holds the value: allocation is rounded up."""
    return next((i for i, step in enumerate(values) if step >= value), len(values) - 1)


def _parts(shares: Mapping[str, float]) -> tuple[Part, ...]:
    ordered = sorted(shares.items(), key=lambda entry: -entry[1])
    return tuple(
        Part(name.replace("_", " "), tt.percent(share), round(100 * share, 1))
        for name, share in ordered
        if share >= words.VISIBLE
    )


def _stalls(trace: Optional[ThreadTraceModel]) -> tuple[Part, ...]:
    if trace is None:
        return ()
    return _parts(
        {
            "stalled": trace.stall_fraction,
            "issuing": trace.issue_fraction,
            "idle between instructions": trace.idle_fraction,
        }
    )


def _counters(ranked: Optional[RankedKernelModel]) -> tuple[Counter, ...]:
    found = []
    for name, value in (ranked.metrics if ranked else {}).items():
        metric = METRICS.get(name)
        unit = metric.unit if metric else ""
        text = tt.percent(value) if unit == "share" else f"{value:.4g} {unit}"
        meaning = metric.meaning if metric else ""
        formula = FORMULAS.get(name, "of the recording or the roofline")
        found.append(Counter(name.replace("_", " "), text, meaning, formula))
    return tuple(found)


def _ceilings(roofline: Optional[KernelRooflineModel]) -> tuple[tuple[str, ...], ...]:
    if roofline is None:
        return ()
    return tuple(
        (
            roof_title(ceiling.name),
            _scaled(ceiling.work, "FLOP" if ceiling.kind == "compute" else "B"),
            f"{_scaled(ceiling.rate, 'FLOP' if ceiling.kind == 'compute' else 'B')}/s",
            tt.percent(ceiling.utilisation) + ("" if ceiling.exact else " (estimate)"),
        )
        for ceiling in roofline.ceilings
        if ceiling.work > 0
    )


def _scaled(value: float, unit: str) -> str:
    prefixes = ["", "k", "M", "G", "T"]
    while value >= 1000 and len(prefixes) > 1:
        value /= 1000
        prefixes.pop(0)
    return f"{value:.4g} {prefixes[0]}{unit}"
