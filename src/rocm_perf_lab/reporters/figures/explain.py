"""The one-page answer as a person reads it: limit, reason, gain, and the first things to try."""

from __future__ import annotations

import textwrap
from typing import Optional

from rocm_perf_lab.analysis.documents.schemas.analysis import BottleneckModel, EvidenceModel
from rocm_perf_lab.analysis.documents.schemas.explain import (
    ExplanationDocument,
    RankedKernelModel,
    TimeModel,
    TraceModel,
)
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.figures.origins import origin_lines, other_origin
from rocm_perf_lab.reporters.kernel_names import short_names

MOST_KERNELS = 5
_NAME_WIDTH = 32
_MOST_GAIN = 10
_SURE = 0.5  # a verdict that is less sure says so in the last line too
_VISIBLE = 0.0005  # shares below would be printed as 0.0%
_COLUMNS = (
    tt.Column("kernel", align_left=True),
    tt.Column("share"),
    tt.Column("mean"),
    tt.Column("bottleneck", align_left=True),
    tt.Column("headroom"),
    tt.Column("score"),
    tt.Column("slack"),
)
_LIMITS = {
    "copies": "Copies between host and device limit the application, not a kernel",
    "launching": "Launching limits the application, not what the kernels do",
    "host": "The host limits the application, not the GPU",
    "unexplained": "For more than half of the time nothing was recorded that explains it",
}
_LIMITS_SHORT = {"copies": "copying", "launching": "launching", "host": "the host"}


_WAITED_FOR = {
    "barrier": "other waves at barriers",
    "global memory": "global memory",
    "LDS": "LDS",
    "scalar loads": "scalar loads",
    "spilled registers": "spilled registers in scratch memory",
    "matrix dependency": "the matrix unit, or its results",
}


def render_explanation(document: ExplanationDocument) -> str:
    names = dict(zip([k.kernel for k in document.kernels], _short(document)))
    kernel = next(k for k in document.kernels if k.kernel == document.kernel)
    parts = [
        _heading(document),
        _section("What limits it", _limit(document, kernel, names[kernel.kernel])),
        _section("Why", [*_why(kernel), *_traced(document.trace)]),
        _section("What it could gain", _gain(document, kernel)),
        _section("Try first", _advice(document)),
    ]
    if len(document.kernels) > 1:
        parts.append(_table(document, names))
    parts.extend(_origins(document, names))
    parts.extend(_notes(document))
    parts.append(result_line(document, kernel))
    return "\n\n".join(parts) + "\n"


def result_line(document: ExplanationDocument, kernel: RankedKernelModel) -> str:
    name = short_names([kernel.kernel], 24)[0]
    label = _label(kernel.bottleneck) if kernel.bottleneck else "of unknown bottleneck"
    scope = _scope(document)
    gain = f", at most {_times(document.gain.application)} {scope}" if document.gain else ""
    if document.limit == "unexplained":
        gain = f"; {tt.percent(document.time.other)} of the time is unexplained"
    elif document.limit != "kernel":
        gain = f"; {_LIMITS_SHORT[document.limit]} limits the application"
    virtual = document.device is not None and document.device.kind == "virtual"
    where = " on the virtual device" if virtual else ""
    return tt.ascii_only(f"Result: {name} is {label}{gain}{where}")


def _scope(document: ExplanationDocument) -> str:
    return "end to end" if document.time.basis == "critical path" else "in kernel time"


def _label(verdict: BottleneckModel) -> str:
    """Near a threshold both candidates: the same program must not change its answer."""
    close = verdict.close_call and verdict.runner_up
    label = f"{verdict.primary} or {verdict.runner_up}" if close else verdict.primary
    sure = verdict.confidence >= _SURE
    return label if sure else f"{label} (confidence {verdict.confidence:.2f})"


def _short(document: ExplanationDocument) -> list[str]:
    return short_names([kernel.kernel for kernel in document.kernels], _NAME_WIDTH)


def _heading(document: ExplanationDocument) -> str:
    lines = []
    if document.command:
        lines.append(f"Application: {' '.join(document.command)}")
    if document.source:
        lines.append(f"Recording: {', '.join(document.source)}")
    if document.device:
        facts = [document.device.gfx or "unknown target"]
        if document.device.compute_units is not None:
            facts.append(f"{document.device.compute_units} CUs")
        product = document.device.product or "GPU"
        lines.append(f"Device: {product} ({', '.join(facts)}), {document.device.kind}")
    return "\n".join(tt.ascii_only(line)[: tt.WIDTH] for line in lines)


def _section(title: str, lines: list[str]) -> str:
    return "\n".join([title, *lines])


def _item(text: str, mark: str = "  ") -> str:
    return textwrap.fill(
        tt.ascii_only(text),
        tt.WIDTH,
        initial_indent=mark,
        subsequent_indent=" " * len(mark),
        break_on_hyphens=False,
        break_long_words=False,
    )


def _limit(document: ExplanationDocument, kernel: RankedKernelModel, name: str) -> list[str]:
    time = document.time
    launches = f"{kernel.launches} launch{'es' if kernel.launches > 1 else ''}"
    text = (
        f"{name} takes {tt.percent(kernel.criticality)} of the {time.basis}: {launches} of "
        f"{tt.duration(kernel.mean_us * 1e3)}."
    )
    lines = [_item(text)]
    if document.limit != "kernel":
        lines.insert(0, _item(f"{_LIMITS[document.limit]}."))
    lines += [_item(line) for line in origin_lines(kernel)]
    lines.append(_item(_time(time)))
    return lines


def _time(time: TimeModel) -> str:
    shares = [
        (name, share)
        for name, share in (
            ("kernels", time.kernels),
            ("copies", time.copies),
            ("launching", time.launching),
            ("the host", time.host),
            ("other gaps", time.other),
        )
        if share is not None and share >= _VISIBLE
    ]
    parts = ", ".join(f"{name} {tt.percent(share)}" for name, share in shares)
    return f"Of {tt.duration(time.span_ms * 1e6)} from the first to the last GPU work: {parts}."


def _why(kernel: RankedKernelModel) -> list[str]:
    verdict = kernel.bottleneck
    if verdict is None:
        return [_item("Too little is known to say; the notes below tell what is missing.")]
    runner_up = f", otherwise {verdict.runner_up}" if verdict.runner_up else ""
    if verdict.close_call:
        runner_up = f", a close call: nearly {verdict.runner_up}"
    lines = [
        _item(
            f"It is {verdict.primary}: {'; '.join(verdict.reasoning)} (confidence "
            f"{verdict.confidence:.2f}{runner_up})."
        )
    ]
    lines += [_item(_evidence(item), "  - ") for item in verdict.evidence if item.decides]
    decided = {item.name for item in verdict.evidence if item.decides}
    others = {item.name: item for item in verdict.evidence[::-1] if item.name not in decided}
    if others:
        listed = ", ".join(_brief(item) for item in list(others.values())[::-1])
        lines.append(_item(f"Ruled out before (thresholds in brackets): {listed}."))
    return lines


def _traced(trace: Optional[TraceModel]) -> list[str]:
    if trace is None:
        return []
    text = f"Its thread trace: waves stall {tt.percent(trace.stall_fraction)} of their time"
    if trace.cause is not None:
        share = tt.percent(trace.waiting[trace.cause])
        text += f", most of all for {_WAITED_FOR[trace.cause]} ({share} of the stall)"
    if trace.matrix_busy:
        text += f"; the matrix units work {tt.percent(trace.matrix_busy)} of the time"
    return [_item(f"{text}.")]


def _brief(item: EvidenceModel) -> str:
    name = item.name.replace("_", " ")
    threshold = "" if item.threshold is None else f" ({_value(item.threshold, item.unit)})"
    return f"{name} {_value(item.value, item.unit)}{threshold}"


def _evidence(item: EvidenceModel) -> str:
    threshold = (
        "" if item.threshold is None else f" (threshold {_value(item.threshold, item.unit)})"
    )
    return f"{_value(item.value, item.unit)} {item.meaning}{threshold}"


def _value(value: float, unit: str) -> str:
    if unit == "share":
        return tt.percent(value)
    text = f"{value:.0f}" if value >= 100 else f"{value:.3g}"
    return f"{text} us" if unit == "us" else text


def _gain(document: ExplanationDocument, kernel: RankedKernelModel) -> list[str]:
    gain, headroom = document.gain, kernel.headroom
    if gain is None or headroom is None:
        return [_item("No ceiling is known that this kernel comes near.")]
    reached = tt.percent(1.0 - headroom.fraction)
    whole = "application" if document.time.basis == "critical path" else "sum of all kernels"
    return [
        _item(
            f"It reaches {reached} of {_bound(headroom.bound)}; headroom "
            f"{tt.percent(headroom.fraction)}."
        ),
        _item(
            f"At that ceiling, with the same work, the kernel would be {_times(gain.kernel)} "
            f"faster and the {whole} {_times(gain.application)}{_ceiling(gain.ceiling)}."
        ),
    ]


def _ceiling(ceiling: Optional[float]) -> str:
    return "" if ceiling is None else f"; without the kernel at all, {_times(ceiling)}"


def _times(factor: float) -> str:
    """Beyond ten times another limit comes first, and more digits would be a promise."""
    return f"{factor:.2f}x" if factor <= _MOST_GAIN else f"more than {_MOST_GAIN}x"


def _bound(name: str) -> str:
    is_unit = name.endswith("units") or name == "LDS"
    return f"what the {name} can do" if is_unit else f"the roof of {name}"


def _advice(document: ExplanationDocument) -> list[str]:
    if not document.advice:
        return [_item("Record more first; the notes below tell what.")]
    lines = []
    scope = _scope(document)
    for number, advice in enumerate(document.advice, start=1):
        lines.append(_item(advice.what, f"  {number}. "))
        gain = "" if advice.gain is None else f"; at most {_times(advice.gain)} {scope}"
        lines.append(_item(f"because {advice.why}{gain}", "     "))
    return lines


def _known(document: ExplanationDocument) -> list[RankedKernelModel]:
    return [k for k in document.kernels if k.bottleneck or k.criticality >= _VISIBLE]


def _shown(document: ExplanationDocument) -> list[RankedKernelModel]:
    return _known(document)[:MOST_KERNELS]


def _table(document: ExplanationDocument, names: dict[str, str]) -> str:
    rows = []
    for kernel in _shown(document):
        label = kernel.bottleneck.primary if kernel.bottleneck else tt.ABSENT
        headroom = kernel.headroom.fraction if kernel.headroom else None
        score = kernel.optimisation_score
        slack = None if kernel.slack_us is None else kernel.slack_us * 1e3
        rows.append(
            [
                names[kernel.kernel],
                tt.percent(kernel.criticality),
                tt.duration(kernel.mean_us * 1e3),
                label,
                tt.percent(headroom),
                tt.ABSENT if score is None else f"{score:.2f}",
                tt.duration(slack),
            ]
        )
    table = tt.render(_COLUMNS, rows)
    hidden = len(_known(document)) - MOST_KERNELS
    return table if hidden <= 0 else f"{table}\n... and {hidden} more kernels (see --json)"


def _origins(document: ExplanationDocument, names: dict[str, str]) -> list[str]:
    """Of the other kernels of the table, where the recording knows."""
    others = [k for k in _shown(document) if k.kernel != document.kernel and k.origins]
    lines = [_item(other_origin(names[kernel.kernel], kernel)) for kernel in others]
    return [_section("Launched by", lines)] if lines else []


def _notes(document: ExplanationDocument) -> list[str]:
    notes = [_item(f"Note: {note}", "") for note in document.notes]
    for missing in document.unavailable:
        if missing.field in ("stability.cv", "timing.wall_ms"):  # no part of this page
            continue
        cure = f" Next: {missing.next}" if missing.next else ""
        notes.append(_item(f"Not available: {missing.field}: {missing.reason}.{cure}", ""))
    return ["\n".join(notes)] if notes else []
