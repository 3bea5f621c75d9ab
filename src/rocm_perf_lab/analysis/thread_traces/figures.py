"""What a thread trace says about one dispatch.

Definitions, all summed over the watched waves, in shader clock cycles:

* latency = stall + issue of an instruction; idle = what passed before its first attempt to issue.
  Stall is a part of latency, so a wave's time is latency + idle, and stall, issue and idle
  fractions of it add up to 1.
* ``stall_of_latency`` leaves idle out. It is the usual figure of viewers.
* instructions per cycle of a wave: executed / wave time. Of a SIMD: what all its watched waves
  executed / the time from the first begin to the last end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.analysis.code.hot import (
    HotInstruction,
    HotSource,
    hot_instructions,
    hot_sources,
)
from rocm_perf_lab.analysis.code.instruction_mix import (
    Cost,
    InstructionMix,
    instruction_mix,
)
from rocm_perf_lab.analysis.thread_traces.causes import waiting_causes
from rocm_perf_lab.analysis.thread_traces.matrix import matrix_busy
from rocm_perf_lab.analysis.thread_traces.occupancy import EngineOccupancy, wave_occupancy
from rocm_perf_lab.analysis.thread_traces.roles import Purposes, purposes_of
from rocm_perf_lab.analysis.thread_traces.signs import Signs, signs_of
from rocm_perf_lab.analysis.thread_traces.waits import WaitAnalysis, analyse_waits
from rocm_perf_lab.errors import NothingRecorded
from rocm_perf_lab.trace.thread_trace.model import ThreadTrace

_HOT = 10
_SPILL_PREFIX = "scratch_"


@dataclass(frozen=True)
class Fractions:
    """``stall`` + ``issue`` + ``idle`` = 1."""

    stall: float
    issue: float
    idle: float
    stall_of_latency: float


@dataclass(frozen=True)
class SimdRate:
    """What the watched waves of one SIMD executed per cycle."""

    engine: int
    cu: int
    simd: int
    waves: int
    instructions: int
    cycles: int

    @property
    def ipc(self) -> float:
        return self.instructions / self.cycles


@dataclass(frozen=True)
class ThreadTraceAnalysis:
    source: str
    kernels: tuple[str, ...]
    mix: InstructionMix
    fractions: Fractions
    wait_share: float  # of latency: s_waitcnt and its successors
    barrier_share: float  # of latency
    scratch_share: float  # of executed instructions: spills, and arrays outside registers
    ipc_wave: float
    simds: tuple[SimdRate, ...]  # empty without waves
    mean_wave_cycles: Optional[float]  # from begin to end
    mean_wave_us: Optional[float]  # None where no clock was recorded
    waits: Optional[WaitAnalysis]
    matrix_busy: Optional[float]  # of the time of the watched SIMDs
    waiting: dict[str, float]  # shares of all stall by cause, the largest first
    signs: Signs
    purposes: Purposes
    occupancy: tuple[EngineOccupancy, ...]
    hot_instructions: tuple[HotInstruction, ...]
    hot_sources: tuple[HotSource, ...]
    warnings: tuple[str, ...]


def analyse_thread_trace(trace: ThreadTrace, *, hot: int = _HOT) -> ThreadTraceAnalysis:
    """Raises what ``check_executed`` raises."""
    check_executed(trace)
    mix = instruction_mix(trace.code)
    cycles, microseconds = _mean_life(trace)
    waits = analyse_waits(trace)
    engines = wave_occupancy(trace.occupancy)
    return ThreadTraceAnalysis(
        source=trace.source,
        kernels=trace.kernels,
        mix=mix,
        fractions=fractions(mix.total),
        wait_share=mix.opcode_latency_share("s_wait"),
        barrier_share=mix.opcode_latency_share("s_barrier"),
        scratch_share=_scratch_share(mix),
        ipc_wave=mix.total.hits / (mix.total.latency + mix.total.idle),
        simds=simd_rates(trace),
        mean_wave_cycles=cycles,
        mean_wave_us=microseconds,
        waits=waits,
        matrix_busy=matrix_busy(trace),
        waiting=waiting_causes(mix, waits),
        signs=signs_of(mix, waits, engines, trace.code),
        purposes=purposes_of(trace),
        occupancy=engines,
        hot_instructions=hot_instructions(trace.code, hot),
        hot_sources=hot_sources(trace.code, hot),
        warnings=(*trace.warnings, *_inconsistencies(trace, mix.total)),
    )


def check_executed(trace: ThreadTrace) -> None:
    """Raises ``NothingRecorded`` with the next step if the trace has no executed instruction."""
    if not any(line.hits and line.latency + line.idle for line in trace.code):
        raise NothingRecorded(
            f"{trace.source} holds no executed instruction: no wave came to the traced CU",
            "trace another CU (--att-target-cu), more shader engines (--att-shader-engine-mask "
            "0xffffffff), or a launch with more workgroups",
        )


def fractions(total: Cost) -> Fractions:
    """Raises ValueError if no time passed."""
    time = total.latency + total.idle
    if not time:
        raise ValueError("no cycle was recorded")
    return Fractions(
        stall=total.stall / time,
        issue=(total.latency - total.stall) / time,
        idle=total.idle / time,
        stall_of_latency=total.stall / total.latency if total.latency else 0.0,
    )


def simd_rates(trace: ThreadTrace) -> tuple[SimdRate, ...]:
    """By engine, CU and SIMD; those without time are left out."""
    grouped: dict[tuple[int, int, int], list[tuple[int, int, int]]] = {}
    for wave in trace.waves:
        place = (wave.engine, wave.cu, wave.simd)
        grouped.setdefault(place, []).append((wave.begin, wave.end, len(wave.steps)))
    rates = []
    for place, waves in sorted(grouped.items()):
        cycles = max(end for _, end, _ in waves) - min(begin for begin, _, _ in waves)
        if cycles:
            rates.append(SimdRate(*place, len(waves), sum(n for _, _, n in waves), cycles))
    return tuple(rates)


def _scratch_share(mix: InstructionMix) -> float:
    found = sum(c.hits for name, c in mix.by_opcode.items() if name.startswith(_SPILL_PREFIX))
    return found / mix.total.hits


def _mean_life(trace: ThreadTrace) -> tuple[Optional[float], Optional[float]]:
    """Cycles and microseconds; the latter only if the clock of every wave's engine is known."""
    if not trace.waves:
        return None, None
    lives = [wave.end - wave.begin for wave in trace.waves]
    cycles = sum(lives) / len(lives)
    if any(wave.engine not in trace.clock_mhz for wave in trace.waves):
        return cycles, None
    times = [life / trace.clock_mhz[w.engine] for life, w in zip(lives, trace.waves)]
    return cycles, sum(times) / len(times)


def _inconsistencies(trace: ThreadTrace, total: Cost) -> list[str]:
    """The sums of the code come from all waves: a difference means that wave files are missing."""
    steps = sum(len(wave.steps) for wave in trace.waves)
    if trace.waves and steps != total.hits:
        return [f"the wave files hold {steps} executed instructions, the code {total.hits}"]
    return []
