"""A profile as a person reads it: fits the terminal, plain ASCII, last line ``Result:``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from rocm_perf_lab.analysis.documents.kernel_rows.time_bounds import sentences
from rocm_perf_lab.analysis.documents.schemas.profile import (
    DeviceModel,
    KernelRowModel,
    OccupancyModel,
    ProfileDocument,
)
from rocm_perf_lab.analysis.kernels.stability import advice
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.figures.gpu_words import use_lines, use_table
from rocm_perf_lab.reporters.kernel_names import short_names
from rocm_perf_lab.strict_json import replace

MOST_ROWS = 20
_NAME_WIDTH = 32  # of a kernel in a sentence
COLUMNS = (
    tt.Column("kernel", align_left=True, shorten=short_names),
    tt.Column("calls"),
    tt.Column("total"),
    tt.Column("share"),
    tt.Column("median"),
    tt.Column("CV"),
    tt.Column("VGPR"),
    tt.Column("LDS"),
    tt.Column("occupancy", align_left=True),
)


def render_profile(profile: ProfileDocument, drawings: Sequence[str] = ()) -> str:
    parts = [_heading(profile)]
    if profile.kernels:
        parts.append(_kernel_table(profile))
        parts.extend(_occupancy_hint(profile))
        parts.append(_times(profile))
        parts.extend(_use(profile))
        parts.extend(_time_bounds(profile))
        parts.extend(_samples(profile))
    parts.extend(_roofline(profile))
    parts.extend(_critical_path(profile))
    if profile.analysis is not None:
        from rocm_perf_lab.reporters.figures.analysis import render_analysis

        parts.extend(render_analysis(profile.analysis, profile.kernel.name))
    parts.extend(drawings)
    parts.append(_stability(profile))
    parts.extend(_notes(profile))
    parts.extend(_host_clock(profile))
    parts.append(tt.closing(result_line(profile)))
    return "\n\n".join(parts) + "\n"


def result_line(profile: ProfileDocument) -> str:
    device = profile.device
    where = " on the virtual device" if device and device.kind == "virtual" else ""
    if profile.stability.quantity == "wall_time":
        return (
            f"Result: {profile.runtime_ms:.3f} ms wall time per run (mean of "
            f"{profile.stability.runs}), kernels not recorded"
        )
    dominant = profile.kernel.name
    row = next((k for k in profile.kernels if k.name == dominant), None)
    others = [k.name for k in profile.kernels[:MOST_ROWS] if k is not row]
    among = [row.name, *others] if row else []
    named = f", {tt.percent(row.share)} in {short_names(among, 24)[0]}" if row else ""
    return f"Result: {profile.runtime_ms:.6g} ms of kernel time per run{named}{where}"


def _heading(profile: ProfileDocument) -> str:
    lines = []
    if profile.command:
        lines.append(tt.clip(f"Application: {' '.join(profile.command)}"))
    if profile.source:
        lines.append(tt.clip(f"Recording: {', '.join(profile.source)}"))
    if profile.device:
        lines.append(tt.wrap(_device(profile.device)))
    return "\n".join(lines)


def _device(device: DeviceModel) -> str:
    facts = [device.gfx or "unknown target"]
    if device.compute_units is not None:
        facts.append(f"{device.compute_units} CUs")
    if device.xcc_count is not None and device.xcc_count > 1:
        facts.append(f"{device.xcc_count} XCDs")
    return f"Device: {device.product or 'GPU'} ({', '.join(facts)}), {device.kind}"


def _kernel_table(profile: ProfileDocument) -> str:
    shown = profile.kernels[:MOST_ROWS]
    table = tt.render(COLUMNS, [[row.name, *_cells(row)] for row in shown])
    hidden = profile.kernels[MOST_ROWS:]
    if hidden:
        share = tt.percent(sum(row.share for row in hidden))
        more = f"... and {len(hidden)} more kernels with {share} of the time (see --json)"
        table += f"\n{tt.wrap(more)}"
    return table


def _cells(row: KernelRowModel) -> list[str]:
    resources = row.resources
    return [
        str(row.dispatches),
        tt.duration(row.total_ns),
        tt.percent(row.share),
        tt.duration(row.median_ns),
        tt.percent(row.cv),
        tt.whole(resources.vgpr_per_thread if resources else None),
        tt.bytes_short(resources.lds_bytes if resources else None),
        _occupancy(row.occupancy),
    ]


def _occupancy(occupancy: Optional[OccupancyModel]) -> str:
    if occupancy is None:
        return tt.ABSENT
    return f"{tt.percent(occupancy.theoretical)} ({occupancy.limiter})"


def _occupancy_hint(profile: ProfileDocument) -> list[str]:
    occupancy = profile.occupancy
    if occupancy is None or occupancy.next_up is None:
        return []
    text = (
        f"Occupancy of the dominant kernel is limited by {occupancy.limiter}: "
        f"{occupancy.next_up.text}."
    )
    return [tt.wrap(text)]


def _roofline(profile: ProfileDocument) -> list[str]:
    if profile.rooflines is None or not profile.rooflines.kernels:
        return []
    from rocm_perf_lab.reporters.figures.roofline import render_roofline

    table, *notes = render_roofline(profile.rooflines)
    return [table, "\n".join(tt.wrap(note) for note in notes)] if notes else [table]


def _critical_path(profile: ProfileDocument) -> list[str]:
    if profile.critical_path is None:
        return []
    from rocm_perf_lab.reporters.figures.critical_path import render_critical_path

    paragraphs = render_critical_path(profile.critical_path)
    return [text if "\n" in text else tt.wrap(text) for text in paragraphs]


def _times(profile: ProfileDocument) -> str:
    timing = profile.timing
    parts = []
    for label, value in (
        ("kernel time", timing.kernel_sum_ms),
        ("GPU busy", timing.gpu_busy_ms),
        ("first start to last end", timing.span_ms),
        ("process", timing.wall_ms),
    ):
        if value is not None:
            parts.append(f"{label} {tt.duration(value * 1e6)}")
    return tt.wrap("Time: " + ", ".join(parts))


def _use(profile: ProfileDocument) -> list[str]:
    lines, table = "\n".join(map(tt.wrap, use_lines(profile))), use_table(profile.gpus)
    return [text for text in (lines, table) if text]


def _host_clock(profile: ProfileDocument) -> list[str]:
    """Nobody sees a program read the host's clock: what that means is said wherever it may have."""
    if profile.device is None or profile.device.kind != "virtual" or profile.timing.wall_ms is None:
        return []
    text = (
        "Host clock: seconds and rates that the application computes with the host's clock are "
        "those of the simulation; hipEvents and the times above are the device's."
    )
    return [tt.wrap(text)]


def _time_bounds(profile: ProfileDocument) -> list[str]:
    shown = profile.kernels[:MOST_ROWS]
    names = short_names([row.name for row in shown], _NAME_WIDTH)
    rows = [replace(row, name=name) for name, row in zip(names, shown)]
    lines = [tt.wrap(f"Virtual time: {text}.") for text in sentences(rows)]
    return ["\n".join(lines)] if lines else []


def _samples(profile: ProfileDocument) -> list[str]:
    """Of the kernel with most time that has any."""
    sampled = [row for row in profile.kernels if row.samples is not None]
    if not sampled:
        return []
    from rocm_perf_lab.reporters.figures.code.samples import render_samples

    return render_samples(max(sampled, key=lambda row: row.total_ns))


def _stability(profile: ProfileDocument) -> str:
    stability = profile.stability
    if stability.cv is None:
        return tt.wrap(
            f"Stability: unknown, from {stability.runs} run; two or more are needed (--runs 3)."
        )
    text = (
        f"Stability: {stability.classification}, CV {tt.percent(stability.cv)} over "
        f"{stability.runs} runs, mean {tt.duration(stability.mean_ms * 1e6)}"
    )
    what_to_do = advice(stability.classification)
    return tt.wrap(text + "." if what_to_do is None else f"{text}. {what_to_do}")


def _notes(profile: ProfileDocument) -> list[str]:
    notes = [tt.wrap(f"Warning: {warning}") for warning in profile.warnings]
    for missing in profile.unavailable:
        if missing.field == "stability.cv":  # the stability line has said so
            continue
        cure = f" Next: {missing.next}" if missing.next else ""
        notes.append(tt.wrap(f"Not available: {missing.field}: {missing.reason}.{cure}"))
    return ["\n".join(notes)] if notes else []
