"""What was measured of one kernel, taken out of a profile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Optional

from rocm_perf_lab.analysis.documents.schemas.analysis import EvidenceModel, KernelAnalysisModel
from rocm_perf_lab.analysis.documents.schemas.profile import (
    KernelRowModel,
    ProfileDocument,
    ResourcesModel,
)
from rocm_perf_lab.analysis.documents.schemas.thread_trace import ThreadTraceModel
from rocm_perf_lab.optimize.prompt import document as models
from rocm_perf_lab.optimize.rules.rule import Situation

_MOST_HOT_LINES = 8
_LEAST_HOT_SHARE = 0.01


class KernelFacts:
    """``profiled`` is the kernel's name in the profile."""

    def __init__(self, profile: ProfileDocument, profiled: str, situation: Situation) -> None:
        self._profile, self._profiled, self._situation = profile, profiled, situation
        self._row = _named(profile.kernels, profiled)
        kernels = profile.analysis.kernels if profile.analysis else []
        self._analysis: Optional[KernelAnalysisModel] = next(
            (found for found in kernels if found.kernel == profiled), None
        )

    def hardware(self) -> Optional[models.HardwareModel]:
        device, gpu = self._profile.device, self._profile.gpu
        if device is None:
            return None
        return models.HardwareModel(
            product=device.product,
            gfx=device.gfx,
            kind=device.kind,
            compute_units=device.compute_units,
            wave_size=None if gpu is None else gpu.wave_size,
        )

    def kernel(self) -> models.PromptKernelModel:
        row, launch = self._row, self._situation.launch
        return models.PromptKernelModel(
            name=self._situation.kernel.qualified_name,
            launches=None if row is None else row.dispatches,
            median_us=None if row is None else row.median_ns / 1e3,
            share=None if row is None else row.share,
            grid=None if launch is None else launch.grid,
            block=None if launch is None else launch.block,
            arguments={} if launch is None else dict(sorted(launch.arguments.items())),
        )

    def runtime(self) -> models.RuntimeModel:
        return models.RuntimeModel(
            runtime_ms=self._profile.runtime_ms, stability=self._profile.stability
        )

    def roofline(self) -> Optional[models.PromptRooflineModel]:
        for found in self._profile.rooflines.kernels if self._profile.rooflines else ():
            if found.kernel == self._profiled:
                fabric = (level.bytes for level in found.levels if level.level == "fabric")
                return models.PromptRooflineModel(
                    flops=found.flops,
                    bytes=next(fabric, None),
                    arithmetic_intensity=found.arithmetic_intensity,
                    bound=found.bound,
                    binding=found.binding,
                    reached=found.reached,
                )
        return None

    def critical_path(self) -> Optional[models.PromptPathModel]:
        path = self._profile.critical_path
        for found in path.kernels if path else ():
            if found.name == self._profiled:
                return models.PromptPathModel(fraction=found.fraction, ceiling=found.ceiling)
        return None

    def att(self) -> Optional[models.PromptTraceModel]:
        trace = self._trace()
        if trace is None:
            return None
        return models.PromptTraceModel(
            instruction_mix=dict(trace.instruction_mix),
            stall_fraction=trace.stall_fraction,
            idle_fraction=trace.idle_fraction,
            avg_memory_latency=trace.avg_memory_latency,
            ipc=trace.ipc,
        )

    def hot_lines(self) -> tuple[models.HotLineModel, ...]:
        return tuple(self._hot_lines())[:_MOST_HOT_LINES]

    def resources_and_occupancy(
        self,
    ) -> tuple[Optional[ResourcesModel], Optional[models.OccupancyFactsModel]]:
        row = self._row
        if row is None:
            return None, None
        found = row.occupancy
        if found is None:
            return row.resources, None
        return row.resources, models.OccupancyFactsModel(
            theoretical=found.theoretical, limiter=found.limiter
        )

    def bottleneck(self) -> Optional[models.PromptBottleneckModel]:
        found = self._analysis.bottleneck if self._analysis else None
        if found is not None:
            return models.PromptBottleneckModel(
                primary=found.primary,
                runner_up=found.runner_up,
                confidence=found.confidence,
                reasoning=tuple(found.reasoning),
                numbers=tuple(found.evidence),
            )
        known = self._situation.bottleneck
        if not known.labels:
            return None
        return models.PromptBottleneckModel(
            primary=known.labels[0],
            runner_up=known.labels[1] if len(known.labels) > 1 else None,
            confidence=None,
            reasoning=(),
            numbers=tuple(_number(name, value) for name, value in sorted(known.numbers.items())),
        )

    def headroom(self) -> Optional[float]:
        found = self._analysis.headroom if self._analysis else None
        return None if found is None else found.fraction

    def _trace(self) -> Optional[ThreadTraceModel]:
        return None if self._analysis is None else self._analysis.att

    def _hot_lines(self) -> Iterator[models.HotLineModel]:
        """Those inside of the kernel; a line table names other files by other paths."""
        trace, kernel = self._trace(), self._situation.kernel
        data = self._situation.data
        first = data[: kernel.span.start].count(b"\n") + 1
        last = data[: kernel.span.end].count(b"\n") + 1
        lines = data.decode("utf-8", "replace").split("\n")
        name = kernel.path.rpartition("/")[2]
        for hot in trace.hot_sources if trace else ():
            for place in (hot.source, hot.within or ""):
                path, _, number = place.rpartition(":")
                if path.rpartition("/")[2] != name or not number.isdigit():
                    continue
                if first <= int(number) <= last and hot.share >= _LEAST_HOT_SHARE:
                    time = hot.latency + hot.idle
                    yield models.HotLineModel(
                        line=int(number),
                        share=hot.share,
                        stall_share=hot.stall / time if time else 0.0,
                        code=lines[int(number) - 1].strip(),
                    )
                break


def _named(rows: list[KernelRowModel], profiled: str) -> Optional[KernelRowModel]:
    return next((row for row in rows if profiled in (row.name, row.symbol)), None)


def _number(name: str, value: float) -> EvidenceModel:
    return EvidenceModel(name=name, value=value, threshold=None, unit="", meaning="", decides=False)
