"""The one-page answer: what limits the application, why, what it could gain, what to try first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from rocm_perf_lab.analysis.documents import time_bounds
from rocm_perf_lab.analysis.documents.schemas import explain as schema
from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.analysis.path.critical_path import ceiling_of
from rocm_perf_lab.analysis.verdicts.advice.bounds import SCATTERED
from rocm_perf_lab.analysis.verdicts.advice.choose import (
    MOST,
    advice_for_kernel,
    advice_outside,
    chosen,
    next_steps,
)
from rocm_perf_lab.analysis.verdicts.advice.row import Advice
from rocm_perf_lab.analysis.verdicts.facts import has_calls, trusted_path, unexplained_share
from rocm_perf_lab.analysis.verdicts.figures import figures_of
from rocm_perf_lab.analysis.verdicts.formulas import MEMORY_ROOFS
from rocm_perf_lab.analysis.verdicts.headroom import application_speedup
from rocm_perf_lab.analysis.verdicts.kernels import (
    KernelVerdict,
    bottleneck_model,
    headroom_model,
    missing_parts,
)
from rocm_perf_lab.analysis.verdicts.metrics import METRICS
from rocm_perf_lab.analysis.verdicts.traced import trace_of, traced_figures

_LARGE = 0.5  # copies, launching or host code with more of the span than this limit it
_WORTH_A_NOTE = 0.05  # of the time of all kernels
_NEGLIGIBLE = 1e-4  # a smaller share of a ceiling bounds nothing: the gain would be a fantasy


def explain(
    profile: ProfileDocument, verdicts: Sequence[KernelVerdict]
) -> schema.ExplanationDocument:
    """``verdicts`` of all kernels of the profile, in their order of importance."""
    time = _time(profile)
    chosen_kernel = _limiting(verdicts)
    limit = _limit(time, unexplained_share(profile))
    traced = trace_of(profile, chosen_kernel.row.name)
    advice = _advice(chosen_kernel, traced, time, limit, _launching_ns(time, verdicts))
    return schema.ExplanationDocument(
        schema_version=schema.SCHEMA_VERSION,
        tool_version=profile.tool_version,
        command=profile.command,
        source=profile.source,
        device=profile.device,
        limit=limit,
        time=time,
        kernel=chosen_kernel.row.name,
        gain=_gain(chosen_kernel),
        trace=traced,
        advice=[_model(item) for item in advice],
        kernels=[_ranked(profile, found) for found in verdicts],
        notes=[*_notes(profile, chosen_kernel), *_more_to_gain(verdicts, chosen_kernel)],
        unavailable=[*profile.unavailable, *missing_parts(chosen_kernel)],
    )


def _model(advice: Advice) -> schema.AdviceModel:
    return schema.AdviceModel(
        mend=advice.mend,
        what=advice.what,
        why=advice.why,
        kernel_gain=advice.kernel_gain,
        gain=advice.gain,
    )


def _limiting(verdicts: Sequence[KernelVerdict]) -> KernelVerdict:
    """The kernel with the largest part of the time; the runtime's own only if there is no other."""
    own = [found for found in verdicts if not found.row.runtime_internal]
    return max(own or verdicts, key=lambda found: (found.criticality, found.row.total_ns))


def _time(profile: ProfileDocument) -> schema.TimeModel:
    path = trusted_path(profile)
    if path is None:
        span = profile.timing.span_ms or 0.0
        busy = (profile.timing.gpu_busy_ms or 0.0) / span if span else 0.0
        return schema.TimeModel(
            span_ms=span,
            basis="kernel time",
            kernels=busy,
            copies=None,
            launching=None,
            host=None,
            other=1.0 - busy,
        )
    span_ns = path.span_ns
    idle = path.idle
    explained = has_calls(path)
    return schema.TimeModel(
        span_ms=span_ns / 1e6,
        basis="critical path",
        kernels=path.kernel_ns / span_ns,
        copies=path.copy_ns / span_ns,
        launching=(idle.launch_ns + idle.dependency_ns) / span_ns if explained else None,
        host=(idle.host_ns + idle.synchronisation_ns) / span_ns if explained else None,
        other=(idle.unknown_ns + (0 if explained else idle.dependency_ns)) / span_ns,
    )


def _limit(time: schema.TimeModel, unexplained: Optional[float]) -> schema.Limit:
    if (time.copies or 0.0) > _LARGE:
        return "copies"
    if (time.launching or 0.0) > _LARGE:
        return "launching"
    if (time.host or 0.0) > _LARGE:
        return "host"
    return "unexplained" if (unexplained or 0.0) > _LARGE else "kernel"


def _launching_ns(time: schema.TimeModel, verdicts: Sequence[KernelVerdict]) -> float:
    """Of one launch, whichever kernel's."""
    launches = sum(found.row.dispatches for found in verdicts)
    return (time.launching or 0.0) * time.span_ms * 1e6 / launches


def _advice(
    found: KernelVerdict,
    traced: Optional[schema.TraceModel],
    time: schema.TimeModel,
    limit: schema.Limit,
    launching_ns: float,
) -> list[Advice]:
    """What could gain most, of the kernel and outside of it."""
    shares = {name: share for name, share in time if isinstance(share, float)}
    outside = advice_outside(shares, unexplained=limit == "unexplained")
    if found.verdict.label is None:
        return outside[:MOST]
    figures = {**figures_of(found, launching_ns), **traced_figures(traced)}
    limiter = found.row.occupancy.limiter if found.row.occupancy else None
    own = advice_for_kernel(found.verdict.label, figures, limiter, found.criticality)
    if limit == "unexplained":  # what nobody recorded comes before everything else
        return [*outside, *chosen(own, (), next_steps(figures))][:MOST]
    return chosen(own, outside, next_steps(figures))


def _gain(found: KernelVerdict) -> Optional[schema.GainModel]:
    headroom = found.headroom
    if headroom is None or headroom.reached < _NEGLIGIBLE:
        return None
    return schema.GainModel(
        kernel=headroom.kernel_speedup,
        application=application_speedup(headroom, found.criticality),
        ceiling=ceiling_of(found.criticality),
    )


def _ranked(profile: ProfileDocument, found: KernelVerdict) -> schema.RankedKernelModel:
    path = trusted_path(profile)
    on_path = path.kernels if path else []
    slack = next((k.least_slack_ns for k in on_path if k.name == found.row.name), None)
    return schema.RankedKernelModel(
        kernel=found.row.name,
        launches=found.row.dispatches,
        mean_us=found.row.mean_ns / 1e3,
        criticality=found.criticality,
        slack_us=None if slack is None else slack / 1e3,
        bottleneck=bottleneck_model(found.verdict),
        headroom=headroom_model(found.headroom),
        optimisation_score=found.score,
        metrics=dict(found.verdict.metrics),
    )


def _notes(profile: ProfileDocument, found: KernelVerdict) -> list[str]:
    notes = [*profile.warnings, *time_bounds.sentences([found.row])]
    if profile.critical_path is not None and trusted_path(profile) is None:
        notes.append(
            "the critical path is not used: most of the GPU's work is not on it, so dependencies "
            "must be missing from the recording"
        )
    if found.verdict.label is not None and found.verdict.missing:
        count = len(found.verdict.missing)
        notes.append(
            f"{count} number{'s are' if count > 1 else ' is'} missing, which makes the verdict "
            f"less sure: {', '.join(found.verdict.missing)}"
        )
    notes += _suspect(found)
    notes += _beside(profile)
    metrics = found.verdict.metrics
    pieces = max(metrics.get(name, 0.0) for name in ("lines_per_access", "requests_per_access"))
    scattered = SCATTERED.holds(pieces)
    if scattered and found.headroom and found.headroom.bound in MEMORY_ROOFS:
        notes.append(
            "the gain is for the bytes that are moved now; moving fewer of them gains more"
        )
    return notes


def _suspect(found: KernelVerdict) -> list[str]:
    return [
        f"{name.replace('_', ' ')} would be {100 * value:.0f} %, which cannot be: its counters are "
        "of different launches, or wrong; no verdict rests on it"
        if METRICS[name].unit == "share"
        else f"{name.replace('_', ' ')} is {value:g} {METRICS[name].unit}, which cannot be: the "
        "recorded times are wrong or were rounded; no verdict rests on it"
        for name, value in found.verdict.suspect.items()
    ]


def _beside(profile: ProfileDocument) -> list[str]:
    """Kernels with a part of the time that run beside the critical path."""
    path = trusted_path(profile)
    if path is None:
        return []
    slack = {k.name: k.least_slack_ns for k in path.kernels if k.path_ns == 0}
    return [
        f"{row.name} runs beside the critical path: it may take {slack[row.name] / 1e3:.1f} us "
        "longer, and making it faster gains nothing"
        for row in profile.kernels
        if row.share >= _WORTH_A_NOTE
        and slack.get(row.name, 0) >= row.mean_ns
        and not row.runtime_internal
    ]


def _more_to_gain(verdicts: Sequence[KernelVerdict], chosen: KernelVerdict) -> list[str]:
    """The kernel with the largest part of the time need not be the one with the most to gain."""
    best = verdicts[0]
    if best is chosen or best.score is None or chosen.score is None or best.score <= chosen.score:
        return []
    label = f", {best.verdict.label}," if best.verdict.label else ""
    return [
        f"{best.row.name}{label} has more to gain end to end: score {best.score:.2f} against "
        f"{chosen.score:.2f}"
    ]
