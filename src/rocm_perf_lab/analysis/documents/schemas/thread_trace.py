"""What a document says about a thread trace: the block ``att``.

``instruction_mix``, ``stall_fraction``, ``idle_fraction``, ``avg_memory_latency`` and ``ipc`` have
their names since version 1.0 of the profile. All times are cycles of the shader clock.
"""

from __future__ import annotations

from typing import Annotated, Optional

from msgspec import field

from rocm_perf_lab.strict_json import Strict, says


class CodeCostModel(Strict):
    """An instruction with what the watched waves spent on it."""

    instruction: str
    address: int
    source: Annotated[Optional[str], says("file:line, then ' -> ' and the call if inlined")]
    hits: int
    latency: Annotated[int, says("stall included")]
    stall: int
    idle: Annotated[int, says("before the first attempt to issue; not in latency")]


class HotInstructionModel(Strict):
    code: CodeCostModel
    share: Annotated[float, says("of the time of the waves (latency + idle)")]


class HotSourceModel(Strict):
    source: Annotated[str, says("file:line, the innermost one where calls were inlined")]
    within: Annotated[
        Optional[str], says("of inlined code the outermost call that spends most there")
    ]
    share: Annotated[float, says("of the time of the waves (latency + idle)")]
    instructions: int
    hits: int
    latency: int
    stall: int
    idle: int


class LatencyModel(Strict):
    """From the issue of a memory instruction to the end of the wait for it."""

    count: int
    mean: float
    min: int
    max: int


class MemoryLatencyModel(Strict):
    until_wait_ends: Annotated[LatencyModel, says("upper bound: hidden time is included")]
    exposed: Annotated[
        Optional[LatencyModel],
        says("the latency itself: of what came back last, where the wave was held up"),
    ]
    stall: Annotated[int, says("of waits that ended when an instruction of this class did")]


class WaitedForModel(Strict):
    code: CodeCostModel
    latency: LatencyModel


class WaitModel(Strict):
    code: CodeCostModel
    waited_for: list[WaitedForModel]


class EngineOccupancyModel(Strict):
    """All compute units of one shader engine, from its first begin of a wave to the last end."""

    engine: int
    cycles: int
    compute_units: Annotated[int, says("that had a wave")]
    waves: Annotated[int, says("that began")]
    peak_waves: int
    mean_waves: Optional[float]
    waves_over_time: Annotated[list[float], says("means in equal parts of the time")]


class SignsModel(Strict):
    """What tells causes apart that counters do not."""

    loads_in_flight: Annotated[Optional[float], says("of one wave while it waits for them")]
    barriers_per_load: Annotated[Optional[float], says("executed")]
    shuffle_share: Annotated[Optional[float], says("of the executed LDS instructions")]
    lds_queue: Annotated[
        float, says("of the time of the waves: an LDS instruction stalls before it is issued")
    ]
    tail: Annotated[
        Optional[float], says("of the wave slots over time, lost after the last wave has begun")
    ]
    memory_queue: Annotated[float, says("as lds_queue, of instructions of vector memory")] = 0.0
    atomics: Annotated[
        float, says("of the time of the waves: waiting for atomics, or to end behind them")
    ] = 0.0
    sequences: Annotated[
        Optional[float], says("of vector instructions: divisions and functions")
    ] = None
    access_bytes: Annotated[
        Optional[float], says("per lane of a vector load or store, in the mean")
    ] = None
    load_latency: Annotated[
        Optional[float], says("cycles of vector loads that held their wave up, in the mean")
    ] = None
    barriers_per_lds: Annotated[Optional[float], says("executed, for each LDS instruction")] = None
    scratch: Annotated[
        Optional[float], says("of the instructions of vector memory: arrays and spills")
    ] = None


class ThreadTraceModel(Strict):
    source: str
    kernels: list[str]
    instruction_mix: Annotated[dict[str, float], says("shares of executed instructions")]
    latency_mix: Annotated[dict[str, float], says("shares of latency, by the same classes")]
    stall_fraction: Annotated[float, says("of the time of the waves; the three add up to 1")]
    issue_fraction: float
    idle_fraction: float
    stall_of_latency: Annotated[float, says("without idle time, as viewers show it")]
    wait_share: Annotated[float, says("of latency: s_waitcnt and its successors")]
    barrier_share: Annotated[float, says("of latency")]
    scratch_share: Annotated[float, says("of executed instructions: spills, private arrays")]
    scratch_wait_share: Annotated[
        Optional[float], says("of the stall of waits: at waits for nothing but scratch")
    ]
    matrix_busy: Annotated[
        Optional[float],
        says(
            "cycles of matrix instructions (by shape, at the rates of CDNA3) over the time "
            "of the watched SIMDs"
        ),
    ] = None
    waiting: Annotated[
        dict[str, float],
        says(
            "shares of all stall by cause, the largest first: barrier, global memory, LDS, "
            "scalar loads, spilled registers, matrix dependency"
        ),
    ] = field(default_factory=dict)
    signs: Optional[SignsModel] = None
    roles: Annotated[
        dict[str, float],
        says(
            "shares of the time of up to two waves, by what their instructions are for: "
            "narrow_loads (of less than 4 bytes, and their addresses), addresses, lds_addresses, "
            "scratch, products (of loaded values, added up), operands (loaded values widened or "
            "moved), polynomials, selects (of an array in registers), same (for all lanes), "
            "double, float, integer, control, rest (accesses, waits, barriers)"
        ),
    ] = field(default_factory=dict)
    deciding_loads: Annotated[
        Optional[float],
        says("of the vector loads of these waves: their value decides a branch or an address"),
    ] = None
    ipc: Annotated[float, says("instructions per cycle of a wave")]
    ipc_simd: Annotated[
        Optional[float], says("of all watched waves of a SIMD together, mean over SIMDs")
    ]
    mean_wave_cycles: Optional[float]
    mean_wave_us: Optional[float]
    avg_memory_latency: Annotated[
        Optional[float], says("vector memory, mean of memory_latency.vmem.until_wait_ends")
    ]
    memory_latency: dict[str, MemoryLatencyModel]
    waits: Annotated[list[WaitModel], says("the longest stall first")]
    occupancy: list[EngineOccupancyModel]
    hot_instructions: list[HotInstructionModel]
    hot_sources: list[HotSourceModel]
    warnings: list[str]


class AttModel(Strict):
    """Of the dominant kernel, as version 1.0 had it; ``analysis`` has every kernel and the rest."""

    instruction_mix: dict[str, float]
    stall_fraction: float
    idle_fraction: float
    avg_memory_latency: Annotated[Optional[float], says("cycles; vector memory")]
    ipc: Annotated[float, says("instructions per cycle of a wave")]
