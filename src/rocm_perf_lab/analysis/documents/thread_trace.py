"""Turns the analysis of a thread trace into the block of a document."""

from __future__ import annotations

from dataclasses import asdict
from typing import Optional

from rocm_perf_lab.analysis.code.hot import HotSource
from rocm_perf_lab.analysis.code.instruction_mix import InstructionClass
from rocm_perf_lab.analysis.documents.schemas import thread_trace as schema
from rocm_perf_lab.analysis.thread_traces.figures import ThreadTraceAnalysis
from rocm_perf_lab.analysis.thread_traces.occupancy import EngineOccupancy
from rocm_perf_lab.analysis.thread_traces.waits import Latency, MemoryLatency, WaitReport
from rocm_perf_lab.trace.thread_trace.model import CodeLine

MOST_WAITS = 10
_PARTS_OF_TIME = 32


def thread_trace_block(found: ThreadTraceAnalysis) -> schema.ThreadTraceModel:
    """Only the waits with the longest stalls are listed."""
    mix, fractions = found.mix, found.fractions
    waits = found.waits.waits if found.waits else ()
    memory = found.waits.memory if found.waits else {}
    vector = memory.get(InstructionClass.VMEM)
    return schema.ThreadTraceModel(
        source=found.source,
        kernels=list(found.kernels),
        instruction_mix={kind.value: mix.hit_share(kind) for kind in InstructionClass},
        latency_mix={kind.value: mix.latency_share(kind) for kind in InstructionClass},
        stall_fraction=fractions.stall,
        issue_fraction=fractions.issue,
        idle_fraction=fractions.idle,
        stall_of_latency=fractions.stall_of_latency,
        wait_share=found.wait_share,
        barrier_share=found.barrier_share,
        scratch_share=found.scratch_share,
        scratch_wait_share=found.waits.scratch_share if found.waits else None,
        matrix_busy=found.matrix_busy,
        waiting=dict(found.waiting),
        signs=schema.SignsModel(**asdict(found.signs)),
        roles={role.value: share for role, share in found.purposes.time.items()},
        deciding_loads=found.purposes.deciding_loads,
        ipc=found.ipc_wave,
        ipc_simd=_mean([simd.ipc for simd in found.simds]),
        mean_wave_cycles=found.mean_wave_cycles,
        mean_wave_us=found.mean_wave_us,
        avg_memory_latency=vector.until_wait_ends.mean if vector else None,
        memory_latency={kind.value: _memory(latency) for kind, latency in memory.items()},
        waits=[_wait(report) for report in waits[:MOST_WAITS]],
        occupancy=[_engine(engine) for engine in found.occupancy],
        hot_instructions=[
            schema.HotInstructionModel(code=_code(hot.code), share=hot.share)
            for hot in found.hot_instructions
        ],
        hot_sources=[_hot_source(hot) for hot in found.hot_sources],
        warnings=list(found.warnings),
    )


def _mean(values: list[float]) -> Optional[float]:
    return sum(values) / len(values) if values else None


def _code(line: CodeLine) -> schema.CodeCostModel:
    return schema.CodeCostModel(
        instruction=line.text,
        address=line.address,
        source=line.source or None,
        hits=line.hits,
        latency=line.latency,
        stall=line.stall,
        idle=line.idle,
    )


def _latency(latency: Latency) -> schema.LatencyModel:
    return schema.LatencyModel(
        count=latency.count, mean=latency.mean, min=latency.smallest, max=latency.largest
    )


def _memory(memory: MemoryLatency) -> schema.MemoryLatencyModel:
    return schema.MemoryLatencyModel(
        until_wait_ends=_latency(memory.until_wait_ends),
        exposed=_latency(memory.exposed) if memory.exposed else None,
        stall=memory.stall,
    )


def _wait(report: WaitReport) -> schema.WaitModel:
    return schema.WaitModel(
        code=_code(report.code),
        waited_for=[
            schema.WaitedForModel(code=_code(d.code), latency=_latency(d.latency))
            for d in report.dependencies
        ],
    )


def _engine(engine: EngineOccupancy) -> schema.EngineOccupancyModel:
    return schema.EngineOccupancyModel(
        engine=engine.engine,
        cycles=engine.cycles,
        compute_units=engine.cus,
        waves=engine.launched,
        peak_waves=engine.peak,
        mean_waves=engine.mean,
        waves_over_time=engine.binned(_PARTS_OF_TIME).tolist(),
    )


def _hot_source(hot: HotSource) -> schema.HotSourceModel:
    cost = hot.cost
    return schema.HotSourceModel(
        source=hot.source,
        within=hot.within or None,
        share=hot.share,
        instructions=hot.instructions,
        hits=cost.hits,
        latency=cost.latency,
        stall=cost.stall,
        idle=cost.idle,
    )
