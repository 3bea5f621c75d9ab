"""What limits each kernel, what is left to gain, and how much that would matter end to end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.analysis.documents.schemas import analysis as analysis_schema
from rocm_perf_lab.analysis.documents.schemas import profile as schema
from rocm_perf_lab.analysis.documents.schemas.unavailable import UnavailableModel
from rocm_perf_lab.analysis.verdicts.bottleneck import Verdict, judge
from rocm_perf_lab.analysis.verdicts.facts import kernel_facts, trusted_path
from rocm_perf_lab.analysis.verdicts.formulas import KernelFacts
from rocm_perf_lab.analysis.verdicts.headroom import Headroom, headroom_of, optimisation_score
from rocm_perf_lab.analysis.verdicts.metrics import METRICS
from rocm_perf_lab.trace.model import Trace


@dataclass(frozen=True)
class KernelVerdict:
    row: schema.KernelRowModel
    facts: KernelFacts
    verdict: Verdict
    headroom: Optional[Headroom]
    criticality: float  # share of the critical path, or of the time of all kernels

    @property
    def score(self) -> Optional[float]:
        return optimisation_score(self.headroom, self.criticality) if self.headroom else None


def judge_kernels(profile: schema.ProfileDocument, trace: Trace) -> tuple[KernelVerdict, ...]:
    """Every kernel of the profile, the one that is most worth working on first."""
    facts = kernel_facts(profile, trace)
    path = trusted_path(profile)
    on_path = {kernel.name: kernel.fraction for kernel in path.kernels} if path else {}
    found = []
    for row in profile.kernels:
        verdict = judge(facts[row.name])
        found.append(
            KernelVerdict(
                row=row,
                facts=facts[row.name],
                verdict=verdict,
                headroom=headroom_of(facts[row.name].reached, verdict.metrics),
                criticality=on_path.get(row.name, 0.0) if path else row.share,
            )
        )
    return tuple(sorted(found, key=_order))


def _order(found: KernelVerdict) -> tuple[float, float, str]:
    score = found.criticality if found.score is None else found.score
    return (-score, -found.criticality, found.row.name)


def with_verdicts(
    profile: schema.ProfileDocument, verdicts: tuple[KernelVerdict, ...]
) -> schema.ProfileDocument:
    """Fills the verdicts into the analysis of a profile that has one."""
    if profile.analysis is None:
        return profile
    by_name = {found.row.name: found for found in verdicts}
    kernels = [
        _filled(kernel, by_name[kernel.kernel]) if kernel.kernel in by_name else kernel
        for kernel in profile.analysis.kernels
    ]
    analysis = profile.analysis.model_copy(update={"kernels": kernels})
    return profile.model_copy(update={"analysis": analysis})


def with_trace_verdicts(
    document: analysis_schema.AnalysisDocument,
) -> analysis_schema.AnalysisDocument:
    """Of thread traces without a recording: they show waiting and nothing else that decides."""
    kernels = []
    for kernel in document.kernels:
        waits = kernel.att.wait_share if kernel.att else None
        verdict = bottleneck_model(judge(KernelFacts(kernel.kernel, trace_waits=waits)))
        kernels.append(kernel.model_copy(update={"bottleneck": verdict}))
    return document.model_copy(update={"kernels": kernels})


def _filled(
    kernel: analysis_schema.KernelAnalysisModel, found: KernelVerdict
) -> analysis_schema.KernelAnalysisModel:
    return kernel.model_copy(
        update={
            "bottleneck": bottleneck_model(found.verdict),
            "headroom": headroom_model(found.headroom),
            "optimisation_score": found.score,
            "unavailable": [*kernel.unavailable, *missing_parts(found)],
        }
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
