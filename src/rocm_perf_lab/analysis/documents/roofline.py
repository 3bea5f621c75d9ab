"""Adds the roofline to a profile document, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

import numpy as np

from rocm_perf_lab.analysis.documents.kernel_rows.kernel_resources import facts_of
from rocm_perf_lab.analysis.documents.schemas import profile as profile_schema
from rocm_perf_lab.analysis.documents.schemas import roofline as schema
from rocm_perf_lab.analysis.documents.unavailable import Reasons
from rocm_perf_lab.analysis.kernels.launch_groups import group_launches
from rocm_perf_lab.analysis.rooflines.launches import CountedLaunch, launch_rooflines
from rocm_perf_lab.analysis.rooflines.memory_traffic import FABRIC, formulas_of
from rocm_perf_lab.analysis.rooflines.roofline import (
    SERIALISED,
    Ceiling,
    Counting,
    KernelRoofline,
    kernel_rooflines,
)
from rocm_perf_lab.analysis.rooflines.roofs import Roofs, roofs_of
from rocm_perf_lab.strict_json import replace
from rocm_perf_lab.trace.measured_roofs import MeasuredRoofs, fingerprint_of
from rocm_perf_lab.trace.model import UNKNOWN, Agent, Trace

FIELD = "roofline"
HOW_TO_COUNT = "rocm-perf profile --roofline -- ./app"
MOST_LAUNCHES = 1000  # listed one by one; all of them are in the figures of their kernel
_NEEDED = ("flops", FABRIC, "rates")


@dataclass(frozen=True)
class Ceilings:
    """What is known of the device's ceilings besides its hardware facts."""

    measured: Sequence[MeasuredRoofs] = ()
    bandwidth_gbps: Optional[float] = None
    clock_mhz: Optional[float] = None


def target_of(trace: Trace) -> Optional[str]:
    """The gfx target that ran most of the dispatches."""
    agent = main_agent(trace)
    return None if agent is None else agent.name


def with_roofline(
    profile: profile_schema.ProfileDocument, trace: Trace, ceilings: Ceilings
) -> profile_schema.ProfileDocument:
    """``trace`` holds the timed runs and the counter passes as processes of their own."""
    reasons = Reasons()
    document = _document(profile, trace, ceilings, reasons)
    dominant = _dominant(profile, document)
    return replace(
        profile,
        rooflines=document,
        roofline=_summary(dominant, reasons) if dominant else None,
        unavailable=[*profile.unavailable, *reasons.listed()],
    )


def without_roofline(
    profile: profile_schema.ProfileDocument, reason: str, next_step: Optional[str]
) -> profile_schema.ProfileDocument:
    """The profile as it is, with the reason why the roofline that was asked for is not there."""
    reasons = Reasons()
    reasons.add(FIELD, reason, next_step)
    return replace(profile, unavailable=[*profile.unavailable, *reasons.listed()])


def _document(
    profile: profile_schema.ProfileDocument, trace: Trace, ceilings: Ceilings, reasons: Reasons
) -> Optional[schema.RooflineDocument]:
    if len(trace.counters) == 0:
        reasons.add(FIELD, "no hardware counters were recorded", HOW_TO_COUNT)
        return None
    agent = main_agent(trace)
    facts = facts_of(agent, reasons, FIELD)
    target = facts.target if facts else _undescribed(agent)
    if target is None or agent is None:
        return None
    roofs = roofs_of(
        facts,
        _measured_on(agent, ceilings.measured),
        bandwidth_gbps=ceilings.bandwidth_gbps,
        clock_mhz=ceilings.clock_mhz,
    )
    shown = {row.name for row in profile.kernels}
    grouping = group_launches(trace)
    points = [p for p in kernel_rooflines(grouping, target, roofs) if p.kernel in shown]
    launches = [
        (launch, point)
        for launch, point in launch_rooflines(trace, grouping, target, roofs)
        if launch.kernel in shown
    ]
    serialised = any(SERIALISED in point.caveats for point in points)
    return schema.RooflineDocument(
        schema_version=schema.SCHEMA_VERSION,
        tool_version=profile.tool_version,
        target=target.name,
        virtual=trace.is_virtual,
        time_source="counter_passes" if serialised else "trace",
        roofs=_roof_models(roofs),
        kernels=[_kernel_model(point) for point in points],
        launches=[_launch_model(trace, *pair) for pair in launches[:MOST_LAUNCHES]],
        notes=[*roofs.notes, *_left_out(len(launches))],
    )


@dataclass(frozen=True)
class _Undescribed:
    """A target without hardware facts: its counters can be read all the same."""

    name: str
    default_wave_size: int


def _undescribed(agent: Optional[Agent]) -> Optional[Counting]:
    lanes = agent.facts.get("wave_front_size") if agent else None
    if agent is None or not isinstance(lanes, int) or not formulas_of(agent.name):
        return None
    return _Undescribed(agent.name, lanes)


def main_agent(trace: Trace) -> Optional[Agent]:
    """The device that ran most of the dispatches."""
    known = trace.dispatches.agent[trace.dispatches.agent != UNKNOWN]
    return trace.agent_at(int(np.bincount(known).argmax())) if len(known) else None


def _measured_on(agent: Agent, measured: Sequence[MeasuredRoofs]) -> Optional[MeasuredRoofs]:
    """What is next to the recording (of this device, or of the first one where the recording
    numbers differently), else what an equal device reached here."""
    beside = [roofs for roofs in measured if roofs.made_on is None]
    same = [roofs for roofs in beside if roofs.device == agent.id]
    equal = [roofs for roofs in measured if roofs.made_on == fingerprint_of(agent)]
    return next(iter([*same, *beside, *equal]), None)


def _roof_models(roofs: Roofs) -> list[schema.RoofModel]:
    named = {
        **roofs.bandwidth,
        **{".".join(pipe): roof for pipe, roof in roofs.rate.items()},
    }
    return [
        schema.RoofModel(name=name, value=roof.value, source=roof.source)
        for name, roof in named.items()
    ]


def _kernel_model(point: KernelRoofline) -> schema.KernelRooflineModel:
    return schema.KernelRooflineModel(
        kernel=point.kernel,
        launches=point.launches,
        mean_ns=point.mean_ns,
        coverage=point.coverage,
        flops=point.flops.total,
        flops_by_pipe={".".join(pipe): work for pipe, work in point.flops.by_pipe.items()},
        flops_method=point.flops.method,
        levels=[
            schema.LevelModel(
                level=traffic.level,
                bytes=traffic.total,
                read_bytes=traffic.read,
                written_bytes=traffic.written,
            )
            for traffic in point.traffic
        ],
        arithmetic_intensity=point.arithmetic_intensity,
        ridge=point.ridge,
        flop_rate=point.flop_rate,
        byte_rate=point.byte_rate,
        bound=point.bound,
        binding=point.binding.name if point.binding else None,
        reached=point.binding.utilisation if point.binding else None,
        ceilings=[_ceiling_model(ceiling) for ceiling in point.ceilings],
        suspect=point.suspect,
        reasons=dict(point.reasons),
        caveats=list(point.caveats),
    )


def _launch_model(
    trace: Trace, launch: CountedLaunch, point: KernelRoofline
) -> schema.LaunchRooflineModel:
    return schema.LaunchRooflineModel(
        kernel=launch.kernel,
        dispatch_id=int(trace.dispatches.dispatch_id[launch.row]),
        iteration=launch.iteration,
        duration_ns=launch.duration_ns,
        flops=point.flops.total,
        fabric_bytes=next((t.total for t in point.traffic if t.level == FABRIC), None),
        flop_rate=point.flop_rate,
        byte_rate=point.byte_rate,
        binding=point.binding.name if point.binding else None,
        reached=point.binding.utilisation if point.binding else None,
        suspect=point.suspect,
    )


def _left_out(launches: int) -> list[str]:
    if launches <= MOST_LAUNCHES:
        return []
    return [f"{MOST_LAUNCHES} of {launches} launches are listed one by one"]


def _ceiling_model(ceiling: Ceiling) -> schema.CeilingModel:
    return schema.CeilingModel(
        name=ceiling.name,
        kind=ceiling.kind,
        work=ceiling.work,
        rate=ceiling.rate,
        utilisation=ceiling.utilisation,
        exact=ceiling.exact,
        suspect=ceiling.suspect,
    )


def _dominant(
    profile: profile_schema.ProfileDocument, document: Optional[schema.RooflineDocument]
) -> Optional[schema.KernelRooflineModel]:
    kernels = document.kernels if document else []
    return next((k for k in kernels if k.kernel == profile.kernel.name), None)


def _summary(
    kernel: schema.KernelRooflineModel, reasons: Reasons
) -> Optional[profile_schema.RooflineModel]:
    """The block of version 1.0: all or nothing, for the dominant kernel."""
    fabric = next((level.bytes for level in kernel.levels if level.level == FABRIC), None)
    if (
        kernel.flops is None
        or fabric is None
        or kernel.arithmetic_intensity is None
        or kernel.flop_rate is None
        or kernel.byte_rate is None
        or kernel.bound is None
    ):
        _explain(kernel, reasons)
        return None
    return profile_schema.RooflineModel(
        flops=kernel.flops,
        bytes=fabric,
        arithmetic_intensity=kernel.arithmetic_intensity,
        achieved_gflops=kernel.flop_rate / 1e9,
        achieved_bandwidth_gbps=kernel.byte_rate / 1e9,
        bound=kernel.bound,
    )


def _explain(kernel: schema.KernelRooflineModel, reasons: Reasons) -> None:
    """Only what the block needs: the nearer memory levels may be missing."""
    blocking = {what: why for what, why in kernel.reasons.items() if what in _NEEDED}
    for what, why in blocking.items():
        reasons.add(FIELD, f"{what} {why}", HOW_TO_COUNT)
    if not blocking:
        reasons.add(FIELD, "the ceilings of this device, or its work, are not known", None)
