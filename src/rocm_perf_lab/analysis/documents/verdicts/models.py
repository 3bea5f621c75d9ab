"""Verdicts as the documents show them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from rocm_perf_lab.analysis.documents.schemas import analysis as analysis_schema
from rocm_perf_lab.analysis.documents.schemas import profile as schema
from rocm_perf_lab.analysis.documents.schemas.unavailable import UnavailableModel
from rocm_perf_lab.analysis.documents.verdicts.many import MOST_JUDGED, judged_rows, together
from rocm_perf_lab.analysis.documents.verdicts.measured import (
    measured_kernels,
    target_of,
    timing_of,
)
from rocm_perf_lab.analysis.verdicts.bottleneck import Verdict, judge
from rocm_perf_lab.analysis.verdicts.formulas import KernelFacts
from rocm_perf_lab.analysis.verdicts.headroom import Headroom
from rocm_perf_lab.analysis.verdicts.kernels import KernelVerdict, judge_kernels, not_judged
from rocm_perf_lab.analysis.verdicts.metrics import METRICS
from rocm_perf_lab.strict_json import replace
from rocm_perf_lab.trace.model import Trace


def judge_profile(
    profile: schema.ProfileDocument, trace: Trace, most: int = MOST_JUDGED
) -> tuple[KernelVerdict, ...]:
    """Every kernel of the profile, the one that is most worth working on first; of very many those
    that matter, and the sum of the others behind them."""
    timing = timing_of(profile)
    rows, others = judged_rows(profile.kernels, timing, most)
    found = judge_kernels(measured_kernels(profile, rows, trace, timing), timing)
    if not others:
        return found
    gfx = target_of(profile)
    rest = together(others, gfx.name if gfx else None, timing.busy_share)
    return (*found, not_judged(rest, len(others)))


def with_verdicts(
    profile: schema.ProfileDocument, verdicts: Sequence[KernelVerdict]
) -> schema.ProfileDocument:
    """Fills the verdicts into the analysis of a profile that has one."""
    if profile.analysis is None:
        return profile
    by_name = {found.kernel.name: found for found in verdicts}
    kernels = [
        _filled(kernel, by_name[kernel.kernel]) if kernel.kernel in by_name else kernel
        for kernel in profile.analysis.kernels
    ]
    analysis = replace(profile.analysis, kernels=kernels)
    return replace(profile, analysis=analysis)


def with_trace_verdicts(
    document: analysis_schema.AnalysisDocument,
) -> analysis_schema.AnalysisDocument:
    """Of thread traces without a recording: they show waiting and nothing else that decides."""
    kernels = []
    for kernel in document.kernels:
        waits = kernel.att.wait_share if kernel.att else None
        verdict = bottleneck_model(judge(KernelFacts(kernel.kernel, trace_waits=waits)))
        kernels.append(replace(kernel, bottleneck=verdict))
    return replace(document, kernels=kernels)


def _filled(
    kernel: analysis_schema.KernelAnalysisModel, found: KernelVerdict
) -> analysis_schema.KernelAnalysisModel:
    return replace(
        kernel,
        bottleneck=bottleneck_model(found.verdict),
        headroom=headroom_model(found.headroom),
        optimisation_score=found.score,
        unavailable=[*kernel.unavailable, *missing_parts(found)],
    )


def bottleneck_model(verdict: Verdict) -> Optional[analysis_schema.BottleneckModel]:
    if verdict.label is None or verdict.because is None:
        return None
    return analysis_schema.BottleneckModel(
        primary=verdict.label,
        runner_up=verdict.runner_up,
        close_call=verdict.close_call,
        confidence=verdict.confidence,
        reasoning=[verdict.because],
        evidence=[
            analysis_schema.EvidenceModel(
                name=item.name,
                value=item.value,
                threshold=item.threshold,
                unit=item.unit,
                meaning=item.meaning,
                decides=item.decides,
            )
            for item in verdict.evidence
        ],
        missing=[f"{name}: needs {METRICS[name].needs}" for name in verdict.missing],
    )


def headroom_model(headroom: Optional[Headroom]) -> Optional[analysis_schema.HeadroomModel]:
    if headroom is None:
        return None
    return analysis_schema.HeadroomModel(fraction=headroom.fraction, bound=headroom.bound)


def missing_parts(found: KernelVerdict) -> list[UnavailableModel]:
    absent = []
    cure = next(iter(found.verdict.cures), None)
    if found.verdict.label is None:
        reason = f"not known: {', '.join(found.verdict.missing)}"
        absent.append(UnavailableModel(field="bottleneck", reason=reason, next=cure))
    if found.headroom is None:
        reason = "neither ceilings nor busy units are known"
        absent.append(UnavailableModel(field="headroom", reason=reason, next=cure))
    return absent
