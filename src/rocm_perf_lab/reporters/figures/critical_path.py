"""The critical path as a person reads it: where the time went, which kernels, what would help."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Optional

from rocm_perf_lab.analysis.documents.schemas.critical_path import Bound, CriticalPathModel
from rocm_perf_lab.analysis.path.critical_path import DOMINANT_FRACTION, ceiling_of
from rocm_perf_lab.reporters import terminal
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.kernel_names import short_names

MOST_ROWS = 10
_NAME_WIDTH = 36
_KERNEL_COLUMNS = (
    tt.Column("kernel", align_left=True, shorten=short_names),
    tt.Column("on path"),
    tt.Column("share"),
    tt.Column("ceiling"),
    tt.Column("calls on path"),
    tt.Column("least slack"),
)
_GAP_COLUMNS = (
    tt.Column("idle gap"),
    tt.Column("share"),
    tt.Column("kind", align_left=True),
    tt.Column("before", align_left=True, shorten=short_names),
)
_WHAT_IF_COLUMNS = (
    tt.Column("what if", align_left=True, shorten=tt.clipped),
    tt.Column("end to end"),
    tt.Column("then"),
    tt.Column("speed-up"),
)
_PARTS: dict[Bound, str] = {
    "kernel": "kernels",
    "copy": "copies",
    "launch": "launching (API calls, start of kernels)",
    "host": "host code of the application",
    "synchronisation": "return from waits",
    "dependency": "hand-over between kernels",
    "unknown": "unexplained gaps",
}
_GAPS: dict[str, str] = {
    "launch": "launch-bound",
    "host": "host-bound",
    "synchronisation": "return from a wait",
    "dependency": "hand-over",
    "unknown": "unexplained",
}


def render_critical_path(path: CriticalPathModel) -> list[str]:
    """Paragraphs: those of one line are text to be wrapped, the others are tables."""
    names = _short(path)
    paragraphs = [_summary(path), _kernel_table(path, names), _advice(path, names)]
    if path.gaps:
        paragraphs.append(_gap_table(path, names))
    if path.what_if:
        paragraphs.append(_what_if_table(path, names))
    return [text for text in paragraphs if text] + [f"Note: {note}." for note in path.notes]


def _short(path: CriticalPathModel) -> Mapping[str, str]:
    """One short name for every kernel that the section mentions, the same everywhere."""
    shown = [kernel.name for kernel in path.kernels[:MOST_ROWS]]
    changed = [name for answer in path.what_if for name in answer.factors]
    full = list(dict.fromkeys([*shown, *path.plan, *(gap.before for gap in path.gaps), *changed]))
    if path.dominant_symbol is not None and path.dominant_symbol not in full:
        full.append(path.dominant_symbol)
    return dict(zip(full, short_names(full, terminal.roomy(_NAME_WIDTH))))


def _parts(path: CriticalPathModel) -> dict[Bound, int]:
    idle = path.idle
    return {
        "kernel": path.kernel_ns,
        "copy": path.copy_ns,
        "launch": idle.launch_ns,
        "host": idle.host_ns,
        "synchronisation": idle.synchronisation_ns,
        "dependency": idle.dependency_ns,
        "unknown": idle.unknown_ns,
    }


def _summary(path: CriticalPathModel) -> str:
    shares = ", ".join(
        f"{_PARTS[part]} {tt.percent(length / max(path.span_ns, 1))}"
        for part, length in sorted(_parts(path).items(), key=lambda item: -item[1])
        if length > 0
    )
    run = f" (run {path.run + 1} of {path.runs}, the median span)" if path.runs > 1 else ""
    return (
        f"Critical path: {tt.duration(path.critical_path_ns)} of work in "
        f"{tt.duration(path.span_ns)} from first start to last end{run}: {shares}."
    )


def _kernel_table(path: CriticalPathModel, names: Mapping[str, str]) -> str:
    rows = [
        [
            names[kernel.name],
            tt.duration(kernel.path_ns),
            tt.percent(kernel.fraction),
            _times(kernel.ceiling),
            f"{kernel.dispatches_on_path} of {kernel.dispatches}",
            tt.duration(kernel.least_slack_ns),
        ]
        for kernel in path.kernels[:MOST_ROWS]
    ]
    if not rows:
        return ""
    table = tt.render(_KERNEL_COLUMNS, rows)
    hidden = len(path.kernels) - len(rows)
    return f"{table}\n... and {hidden} more kernels (see --json)" if hidden else table


def _times(factor: Optional[float]) -> str:
    return tt.ABSENT if factor is None else f"{factor:.2f}x"


def _advice(path: CriticalPathModel, names: Mapping[str, str]) -> str:
    """What to work on first, and what that can give at most."""
    if path.dominant_symbol is None:
        return "No kernel is on the path."
    if path.span_fraction >= DOMINANT_FRACTION:
        return (
            f"{names[path.dominant_symbol]} dominates: {tt.percent(path.span_fraction)} of the "
            f"time, at most {_times(path.ceiling)} to gain."
        )
    span = max(path.span_ns, 1)
    lead = f"No kernel has {DOMINANT_FRACTION:.0%} of the time."
    if path.bound not in ("kernel", "copy"):
        share = tt.percent(_parts(path)[path.bound] / span)
        together = _times(ceiling_of(path.kernel_ns / span))
        lead = (
            f"The largest part is {_PARTS[path.bound]} ({share}): faster kernels gain at most "
            f"{together}, all together."
        )
    planned = ", then ".join(names[name] for name in path.plan)
    return f"{lead} Of the kernels, work on {planned}." if planned else lead


def _gap_table(path: CriticalPathModel, names: Mapping[str, str]) -> str:
    rows = [
        [
            tt.duration(gap.length_ns),
            tt.percent(gap.share),
            _GAPS[gap.kind],
            names[gap.before],
        ]
        for gap in path.gaps
    ]
    table = tt.render(_GAP_COLUMNS, rows)
    hidden = path.gap_count - len(rows)
    return f"{table}\n... and {hidden} shorter gaps" if hidden else table


def _what_if_table(path: CriticalPathModel, names: Mapping[str, str]) -> str:
    return tt.render(
        _WHAT_IF_COLUMNS,
        [
            [
                _change(answer.change, answer.factors, names),
                tt.duration(answer.before_ns),
                tt.duration(answer.after_ns),
                _times(answer.speedup),
            ]
            for answer in path.what_if
        ],
    )


def _change(change: str, factors: Mapping[str, float], names: Mapping[str, str]) -> str:
    """The plan's own questions name a kernel; those of the user are repeated as asked."""
    if change in factors:
        return f"{names[change]} {factors[change]:g} times faster"
    return tt.ascii_only(change)[:_NAME_WIDTH]
