"""Puts the processes of one run on one clock of the device.

The virtual clock of every process starts at the same time, whenever the process really started.
Here a process gets its place: it begins where those that had ended before it began have ended, so
that what ran one after the other never overlaps. Processes that were alive together keep a common
beginning, with one exception: while a process waits for those that it started, and gives the device
nothing to do, they run at that point of its time, and what it does afterwards comes after them.

Real time only says who came before whom, never how long anything took.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import accumulate, groupby
from typing import Optional

from rocm_perf_lab.vrocm.recording.records import ProcessRecords, Record, optional_integer

REAL_TIME = "real_ns"
ANCESTORS = "ancestors"
_VIRTUAL_TIMES = ("start_ns", "end_ns", "time_ns")
_DEVICE_WORK = ("dispatch", "fill", "copy")


_FOREVER = 1 << 64


def on_one_clock(processes: Sequence[ProcessRecords]) -> list[ProcessRecords]:
    """The same processes, each moved to its place. One alone stays where it is."""
    lives = [life for life in map(_Life.of, processes) if life is not None]
    lives.sort(key=lambda life: (life.began, life.records.pid))
    _place(lives)
    moved = {id(life.records): life.moved_records() for life in lives}
    return [moved.get(id(records), records) for records in processes]


@dataclass(eq=False)
class _Life:
    """A process: when it really lived and worked, and where its virtual time begins."""

    records: ProcessRecords
    began: int  # really, as are all times but the virtual ones
    start_ns: int  # virtually, as recorded
    ended: int
    work: list[int]  # when something was finished on the device
    reached: list[tuple[int, int]]  # when, and how far its virtual time had come
    begin_ns: int = 0  # where the virtual time is to begin
    children: list[_Life] = field(default_factory=list)  # those placed so far, in their order

    @staticmethod
    def of(records: ProcessRecords) -> Optional[_Life]:
        """None when the recording does not tell."""
        began = optional_integer(records.process, REAL_TIME)
        start = optional_integer(records.process, "start_ns")
        if began is None or start is None:
            return None
        stamped = sorted(
            (real, max(_virtual_times(record).values(), default=start))
            for of_kind in records.by_kind.values()
            for record in of_kind
            for real in (optional_integer(record, REAL_TIME),)
            if real is not None
        )
        reached = list(zip((real for real, _ in stamped), accumulate((t for _, t in stamped), max)))
        work = sorted(
            optional_integer(record, REAL_TIME) or 0
            for kind in _DEVICE_WORK
            for record in records.all(kind)
        )
        return _Life(records, began, start, reached[-1][0], work, reached)

    def waits_for(self, other: _Life) -> bool:
        """Whether it was there and gave the device nothing to do while the other lived."""
        rests = self.pause_of(other) == bisect_right(self.work, other.ended)
        return rests and self.began < other.began < self.ended

    def pause_of(self, other: _Life) -> int:
        """After how many pieces of its work the other began."""
        return bisect_right(self.work, other.began)

    def time_for(self, child: _Life) -> int:
        """Its time when it starts to wait for the child."""
        pause = self.pause_of(child)
        before = [c for c in self.children if self.pause_of(c) < pause]
        return self._reached_at(child.began) + self._moves(before)[-1][1]

    @property
    def end_ns(self) -> int:
        return self.reached[-1][1] + _value_at(self._moves(self.children), self.ended)

    def _reached_at(self, real: int) -> int:
        return _value_at(self.reached, real)

    def _moves(self, children: Sequence[_Life]) -> list[tuple[int, int]]:
        """From when on which part of its virtual time is moved by how much."""
        moves = [(0, self.begin_ns - self.start_ns)]
        for _pause, waited in groupby(children, self.pause_of):
            together = list(waited)
            begin = self._reached_at(together[0].began) + moves[-1][1]
            longer = max(0, max(child.end_ns for child in together) - begin)
            moves.append((max(child.ended for child in together), moves[-1][1] + longer))
        return moves

    def moved_records(self) -> ProcessRecords:
        moves = self._moves(self.children)
        if not any(move for _from, move in moves):
            return self.records
        by_kind = {
            kind: [_moved(record, moves) for record in records]
            for kind, records in self.records.by_kind.items()
        }
        return replace(self.records, by_kind=by_kind)


def _place(lives: Sequence[_Life]) -> None:
    """``lives`` in the order in which they began."""
    origin = min((life.start_ns for life in lives), default=0)
    by_pid: dict[int, list[_Life]] = defaultdict(list)
    alive: list[tuple[int, int, _Life]] = []  # who ends first comes first
    for number, life in enumerate(lives):
        while alive and alive[0][0] <= life.began:
            origin = max(origin, heappop(alive)[2].end_ns)
        parent = _who_waits_for(life, by_pid)
        life.begin_ns = max(origin, parent.time_for(life)) if parent else origin
        if parent:
            parent.children.append(life)
        by_pid[life.records.pid].append(life)
        heappush(alive, (life.ended, number, life))


def _who_waits_for(life: _Life, by_pid: Mapping[int, Sequence[_Life]]) -> Optional[_Life]:
    """The nearest ancestor that waits."""
    ancestors = life.records.process.get(ANCESTORS)
    for pid in ancestors if isinstance(ancestors, list) else ():
        for candidate in by_pid.get(pid, ()):
            if candidate.waits_for(life):
                return candidate
    return None


def _value_at(steps: Sequence[tuple[int, int]], real: int) -> int:
    return steps[max(bisect_right(steps, (real, _FOREVER)) - 1, 0)][1]


def _virtual_times(record: Record) -> dict[str, int]:
    found = {key: optional_integer(record, key) for key in _VIRTUAL_TIMES}
    return {key: time for key, time in found.items() if time is not None}


def _moved(record: Record, moves: Sequence[tuple[int, int]]) -> Record:
    real = optional_integer(record, REAL_TIME)
    if real is None:
        return record
    move = _value_at(moves, real)
    return {**record, **{key: time + move for key, time in _virtual_times(record).items()}}
