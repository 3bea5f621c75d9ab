"""Profiles with a critical path, and verdicts of their kernels, to be explained."""

from __future__ import annotations

from typing import Optional

from rocm_perf_lab.analysis.documents.schemas import profile as schema
from rocm_perf_lab.analysis.documents.schemas.critical_path import (
    CriticalPathModel,
    IdleModel,
    KernelOnPathModel,
)
from rocm_perf_lab.analysis.documents.verdicts.measured import measured_kernel
from rocm_perf_lab.analysis.verdicts.bottleneck import judge
from rocm_perf_lab.analysis.verdicts.formulas import KernelFacts
from rocm_perf_lab.analysis.verdicts.headroom import headroom_of
from rocm_perf_lab.analysis.verdicts.kernels import KernelVerdict


def row(name: str, total_ns: int, share: float) -> schema.KernelRowModel:
    return schema.KernelRowModel(
        name=name,
        symbol=None,
        runtime_internal=False,
        dispatches=1,
        total_ns=total_ns,
        min_ns=total_ns,
        median_ns=float(total_ns),
        mean_ns=float(total_ns),
        max_ns=total_ns,
        cv=None,
        share=share,
        grid=None,
        block=None,
        launch_shapes=1,
        resources=None,
        occupancy=None,
    )


def path(
    kernels: dict[str, int], *, copy_ns: int = 0, slack: int = 0, **idle: int
) -> CriticalPathModel:
    times = {"launch_ns": 0, "host_ns": 0, "synchronisation_ns": 0, "dependency_ns": 0}
    span = sum(kernels.values()) + copy_ns + sum(idle.values())
    return CriticalPathModel(
        critical_path_ns=sum(kernels.values()) + copy_ns,
        dominant_symbol=None,
        fraction=0.0,
        span_fraction=0.0,
        ceiling=None,
        span_ns=span,
        kernel_ns=sum(kernels.values()),
        copy_ns=copy_ns,
        idle=IdleModel(**{**times, "unknown_ns": 0, **idle}),
        bound="kernel",
        run=0,
        runs=1,
        pid=None,
        processes=1,
        confidence=1.0,
        dependencies=[],
        plan=[],
        kernels=[
            KernelOnPathModel(
                name=name,
                runtime_internal=False,
                path_ns=ns,
                fraction=ns / span,
                ceiling=None,
                dispatches=1,
                dispatches_on_path=1,
                least_slack_ns=0 if ns else slack,
            )
            for name, ns in kernels.items()
        ],
        gaps=[],
        gap_count=0,
        what_if=[],
        notes=[],
    )


def profile(
    rows: list[schema.KernelRowModel], on_path: Optional[CriticalPathModel]
) -> schema.ProfileDocument:
    busy = sum(r.total_ns for r in rows) / 1e6
    return schema.ProfileDocument(
        schema_version="1.1",
        tool_version="0",
        command=["./app"],
        source=None,
        kernel=schema.KernelModel(name=rows[0].name, grid=None, block=None),
        gpu=None,
        device=None,
        runtime_ms=busy,
        stability=schema.StabilityModel(
            runs=1,
            mean_ms=busy,
            stddev_ms=None,
            cv=None,
            classification=None,
            samples_ms=[busy],
            quantity="kernel_time",
        ),
        resources=None,
        occupancy=None,
        roofline=None,
        critical_path=on_path,
        timing=schema.TimingModel(
            kernel_sum_ms=busy, gpu_busy_ms=busy, span_ms=2 * busy, wall_ms=None, run=0
        ),
        kernels=rows,
        warnings=[],
        unavailable=[],
    )


def verdict(of: schema.KernelRowModel, criticality: float, reached: float) -> KernelVerdict:
    facts = KernelFacts(of.name, mean_ns=of.mean_ns, reached={"hbm": reached})
    judged = judge(facts)
    return KernelVerdict(
        kernel=measured_kernel(of, facts),
        verdict=judged,
        headroom=headroom_of(facts.reached, judged.metrics),
        criticality=criticality,
    )
