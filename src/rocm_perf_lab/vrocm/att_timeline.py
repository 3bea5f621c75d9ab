"""What waves were doing when: the timeline of each wave, and how many were in which state.

The rules are those by which recordings of MI300X can be rebuilt: a wave is idle until its first
instruction; stalls of what the sequencer handles by itself (``s_waitcnt``, ``s_barrier``,
``s_nop``) and the end of the program are waiting; other stalls are stalls; everything else is
execution, also short gaps between instructions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import IntEnum
from itertools import accumulate


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


Timeline = list[tuple[int, int]]  # (state, cycles)


def wave_timeline(
    instructions: Iterable[tuple[int, int, int, int, int]], begin: int, end: int
) -> Timeline:
    """From (time, category, stall, duration, line) of each instruction."""
    parts = _Parts()
    now, between = begin, WaveState.IDLE
    for time, category, stall, duration, _line in instructions:
        parts.add(between, time - now)
        between = WaveState.EXECUTING
        if category == Category.MESSAGE:
            parts.add(WaveState.WAITING, duration)
        else:
            immediate = category == Category.IMMEDIATE
            parts.add(WaveState.WAITING if immediate else WaveState.STALLED, stall)
            parts.add(WaveState.EXECUTING, duration - stall)
        now = max(now, time + duration)
    parts.add(between, end - now)
    return parts.found


class _Parts:
    """Execution goes on from one instruction to the next; every wait and stall has its own part."""

    def __init__(self) -> None:
        self.found: Timeline = []

    def add(self, state: WaveState, cycles: int) -> None:
        if cycles <= 0:
            return
        if self.found and state is WaveState.EXECUTING and self.found[-1][0] == state:
            cycles += self.found.pop()[1]
        self.found.append((int(state), cycles))


def state_counts(
    timelines: Iterable[tuple[int, Timeline]],
) -> dict[int, tuple[list[int], list[int]]]:
    """From (begin, timeline) of each wave: for every state that occurs, the times at which a wave
    enters or leaves it and how many waves are in it from then on."""
    changes: dict[int, Counter[int]] = {}
    for begin, timeline in timelines:
        now = begin
        for state, cycles in timeline:
            counter = changes.setdefault(state, Counter())
            counter[now] += 1
            now += cycles
            counter[now] -= 1
    counts = {}
    for state, counter in sorted(changes.items()):
        times = sorted(counter)
        counts[state] = (times, list(accumulate(counter[time] for time in times)))
    return counts
