"""What a document says about a thread trace: the block ``att``.

``instruction_mix``, ``stall_fraction``, ``idle_fraction``, ``avg_memory_latency`` and ``ipc`` have
their names since version 1.0 of the profile. All times are cycles of the shader clock.
"""

from __future__ import annotations

from typing import Optional

from pydantic import BaseModel, ConfigDict, Field


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class CodeCostModel(_Strict):
    """An instruction with what the watched waves spent on it."""

    instruction: str
    address: int
    source: Optional[str] = Field(description="file:line, then ' -> ' and the call if inlined")
    hits: int
    latency: int = Field(description="stall included")
    stall: int
    idle: int = Field(description="before the first attempt to issue; not in latency")


class HotInstructionModel(_Strict):
    code: CodeCostModel
    share: float = Field(description="of the time of the waves (latency + idle)")


class HotSourceModel(_Strict):
    source: str = Field(description="file:line, the innermost one where calls were inlined")
    within: Optional[str] = Field(
        description="of inlined code the outermost call that spends most there"
    )
    share: float = Field(description="of the time of the waves (latency + idle)")
    instructions: int
    hits: int
    latency: int
    stall: int
    idle: int


class LatencyModel(_Strict):
    """From the issue of a memory instruction to the end of the wait for it."""

    count: int
    mean: float
    min: int
    max: int


class MemoryLatencyModel(_Strict):
    until_wait_ends: LatencyModel = Field(description="upper bound: hidden time is included")
    exposed: Optional[LatencyModel] = Field(
        description="the latency itself: of what came back last, where the wave was held up"
    )
    stall: int = Field(description="of waits that ended when an instruction of this class did")


class WaitedForModel(_Strict):
    code: CodeCostModel
    latency: LatencyModel


class WaitModel(_Strict):
    code: CodeCostModel
    waited_for: list[WaitedForModel]


class EngineOccupancyModel(_Strict):
    """All compute units of one shader engine, from its first begin of a wave to the last end."""

    engine: int
    cycles: int
    compute_units: int = Field(description="that had a wave")
    waves: int = Field(description="that began")
    peak_waves: int
    mean_waves: Optional[float]
    waves_over_time: list[float] = Field(description="means in equal parts of the time")


class SignsModel(_Strict):
    """What tells causes apart that counters do not."""

    loads_in_flight: Optional[float] = Field(description="of one wave while it waits for them")
    barriers_per_load: Optional[float] = Field(description="executed")
    shuffle_share: Optional[float] = Field(description="of the executed LDS instructions")
    lds_queue: float = Field(
        description="of the time of the waves: an LDS instruction stalls before it is issued"
    )
    tail: Optional[float] = Field(
        description="of the wave slots over time, lost after the last wave has begun"
    )


class ThreadTraceModel(_Strict):
    source: str
    kernels: list[str]
    instruction_mix: dict[str, float] = Field(description="shares of executed instructions")
    latency_mix: dict[str, float] = Field(description="shares of latency, by the same classes")
    stall_fraction: float = Field(description="of the time of the waves; the three add up to 1")
    issue_fraction: float
    idle_fraction: float
    stall_of_latency: float = Field(description="without idle time, as viewers show it")
    wait_share: float = Field(description="of latency: s_waitcnt and its successors")
    barrier_share: float = Field(description="of latency")
    scratch_share: float = Field(description="of executed instructions: spills, private arrays")
    scratch_wait_share: Optional[float] = Field(
        description="of the stall of waits: at waits for nothing but scratch"
    )
    matrix_busy: Optional[float] = Field(
        default=None,
        description="cycles of matrix instructions (by shape, at the rates of CDNA3) over the time "
        "of the watched SIMDs",
    )
    waiting: dict[str, float] = Field(
        default_factory=dict,
        description="shares of all stall by cause, the largest first: barrier, global memory, LDS, "
        "scalar loads, spilled registers, matrix dependency",
    )
    signs: Optional[SignsModel] = None
    ipc: float = Field(description="instructions per cycle of a wave")
    ipc_simd: Optional[float] = Field(
        description="of all watched waves of a SIMD together, mean over SIMDs"
    )
    mean_wave_cycles: Optional[float]
    mean_wave_us: Optional[float]
    avg_memory_latency: Optional[float] = Field(
        description="vector memory, mean of memory_latency.vmem.until_wait_ends"
    )
    memory_latency: dict[str, MemoryLatencyModel]
    waits: list[WaitModel] = Field(description="the longest stall first")
    occupancy: list[EngineOccupancyModel]
    hot_instructions: list[HotInstructionModel]
    hot_sources: list[HotSourceModel]
    warnings: list[str]


class AttModel(_Strict):
    """Of the dominant kernel, as version 1.0 had it; ``analysis`` has every kernel and the rest."""

    instruction_mix: dict[str, float]
    stall_fraction: float
    idle_fraction: float
    avg_memory_latency: Optional[float] = Field(description="cycles; vector memory")
    ipc: float = Field(description="instructions per cycle of a wave")
