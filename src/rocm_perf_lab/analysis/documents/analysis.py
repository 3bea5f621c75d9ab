"""Puts together what is known of each kernel beyond its times: its thread trace, its code, and the
reasons for what is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Optional, Union

from rocm_perf_lab.analysis.documents.schemas import analysis as schema
from rocm_perf_lab.analysis.documents.schemas import profile as profile_schema
from rocm_perf_lab.analysis.documents.schemas.static_code import StaticCodeModel
from rocm_perf_lab.analysis.documents.schemas.thread_trace import AttModel, ThreadTraceModel
from rocm_perf_lab.analysis.documents.schemas.unavailable import UnavailableModel
from rocm_perf_lab.analysis.documents.unavailable import Reasons
from rocm_perf_lab.strict_json import replace

FIELD = "analysis"
ATT, STATIC, SPILLS = "att", "static", "static.vgpr_spills"


@dataclass(frozen=True)
class Missing:
    """Why something is not there, and what would provide it."""

    reason: str
    next_step: Optional[str] = None


@dataclass(frozen=True)
class KernelFindings:
    """What was found out about one kernel."""

    att: Union[ThreadTraceModel, Missing]
    static: Union[StaticCodeModel, Missing]
    spills: Optional[Missing] = None  # where only the code is known, and not its metadata


def with_analysis(
    profile: profile_schema.ProfileDocument,
    findings: Mapping[str, KernelFindings],
    notes: Sequence[str] = (),
) -> profile_schema.ProfileDocument:
    """``findings`` by kernel name, for every row of the profile."""
    document = schema.AnalysisDocument(
        schema_version=schema.SCHEMA_VERSION,
        tool_version=profile.tool_version,
        source=profile.source,
        virtual=profile.device is not None and profile.device.kind == "virtual",
        kernels=[
            _kernel(row.name, findings[row.name], row.total_ns / 1e6, row.share)
            for row in profile.kernels
        ],
        notes=list(notes),
    )
    dominant = next(k for k in document.kernels if k.kernel == profile.kernel.name)
    return replace(
        profile,
        analysis=document,
        att=_summary(dominant.att),
        unavailable=[*profile.unavailable, *map(_in_profile, dominant.unavailable)],
    )


def without_analysis(
    profile: profile_schema.ProfileDocument, reason: str, next_step: Optional[str]
) -> profile_schema.ProfileDocument:
    """The profile as it is, with the reason why the analysis that was asked for is not there."""
    reasons = Reasons()
    reasons.add(FIELD, reason, next_step)
    return replace(profile, unavailable=[*profile.unavailable, *reasons.listed()])


def traces_document(
    traces: Sequence[tuple[str, KernelFindings]],
    tool_version: str,
    source: Sequence[str],
    notes: Sequence[str],
) -> schema.AnalysisDocument:
    """Of thread traces without a recording of times: the one that stalls most comes first."""
    kernels = [_kernel(name, findings, None, None) for name, findings in traces]
    return schema.AnalysisDocument(
        schema_version=schema.SCHEMA_VERSION,
        tool_version=tool_version,
        source=list(source),
        virtual=None,
        kernels=sorted(kernels, key=_stall, reverse=True),
        notes=list(notes),
    )


def _in_profile(entry: UnavailableModel) -> UnavailableModel:
    """Of the dominant kernel; ``att`` is a field of the profile, too."""
    field = entry.field if entry.field == ATT else f"{FIELD}.{entry.field}"
    return replace(entry, field=field)


def _stall(kernel: schema.KernelAnalysisModel) -> float:
    return kernel.att.stall_of_latency if kernel.att else 0.0


def _kernel(
    name: str, found: KernelFindings, time_ms: Optional[float], share: Optional[float]
) -> schema.KernelAnalysisModel:
    absent = [
        UnavailableModel(field=field, reason=value.reason, next=value.next_step)
        for field, value in ((ATT, found.att), (STATIC, found.static), (SPILLS, found.spills))
        if isinstance(value, Missing)
    ]
    return schema.KernelAnalysisModel(
        kernel=name,
        time_ms=time_ms,
        share=share,
        att=None if isinstance(found.att, Missing) else found.att,
        static=None if isinstance(found.static, Missing) else found.static,
        unavailable=absent,
    )


def _summary(trace: Optional[ThreadTraceModel]) -> Optional[AttModel]:
    if trace is None:
        return None
    return AttModel(
        instruction_mix=trace.instruction_mix,
        stall_fraction=trace.stall_fraction,
        idle_fraction=trace.idle_fraction,
        avg_memory_latency=trace.avg_memory_latency,
        ipc=trace.ipc,
    )
