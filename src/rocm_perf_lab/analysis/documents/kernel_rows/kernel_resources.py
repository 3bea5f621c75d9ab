"""The hardware half of a profile: the device, what a kernel used of it, how full it got."""

from __future__ import annotations

from functools import lru_cache
from typing import Generic, Literal, Optional, TypeVar

from rocm_perf_lab import errors
from rocm_perf_lab.analysis.documents.schemas import profile as schema
from rocm_perf_lab.analysis.documents.unavailable import Reasons
from rocm_perf_lab.analysis.kernels.occupancy import Occupancy, Step, allocated_vgprs, occupancy
from rocm_perf_lab.analysis.kernels.usual_launches import Launch
from rocm_perf_lab.arch.device import DeviceFacts, device_facts, theoretical_peak_flops
from rocm_perf_lab.trace.model import Agent, Kernel, Trace

Thing = TypeVar("Thing")

_NEW_TARGET = "report the target; its hardware facts belong into a data file of arch/"


def facts_of(agent: Optional[Agent], reasons: Reasons, field: str) -> Optional[DeviceFacts]:
    """Hardware facts for an agent of a recording, or the reason why there are none."""
    if agent is None:
        reasons.add(
            field,
            "the recording does not say which GPU ran the kernel",
            "record with rocprofv3 of ROCm 7 (rocpd output, or CSV with the agent_info file)",
        )
        return None
    try:
        return _facts(_Same(agent))
    except errors.ArchitectureUnknown as error:
        reasons.add(field, error.cause, _NEW_TARGET)
        return None


class _Same(Generic[Thing]):
    """A key for what cannot be hashed: the very same object. There can be 100,000 kernels."""

    def __init__(self, thing: Thing) -> None:
        self.thing = thing

    def __hash__(self) -> int:
        return id(self.thing)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.thing is self.thing


@lru_cache(maxsize=64)
def _facts(key: _Same[Agent]) -> DeviceFacts:
    agent = key.thing
    return device_facts(agent.name, {"product_name": agent.product, **agent.facts})


@lru_cache(maxsize=4096)
def _occupancy(
    key: _Same[DeviceFacts],
    arch_vgpr: int,
    accum_vgpr: int,
    sgpr: Optional[int],
    lds_bytes: int,
    workgroup_size: int,
    wave_size: Optional[int],
) -> schema.OccupancyModel:
    result = occupancy(
        key.thing,
        arch_vgpr=arch_vgpr,
        accum_vgpr=accum_vgpr,
        sgpr=sgpr,
        lds_bytes=lds_bytes,
        workgroup_size=workgroup_size,
        wave_size=wave_size,
    )
    return _occupancy_model(result, workgroup_size, wave_size)


def gpu_block(trace: Trace, agent_index: int, reasons: Reasons) -> Optional[schema.GpuModel]:
    agent = trace.agent_at(agent_index)
    if agent is None:
        reasons.add("gpu", "the recording does not say which GPU ran the kernel", None)
        return None
    facts = facts_of(agent, reasons, "gpu.theoretical_peak_flops")
    return schema.GpuModel(
        architecture=agent.name,
        wave_size=_wave_size(agent, facts),
        compute_units=facts.cu_count if facts else _recorded_int(agent, "cu_count"),
        theoretical_peak_flops=theoretical_peak_flops(facts) if facts else None,
    )


def describe_device(
    trace: Trace, agent_index: int, origin: Literal["hardware", "recorded"]
) -> schema.DeviceModel:
    agent = trace.agent_at(agent_index)
    facts = facts_of(agent, Reasons(), "device")
    clock = facts.engine_clock_mhz if facts else None
    return schema.DeviceModel(
        kind="virtual" if trace.is_virtual else origin,
        gfx=agent.name if agent else None,
        product=_product(agent, facts),
        compute_units=facts.cu_count if facts else _recorded_int(agent, "cu_count"),
        xcc_count=facts.xcc_count if facts else _recorded_int(agent, "num_xcc"),
        max_clock_mhz=None if clock is None else round(clock),
    )


def device_conflicts(trace: Trace, agent_index: int) -> tuple[str, ...]:
    """What the recording and the hardware facts disagree on."""
    facts = facts_of(trace.agent_at(agent_index), Reasons(), "device")
    return facts.conflicts if facts else ()


def resources_of(
    kernel: Kernel, launch: Launch, reasons: Reasons
) -> Optional[schema.ResourcesModel]:
    if kernel.arch_vgpr is None and kernel.sgpr is None and launch.lds is None:
        reasons.add(
            "resources",
            "the recording holds no registers and no LDS size",
            "record with rocprofv3 of ROCm 6.3 or later",
        )
        return None
    return schema.ResourcesModel(
        vgpr_per_thread=_total_vgprs(kernel, launch.agent),
        sgpr_per_wave=kernel.sgpr,
        lds_bytes=launch.lds,
        arch_vgpr=kernel.arch_vgpr,
        accum_vgpr=kernel.accum_vgpr,
        scratch_bytes=launch.scratch,
    )


def occupancy_of(
    launch: Launch, resources: Optional[schema.ResourcesModel], reasons: Reasons
) -> Optional[schema.OccupancyModel]:
    agent, block = launch.agent, launch.block
    facts = facts_of(agent, reasons, "occupancy")
    if facts is None or agent is None:
        return None
    if resources is None or block is None or not _complete(resources, facts):
        reasons.add(
            "occupancy",
            "it needs all registers, LDS and the workgroup size, which the recording lacks",
            "record with rocprofv3 of ROCm 6.3 or later",
        )
        return None
    try:
        return _occupancy(
            _Same(facts),
            resources.arch_vgpr or 0,
            resources.accum_vgpr or 0,
            resources.sgpr_per_wave,
            resources.lds_bytes or 0,
            block[0] * block[1] * block[2],
            _wave_size(agent, facts),
        )
    except errors.UsageError as error:  # a recorded number that no hardware could have
        reasons.add("occupancy", error.cause, None)
        return None


def _complete(resources: schema.ResourcesModel, facts: DeviceFacts) -> bool:
    """Whether everything that limits occupancy is known; a guess would only be an upper bound."""
    needed = [resources.arch_vgpr, resources.lds_bytes]
    if facts.target.has_accumulation_registers:
        needed.append(resources.accum_vgpr)
    return None not in needed


def _occupancy_model(
    result: Occupancy, threads: int, wave_size: Optional[int]
) -> schema.OccupancyModel:
    return schema.OccupancyModel(
        theoretical=result.theoretical,
        threads_per_block=threads,
        wave_size=wave_size or -(-threads // result.waves_per_workgroup),
        waves_per_simd=result.waves_per_simd,
        workgroups_per_cu=result.workgroups_per_cu,
        limiter=result.limiter,
        limits=dict(result.limits),
        compiler_waves_per_simd=result.compiler.llvm19,
        next_up=_step(result.next_up) if result.next_up else None,
        next_down=[_step(step) for step in result.next_down],
    )


def _step(step: Step) -> schema.NextStepModel:
    return schema.NextStepModel(
        bounds=dict(step.bounds),
        waves_per_simd=step.waves_per_simd,
        theoretical=step.theoretical,
        text=str(step),
    )


def _total_vgprs(kernel: Kernel, agent: Optional[Agent]) -> Optional[int]:
    """Arch plus accumulation registers where the target has one file for both."""
    if kernel.arch_vgpr is None:
        return None
    facts = facts_of(agent, Reasons(), "resources")
    if facts is None:
        return kernel.arch_vgpr + (kernel.accum_vgpr or 0)
    return allocated_vgprs(facts.target, kernel.arch_vgpr, kernel.accum_vgpr or 0)


def _wave_size(agent: Agent, facts: Optional[DeviceFacts]) -> Optional[int]:
    recorded = _recorded_int(agent, "wave_front_size")
    if recorded:
        return recorded
    return facts.target.default_wave_size if facts else None


def _product(agent: Optional[Agent], facts: Optional[DeviceFacts]) -> Optional[str]:
    if agent and agent.product:
        return agent.product
    return facts.product.name if facts and facts.product else None


def _recorded_int(agent: Optional[Agent], key: str) -> Optional[int]:
    value = agent.facts.get(key) if agent else None
    return int(value) if isinstance(value, (int, str)) and str(value).isdigit() else None
