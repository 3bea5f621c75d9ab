"""Adds to an explanation who launched its kernels, and in which ranges of the application."""

from __future__ import annotations

from collections.abc import Sequence

from rocm_perf_lab.analysis.documents.schemas.explain import (
    ExplanationDocument,
    OriginModel,
    RegionModel,
)
from rocm_perf_lab.analysis.kernels.origins import Origin, origins_in
from rocm_perf_lab.analysis.path.regions import Region, regions
from rocm_perf_lab.strict_json import replace
from rocm_perf_lab.trace.model import Trace


def with_origins(document: ExplanationDocument, traces: Sequence[Trace]) -> ExplanationDocument:
    found = origins_in(traces, {kernel.kernel for kernel in document.kernels})
    if not found:
        return document
    kernels = [
        replace(kernel, origins=[_model(o) for o in found.get(kernel.kernel, [])])
        for kernel in document.kernels
    ]
    return replace(document, kernels=kernels)


def with_regions(document: ExplanationDocument, trace: Trace) -> ExplanationDocument:
    return replace(document, regions=[_region(one) for one in regions(trace)])


def _region(region: Region) -> RegionModel:
    return RegionModel(
        name=region.name,
        ranges=region.ranges,
        host_ms=region.host_ns / 1e6,
        kernels=region.kernels,
        busy_ms=region.busy_ns / 1e6,
    )


def _model(origin: Origin) -> OriginModel:
    return OriginModel(
        operator=origin.operator,
        place=origin.place,
        launches=origin.launches,
        total_us=origin.total_ns / 1e3,
    )
