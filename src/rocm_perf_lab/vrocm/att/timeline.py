"""What waves were doing when: the timeline of each wave, and how many were in which state.

The rules are those by which recordings of MI300X can be rebuilt: a wave is idle until its first
instruction; stalls of what the sequencer handles by itself (``s_waitcnt``, ``s_barrier``,
``s_nop``) and the end of the program are waiting; other stalls are stalls; everything else is
execution, also short gaps between instructions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from rocm_perf_lab.vrocm.att.code import IntArray, idle_before
from rocm_perf_lab.vrocm.att.file import Steps


class Category(IntEnum):
    """Classes of instructions in a thread trace."""

    SMEM = 1
    SALU = 2
    VMEM = 3
    FLAT = 4
    LDS = 5
    VALU = 6
    JUMP = 7
    NEXT = 8
    IMMEDIATE = 9
    MESSAGE = 11


class WaveState(IntEnum):
    EMPTY = 0
    IDLE = 1
    EXECUTING = 2
    WAITING = 3
    STALLED = 4


@dataclass(frozen=True)
class Timeline:
    """The states of a wave, one after the other."""

    begin: int
    states: IntArray
    cycles: IntArray

    @property
    def parts(self) -> list[tuple[int, int]]:
        """(state, cycles) of each."""
        return list(zip(self.states.tolist(), self.cycles.tolist()))


def wave_timeline(steps: Steps, begin: int, end: int) -> Timeline:
    time, stall, duration = (steps[name].astype(np.int64) for name in ("time", "stall", "duration"))
    category = steps["category"]
    # Each step has three parts: what was before it, its stall, its issue.
    gap = idle_before(steps, begin)
    before = np.full(len(steps), WaveState.EXECUTING)
    before[:1] = WaveState.IDLE
    stalled = np.where(category == Category.IMMEDIATE, WaveState.WAITING, WaveState.STALLED)
    issuing = np.where(category == Category.MESSAGE, WaveState.WAITING, WaveState.EXECUTING)
    states = np.stack((before, stalled, issuing), axis=1).reshape(-1)
    cycles = np.stack((gap, stall, duration - stall), axis=1).reshape(-1)
    last = int((time + duration).max(initial=begin))
    tail = WaveState.EXECUTING if len(steps) else WaveState.IDLE
    return _merged(begin, np.append(states, tail), np.append(cycles, end - last))


def _merged(begin: int, states: IntArray, cycles: IntArray) -> Timeline:
    """Execution goes on from one instruction to the next; every wait and stall has its own part."""
    states, cycles = states[cycles > 0], cycles[cycles > 0]
    executing = states == WaveState.EXECUTING
    first = np.flatnonzero(~(executing & np.append(False, executing[:-1])))
    if not len(first):
        return Timeline(begin, states, cycles)
    return Timeline(begin, states[first], np.add.reduceat(cycles, first))


def state_counts(timelines: Sequence[Timeline]) -> dict[int, tuple[list[int], list[int]]]:
    """For every state that occurs: the times at which a wave enters or leaves it, and how many
    waves are in it from then on."""
    if not timelines:
        return {}
    states = np.concatenate([timeline.states for timeline in timelines])
    ends = np.concatenate([t.begin + np.cumsum(t.cycles) for t in timelines])
    begins = ends - np.concatenate([timeline.cycles for timeline in timelines])
    counts = {}
    for state in np.unique(states).tolist():
        chosen = states == state
        moments = np.concatenate((begins[chosen], ends[chosen]))
        changes = np.repeat((1, -1), np.count_nonzero(chosen))
        times, where = np.unique(moments, return_inverse=True)
        change = np.zeros(len(times), dtype=np.int64)
        np.add.at(change, where, changes)
        counts[state] = (times.tolist(), np.cumsum(change).tolist())
    return counts
