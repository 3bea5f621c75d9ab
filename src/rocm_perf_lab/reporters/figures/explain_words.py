"""The one-page answer in sentences that are not wrapped yet: for a terminal, a page, a comment."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Optional

from rocm_perf_lab.analysis.documents.schemas.analysis import BottleneckModel, EvidenceModel
from rocm_perf_lab.analysis.documents.schemas.explain import (
    AdviceModel,
    ExplanationDocument,
    RankedKernelModel,
    SteadyModel,
    TimeModel,
    TraceModel,
)
from rocm_perf_lab.report.roofline import roof_title
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.decisions.wall_words import first_wall, passes_ceiling
from rocm_perf_lab.reporters.figures.gpu_words import use_lines
from rocm_perf_lab.reporters.figures.origins import origin_lines
from rocm_perf_lab.reporters.kernel_names import short_name

_AMONG = 20  # as many kernels as a page could show are distinguished; there can be 100,000
VISIBLE = 0.0005  # shares below would be printed as 0.0%
_MOST_GAIN = 10
_SAME = 1.005  # gains that differ by less are shown as the same
_CLOSE_TO_IT = 0.95  # of the bound: then one number says it
_SURE = 0.5  # a verdict that is less sure says so in the last line too
_APART = ("stability.cv", "timing.wall_ms")  # no part of this page
_LIMITS = {
    "communication": "Exposed communication limits the application: the GPU waits for other GPUs",
    "copies": "Copies between host and device limit the application, not a kernel",
    "launching": "Launching limits the application, not what the kernels do",
    "host": "The host limits the application, not the GPU",
    "unexplained": "For more than half of the time nothing was recorded that explains it",
}
_LIMITS_SHORT = {
    "communication": "exposed communication",
    "copies": "copying",
    "launching": "launching",
    "host": "the host",
}
# What the first advice is about, where it is none to the kernel itself.
_ABOUT = {
    "overlap": ("communication",),
    "balance": ("communication",),
    "exchange": ("communication",),
    "copies": ("copies", "launching"),
    "ahead": ("launching", "host"),
    "host": ("host", "launching"),
    "record": ("unexplained",),
}


_WAITED_FOR = {
    "barrier": "other waves at barriers",
    "global memory": "global memory",
    "LDS": "LDS",
    "scalar loads": "scalar loads",
    "spilled registers": "spilled registers in scratch memory",
    "matrix dependency": "the matrix unit, or its results",
}


_FOR = {
    "narrow_loads": "loads of less than 4 bytes and their addresses",
    "addresses": "addresses in memory",
    "lds": "accesses of the LDS",
    "lds_addresses": "addresses in the LDS",
    "scratch": "scratch memory",
    "products": "products that are added up",
    "narrow_products": "products of one or two bytes that are added up",
    "operands": "loaded values that are made wider or moved",
    "polynomials": "polynomials of functions",
    "selects": "picking from an array in registers",
    "same": "work that is the same for all lanes",
    "double": "double precision",
    "float": "other floating point",
    "integer": "other integer work",
    "control": "branches and what decides them",
}
_MUCH = 0.1  # of the time


@dataclass(frozen=True)
class Why:
    """The verdict, the numbers that decided, and what was ruled out before."""

    verdict: str
    evidence: tuple[str, ...] = ()
    ruled_out: Optional[str] = None


@dataclass(frozen=True)
class Tip:
    what: str
    because: str


def limiting(document: ExplanationDocument) -> RankedKernelModel:
    return next(k for k in document.kernels if k.kernel == document.kernel)


def result_line(document: ExplanationDocument, kernel: RankedKernelModel) -> str:
    others = [row.kernel for row in document.kernels[:_AMONG] if row is not kernel]
    name = short_name(kernel.kernel, [kernel.kernel, *others], 24)
    label = (
        f"is {_label(kernel.bottleneck)}" if kernel.bottleneck else "has no identified bottleneck"
    )
    scope = _scope(document)
    gain = ""
    if document.gain:
        gain = f", at most {_times(document.gain.application)} {scope}{_of_what(document)}"
    if document.limit == "unexplained":
        gain = f"; {tt.percent(document.time.other)} of the time is unexplained"
    elif document.limit == "kernel" and document.walls and document.walls.walls:
        gain += f"; the kernel alone {first_wall(document.walls)}"
    elif document.limit != "kernel":
        gain = f"; {_LIMITS_SHORT[document.limit]} limits the application"
    gain += _first_of_another(document)
    virtual = document.device is not None and document.device.kind == "virtual"
    where = " on the virtual device" if virtual else ""
    return tt.ascii_only(f"Result: {name} {label}{gain}{where}")


def _first_of_another(document: ExplanationDocument) -> str:
    """Where the first advice is about something else than the limit: that gains more."""
    about = _ABOUT.get(document.advice[0].mend) if document.advice else None
    if about is None or document.limit in about:
        return ""
    return f"; {_LIMITS_SHORT.get(about[0], 'the host')} first, which gains more"


def _of_what(document: ExplanationDocument) -> str:
    """The gain is at the ceiling with the same work; advice to do less may promise more."""
    assert document.gain is not None
    least = _SAME * document.gain.application
    more = any((advice.gain or 0.0) > least for advice in document.advice)
    return " for the same work" if more else ""


def _scope(document: ExplanationDocument) -> str:
    if document.steady is not None:
        return "in the part that repeats"
    return "end to end" if document.time.basis == "critical path" else "in kernel time"


def _label(verdict: BottleneckModel) -> str:
    """Near a threshold both candidates: the same program must not change its answer."""
    close = verdict.close_call and verdict.runner_up
    label = f"{verdict.primary} or {verdict.runner_up}" if close else verdict.primary
    sure = verdict.confidence >= _SURE
    return label if sure else f"{label} (confidence {verdict.confidence:.2f})"


def limit_lines(document: ExplanationDocument, kernel: RankedKernelModel, name: str) -> list[str]:
    launches = f"{kernel.launches} launch{'es' if kernel.launches > 1 else ''}"
    lines = [_steady_line(document.steady)] if document.steady else []
    lines += [f"{_LIMITS[document.limit]}."] if document.limit != "kernel" else []
    lines.append(
        f"{name} takes {tt.percent(kernel.criticality)} of the {document.time.basis}: {launches} "
        f"of {tt.duration(kernel.mean_us * 1e3)}."
    )
    return [*lines, *origin_lines(kernel), *use_lines(document), _time(document.time)]


def _steady_line(steady: SteadyModel) -> str:
    return (
        f"Explained is the part that repeats: {steady.repeats} times {steady.launches} launches, "
        f"{tt.duration(steady.span_ms * 1e6)} of {tt.duration(steady.whole_ms * 1e6)}. Copies take "
        f"{tt.duration(steady.copies_ms * 1e6)} of the whole run, most of them once, before or "
        "after it; --whole explains all of it."
    )


def time_parts(time: TimeModel) -> list[tuple[str, float]]:
    """What the span consists of, as far as it can be seen."""
    parts = (
        ("kernels", time.kernels),
        ("copies", time.copies),
        ("launching", time.launching),
        ("the host", time.host),
        ("other gaps", time.other),
    )
    return [(name, share) for name, share in parts if share is not None and share >= VISIBLE]


def _time(time: TimeModel) -> str:
    parts = ", ".join(f"{name} {tt.percent(share)}" for name, share in time_parts(time))
    what = "Critical path" if time.basis == "critical path" else "Time"
    return (
        f"{what}: {tt.duration(time.span_ms * 1e6)} from the first to the last GPU work: {parts}."
    )


def why_of(kernel: RankedKernelModel) -> Why:
    verdict = kernel.bottleneck
    if verdict is None:
        return Why("Not enough data; the notes below say what is missing.")
    runner_up = f", otherwise {verdict.runner_up}" if verdict.runner_up else ""
    if verdict.close_call:
        runner_up = f", a close call: nearly {verdict.runner_up}"
    text = (
        f"It is {verdict.primary}: {'; '.join(verdict.reasoning)} (confidence "
        f"{verdict.confidence:.2f}{runner_up})."
    )
    decided = {item.name for item in verdict.evidence if item.decides}
    others = {item.name: item for item in verdict.evidence[::-1] if item.name not in decided}
    listed = ", ".join(_brief(item) for item in list(others.values())[::-1])
    return Why(
        text,
        tuple(_evidence(item) for item in verdict.evidence if item.decides),
        f"Ruled out before (thresholds in brackets): {listed}." if others else None,
    )


def traced_line(trace: Optional[TraceModel]) -> Optional[str]:
    if trace is None:
        return None
    text = f"Its thread trace: waves stall {tt.percent(trace.stall_fraction)} of their time"
    if trace.cause is not None:
        share = tt.percent(trace.waiting[trace.cause])
        text += f", most of all for {_WAITED_FOR[trace.cause]} ({share} of the stall)"
    if trace.matrix_busy:
        text += f"; the matrix units work {tt.percent(trace.matrix_busy)} of the time"
    most = sorted(((share, role) for role, share in trace.roles.items() if role in _FOR))[::-1]
    much = [f"{tt.percent(share)} {_FOR[role]}" for share, role in most[:2] if share >= _MUCH]
    return f"{text}. Of their time {' and '.join(much)}." if much else f"{text}."


def hot_lines(trace: Optional[TraceModel]) -> Optional[str]:
    if trace is None or not trace.lines:
        return None
    told = [
        f"{PurePath(line.source).name} ({tt.percent(line.share)}, stalled {tt.percent(line.stall)})"
        for line in trace.lines
    ]
    return f"Lines with the most of their time: {', '.join(told)}."


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


def gain_lines(document: ExplanationDocument, kernel: RankedKernelModel) -> list[str]:
    gain, headroom = document.gain, kernel.headroom
    if document.limit == "communication":
        return [_without_communication(document)]
    if gain is None or headroom is None:
        return ["The kernel is near no known ceiling."]
    passed = passes_ceiling(document.walls, gain.kernel)
    reached = tt.percent(1.0 - headroom.fraction)
    whole = "application" if document.time.basis == "critical path" else "sum of all kernels"
    whole = "part that repeats" if document.steady else whole
    where = "With all walls free" if passed else "At that ceiling, with the same work"
    return [
        f"It reaches {reached} of {_bound(headroom.bound)}; headroom "
        f"{tt.percent(headroom.fraction)}.",
        f"{where}, the kernel would be {_times(gain.kernel)} "
        f"faster and the {whole} {_times(gain.application)}{_ceiling(gain.ceiling)}.",
    ]


def _without_communication(document: ExplanationDocument) -> str:
    first = next((one for one in document.advice if one.gain), None)
    if first is None or first.mend not in ("overlap", "balance"):
        return "How much of the communication could be hidden is not known."
    done = {
        "overlap": "With all of it hidden behind computation",
        "balance": "With the same work on every rank",
    }
    return (
        f"{done[first.mend]}, about {_times(first.expected or 1.0)} {_scope(document)}; at most "
        f"{_times(first.gain or 1.0)}, if every wait for other GPUs goes with it."
    )


def _ceiling(ceiling: Optional[float]) -> str:
    return "" if ceiling is None else f"; without the kernel at all, {_times(ceiling)}"


def _times(factor: float) -> str:
    """Beyond ten times another limit comes first, and more digits would be a promise."""
    return f"{factor:.2f}x" if factor <= _MOST_GAIN else f"more than {_MOST_GAIN}x"


def _bound(name: str) -> str:
    is_unit = name.endswith("units") or name == "LDS"
    return f"what the {name} can do" if is_unit else f"the roof of {roof_title(name)}"


def tips(document: ExplanationDocument) -> list[Tip]:
    return [_tip(advice, _scope(document)) for advice in document.advice]


def _tip(advice: AdviceModel, scope: str) -> Tip:
    if advice.gain is None:
        return Tip(advice.what, f"because {advice.why}")
    less = advice.expected is not None and advice.expected < _CLOSE_TO_IT * advice.gain
    likely = f"perhaps {_times(advice.expected or 0.0)}, " if less else ""
    gain = f"; {likely}at most {_times(advice.gain)} {scope}"
    return Tip(advice.what, f"because {advice.why}{gain}")


def absences(document: ExplanationDocument) -> list[str]:
    lines = [f"Note: {note}" for note in document.notes]
    for missing in document.unavailable:
        if missing.field not in _APART:
            cure = f" Next: {missing.next}" if missing.next else ""
            lines.append(f"Not available: {missing.field}: {missing.reason}.{cure}")
    return lines
