"""What a thread trace shows of causes that no counter tells apart.

Waves that wait for memory can have one load in flight or many, a barrier behind each load or none;
a wait for LDS can be for data or for a shuffle, which goes through the LDS without storing there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

import numpy as np

from rocm_perf_lab.analysis.code.instruction_mix import InstructionClass, InstructionMix
from rocm_perf_lab.analysis.thread_traces.occupancy import EngineOccupancy
from rocm_perf_lab.analysis.thread_traces.waits import WaitAnalysis

_SHUFFLES = ("ds_bpermute", "ds_permute", "ds_swizzle")
_STORES = ("global_store", "flat_store", "buffer_store", "scratch_")


@dataclass(frozen=True)
class Signs:
    """None where the trace does not hold what it takes."""

    loads_in_flight: Optional[float]  # of one wave, while it waits for them
    barriers_per_load: Optional[float]  # executed
    shuffle_share: Optional[float]  # of the executed LDS instructions
    lds_queue: float  # of the time of the waves: an LDS instruction stalls before it is issued
    tail: Optional[float]  # of the wave slots over time, lost after the last wave has begun


def signs_of(
    mix: InstructionMix, waits: Optional[WaitAnalysis], engines: Sequence[EngineOccupancy]
) -> Signs:
    lds = mix.by_class.get(InstructionClass.LDS)
    time = mix.total.latency + mix.total.idle
    loads = sum(
        cost.hits
        for name, cost in mix.by_opcode.items()
        if name.startswith(("global_", "flat_", "buffer_")) and not name.startswith(_STORES)
    )
    return Signs(
        loads_in_flight=_in_flight(waits),
        barriers_per_load=_hits(mix, ("s_barrier",)) / loads if loads else None,
        shuffle_share=_hits(mix, _SHUFFLES) / lds.hits if lds else None,
        lds_queue=lds.stall / time if lds and time else 0.0,
        tail=_tail(engines),
    )


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
