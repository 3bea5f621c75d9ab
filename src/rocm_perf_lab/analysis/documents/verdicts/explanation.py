"""The explanation document of a profile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Optional

from rocm_perf_lab.analysis.documents.kernel_rows import time_bounds
from rocm_perf_lab.analysis.documents.schemas import explain as schema
from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument, SamplesModel
from rocm_perf_lab.analysis.documents.schemas.unavailable import UnavailableModel
from rocm_perf_lab.analysis.documents.verdicts.measured import timing_of
from rocm_perf_lab.analysis.documents.verdicts.models import (
    bottleneck_model,
    headroom_model,
    missing_parts,
)
from rocm_perf_lab.analysis.verdicts.advice.row import Advice
from rocm_perf_lab.analysis.verdicts.explain import Explanation, Gain, explain
from rocm_perf_lab.analysis.verdicts.kernels import KernelVerdict
from rocm_perf_lab.analysis.verdicts.measured import TracedWaits
from rocm_perf_lab.analysis.verdicts.timing import UNKNOWN_QUEUES, PathTimes, Queues


def explanation_of(
    profile: ProfileDocument,
    verdicts: Sequence[KernelVerdict],
    queues: Queues = UNKNOWN_QUEUES,
    kernel: Optional[str] = None,
) -> schema.ExplanationDocument:
    """``verdicts`` of all kernels of the profile, in their order of importance; ``queues``: to
    how many of them kernels were launched, if known; ``kernel``: a regular expression of the one
    that is explained, instead of the one that limits."""
    timing = timing_of(profile, queues)
    found = explain(verdicts, timing, kernel)
    path = timing.trusted_path
    return schema.ExplanationDocument(
        schema_version=schema.SCHEMA_VERSION,
        tool_version=profile.tool_version,
        command=profile.command,
        source=profile.source,
        device=profile.device,
        limit=found.limit,
        time=schema.TimeModel(**asdict(found.time)),
        gpus=profile.gpus,
        ranks=profile.ranks,
        graphs=profile.graphs,
        kernel=found.kernel.kernel.name,
        gain=_gain(found.gain) if found.gain else None,
        trace=_trace(found.kernel.kernel.trace),
        samples=_samples(profile, found),
        advice=[_advice(item) for item in found.advice],
        kernels=[_ranked(path, one) for one in verdicts if one.stands_for == 1],
        notes=[*profile.warnings, *_bounds(profile, found), *found.notes],
        unavailable=[
            *profile.unavailable,
            *missing_parts(found.kernel),
            *_not_judged(verdicts),
        ],
    )


def _not_judged(verdicts: Sequence[KernelVerdict]) -> list[UnavailableModel]:
    return [
        UnavailableModel(
            field="kernels",
            reason=f"{one.stands_for} kernels are not judged: the {len(verdicts) - 1} with the "
            f"most time are; the others together have {100 * one.kernel.share:.3g} % of the time",
            next="rocm-perf profile --json has them all",
        )
        for one in verdicts
        if one.stands_for > 1
    ]


def _bounds(profile: ProfileDocument, found: Explanation) -> list[str]:
    name = found.kernel.kernel.name
    return time_bounds.sentences(row for row in profile.kernels if row.name == name)


def _samples(profile: ProfileDocument, found: Explanation) -> Optional[SamplesModel]:
    name = found.kernel.kernel.name
    return next((row.samples for row in profile.kernels if row.name == name), None)


def _gain(gain: Gain) -> schema.GainModel:
    return schema.GainModel(kernel=gain.kernel, application=gain.application, ceiling=gain.ceiling)


def _trace(trace: Optional[TracedWaits]) -> Optional[schema.TraceModel]:
    if trace is None:
        return None
    return schema.TraceModel(
        source=trace.source,
        matrix_busy=trace.matrix_busy,
        cause=trace.cause,
        waiting=dict(trace.waiting),
        stall_fraction=trace.stall_fraction,
        roles=dict(trace.roles),
        lines=[schema.HotLineModel(**asdict(line)) for line in trace.lines],
    )


def _advice(advice: Advice) -> schema.AdviceModel:
    return schema.AdviceModel(
        mend=advice.mend,
        what=advice.what,
        why=advice.why,
        kernel_gain=advice.kernel_gain,
        gain=advice.gain,
        expected=advice.expected,
    )


def _ranked(path: Optional[PathTimes], found: KernelVerdict) -> schema.RankedKernelModel:
    on_path = path.kernels.get(found.kernel.name) if path else None
    return schema.RankedKernelModel(
        kernel=found.kernel.name,
        launches=found.kernel.launches,
        mean_us=found.kernel.mean_ns / 1e3,
        criticality=found.criticality,
        slack_us=on_path.least_slack_ns / 1e3 if on_path else None,
        bottleneck=bottleneck_model(found.verdict),
        headroom=headroom_model(found.headroom),
        optimisation_score=found.score,
        metrics=dict(found.verdict.metrics),
    )
