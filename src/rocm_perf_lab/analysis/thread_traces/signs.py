"""What a thread trace shows of causes that no counter distinguishes.

Waves that wait for memory can have one load in flight or many, a barrier behind each load or none,
and what they wait for can be an atomic; a wait for LDS can be for data or for a shuffle, which goes
through the LDS without storing there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Optional

import numpy as np

from rocm_perf_lab.analysis.code.data_flow import SHUFFLES, lane_bytes
from rocm_perf_lab.analysis.code.instruction_mix import InstructionClass, InstructionMix
from rocm_perf_lab.analysis.thread_traces.occupancy import EngineOccupancy
from rocm_perf_lab.analysis.thread_traces.waits import WaitAnalysis
from rocm_perf_lab.trace.thread_trace.model import CodeLine

_ATOMIC = "_atomic"
_END = "s_endpgm"  # a wave ends when its atomics are done
# In the middle of a division or a function of integers or floating point.
_SEQUENCES = ("v_mul_hi_", "v_div_", "v_rcp_", "v_rsq_", "v_sqrt_", "v_exp_", "v_log_", "v_sin_")
# Of a function of angles, whose polynomials are plain products: it takes whole turns off, and asks
# whether there are any, or makes a sign of the quarter. Only both tell: what is made an integer is
# rounded, too.
_TURNS, _IS_FINITE = ("v_rndne_",), ("v_cmp_class_",)
_QUARTER = re.compile(r"v_lshlrev_b32.*, 30, ")
# Makes an address in scratch memory one that may be anywhere: of an array that a function is given.
_TO_SCRATCH = "src_private_base"
_STORES = ("global_store", "flat_store", "buffer_store", "scratch_")


@dataclass(frozen=True)
class Signs:
    """None where the trace does not hold what it takes."""

    loads_in_flight: Optional[float]  # of one wave, while it waits for them
    barriers_per_load: Optional[float]  # executed
    shuffle_share: Optional[float]  # of the executed LDS instructions
    lds_queue: float  # of the time of the waves: an LDS instruction stalls before it is issued
    tail: Optional[float]  # of the wave slots over time, lost after the last wave has begun
    memory_queue: float = 0.0  # as lds_queue, of instructions of vector memory
    atomics: float = 0.0  # of the time of the waves: waiting for atomics, or to end behind them
    sequences: Optional[float] = None  # of the vector instructions: of divisions and functions
    access_bytes: Optional[float] = None  # per lane of a vector load or store, in the mean
    load_latency: Optional[float] = None  # cycles of vector loads that held their wave up, mean
    barriers_per_lds: Optional[float] = None  # executed, for each LDS instruction
    scratch: Optional[float] = None  # of the instructions of vector memory: arrays and spills


def signs_of(
    mix: InstructionMix,
    waits: Optional[WaitAnalysis],
    engines: Sequence[EngineOccupancy],
    code: Sequence[CodeLine] = (),
) -> Signs:
    lds = mix.by_class.get(InstructionClass.LDS)
    memory = mix.by_class.get(InstructionClass.VMEM)
    vector = mix.by_class.get(InstructionClass.VALU)
    time = mix.total.latency + mix.total.idle
    loads = sum(
        cost.hits
        for name, cost in mix.by_opcode.items()
        if name.startswith(("global_", "flat_", "buffer_")) and not name.startswith(_STORES)
    )
    return Signs(
        loads_in_flight=_in_flight(waits),
        barriers_per_load=_hits(mix, ("s_barrier",)) / loads if loads else None,
        shuffle_share=_hits(mix, SHUFFLES) / lds.hits if lds else None,
        lds_queue=lds.stall / time if lds and time else 0.0,
        tail=_tail(engines),
        memory_queue=memory.stall / time if memory and time else 0.0,
        atomics=_for_atomics(mix, waits) / time if time else 0.0,
        sequences=_in_sequences(mix, code) / vector.hits if vector else None,
        access_bytes=_access_bytes(mix),
        scratch=_scratch(mix, code) / memory.hits if memory and memory.hits else None,
        load_latency=_load_latency(waits),
        barriers_per_lds=_hits(mix, ("s_barrier",)) / lds.hits if lds and lds.hits else None,
    )


def _in_sequences(mix: InstructionMix, code: Iterable[CodeLine]) -> int:
    quarters = sum(line.hits for line in code if _QUARTER.match(line.text))
    angles = max(_hits(mix, _IS_FINITE), quarters)
    return _hits(mix, _SEQUENCES) + 2 * min(_hits(mix, _TURNS), angles)


def _scratch(mix: InstructionMix, code: Iterable[CodeLine]) -> int:
    """By name, and all that may be anywhere where an address in scratch memory was made so."""
    by_address = any(line.hits and _TO_SCRATCH in line.text for line in code)
    return _hits(mix, ("scratch_", "flat_") if by_address else ("scratch_",))


def _access_bytes(mix: InstructionMix) -> Optional[float]:
    moved = executed = 0
    for name, cost in mix.by_opcode.items():
        if name.startswith(("global_", "flat_", "buffer_")) and not _is_atomic(name):
            size = lane_bytes(name)
            moved += size * cost.hits
            executed += cost.hits if size else 0
    return moved / executed if executed else None


def _for_atomics(mix: InstructionMix, waits: Optional[WaitAnalysis]) -> float:
    """Cycles. A wait for atomics and loads is shared by how long each of them took."""
    if not any(_is_atomic(name) for name in mix.by_opcode):
        return 0.0
    cycles = float(mix.by_opcode[_END].latency) if _END in mix.by_opcode else 0.0
    for report in waits.waits if waits else ():
        took = [(one.code.opcode, one.latency.mean) for one in report.dependencies]
        whole = sum(mean for _, mean in took)
        if whole:
            atomic = sum(mean for name, mean in took if _is_atomic(name))
            cycles += report.code.stall * atomic / whole
    return cycles


def _is_atomic(opcode: str) -> bool:
    return _ATOMIC in opcode and not opcode.startswith("s_")


def _hits(mix: InstructionMix, prefixes: tuple[str, ...]) -> int:
    return sum(cost.hits for name, cost in mix.by_opcode.items() if name.startswith(prefixes))


def _in_flight(waits: Optional[WaitAnalysis]) -> Optional[float]:
    """Little's law over the time that waves stall for them: all latencies over all stall.

    What is hidden behind work counts as well, so that this is too high rather than too low.
    """
    vector = waits.memory.get(InstructionClass.VMEM) if waits else None
    if vector is None or not vector.stall:
        return None
    return vector.until_wait_ends.count * vector.until_wait_ends.mean / vector.stall


def _load_latency(waits: Optional[WaitAnalysis]) -> Optional[float]:
    vector = waits.memory.get(InstructionClass.VMEM) if waits else None
    return None if vector is None or vector.exposed is None else vector.exposed.mean


def _tail(engines: Sequence[EngineOccupancy]) -> Optional[float]:
    """Against the most waves that there were at once; the ramp at the beginning is none of it."""
    lost = whole = 0.0
    for engine in engines:
        begins = np.flatnonzero(np.diff(engine.waves, prepend=0) > 0)
        if not len(begins) or not engine.cycles:
            continue
        spans = np.diff(engine.times[begins[-1] :])
        lost += float(np.dot(engine.peak - engine.waves[begins[-1] : -1], spans))
        whole += float(engine.peak * engine.cycles)
    return lost / whole if whole else None
