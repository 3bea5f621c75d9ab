"""The ladder of walls: the mechanism that makes a kernel fastest when it is free, then the next one
on top of it, until nothing gains any more.

A generator asks for the times that it needs, a few at once. Freeing more is not slower, so a group
of mechanisms that gains little together has none that gains more alone: groups are halved where
they gain most, until one mechanism is left. Those that may slow a kernel down are asked for alone.
"""

from __future__ import annotations

import heapq
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

MOST_WALLS = 4
LEAST_GAIN = 0.03  # of the time before; schedules of waves differ by up to 0.01
_MOST_OF_IT = 0.5

Freed = frozenset[str]
Names = tuple[str, ...]
Times = Mapping[Freed, float]  # ns of a launch, by what is free


@dataclass(frozen=True)
class Candidate:
    name: str
    may_slow: bool = False
    parts: Names = ()  # narrower ones, which go first where they have most of its gain


@dataclass(frozen=True)
class Wall:
    """``together``: none of them gains alone, all of them do."""

    together: Names
    ns: float  # of a launch when they, and all walls before them, are free


@dataclass(frozen=True)
class Ladder:
    now_ns: float
    walls: tuple[Wall, ...]
    whole: bool = True  # nothing more to find, within the most that was asked for


class TimeIsUp(Exception):
    """Thrown into ``climb`` instead of times: what was found so far is the ladder."""


@dataclass(frozen=True)
class Place:
    """Where in the source a wall sits."""

    line: str  # FILE:LINE
    share: float  # of what the wall costs, that goes with the instructions of the line


@dataclass(frozen=True)
class Climbed:
    ladder: Ladder
    launch: Optional[int] = None  # replayed alone, from 1; None: the mean of all launches
    place: Optional[Place] = None  # of the first wall


Asking = Generator[tuple[Freed, ...], Times, Ladder]
_Search = Generator[tuple[Freed, ...], Times, Optional[Wall]]


def climb(candidates: Sequence[Candidate], most: int = MOST_WALLS) -> Asking:
    """Yields what to measure, is sent the times, returns the ladder."""
    nothing: Freed = frozenset()
    now = (yield (nothing,))[nothing]
    walls: list[Wall] = []
    left = list(candidates)
    freed, before = nothing, now
    while len(walls) < most and left:
        try:
            found = yield from _wall_above(freed, left, before)
        except TimeIsUp:
            return Ladder(now, tuple(walls), whole=False)
        if found is None:
            break
        walls.append(found)
        freed, before = freed | set(found.together), found.ns
        left = [one for one in left if one.name not in freed]
    return Ladder(now, tuple(walls))


def _wall_above(freed: Freed, left: Sequence[Candidate], before: float) -> _Search:
    limit = (1 - LEAST_GAIN) * before
    found = yield from _next_wall(freed, left, limit)
    parts = [] if found is None else _parts_of(found, left)
    if found is None or not parts:
        return found
    most_of_it = before - _MOST_OF_IT * (before - found.ns)
    narrower = yield from _best_of(freed, parts, min(limit, most_of_it))
    return narrower or found


def _next_wall(freed: Freed, candidates: Sequence[Candidate], limit: float) -> _Search:
    """The one with which a launch takes least, if that is below ``limit``."""
    grouped = tuple(one.name for one in candidates if not one.may_slow)
    alone = [(one.name,) for one in candidates if one.may_slow]
    waiting: list[tuple[float, Names]] = []
    asked = [*_halves(grouped), *alone]
    smallest: Optional[tuple[int, Names]] = None  # group that gains
    while True:
        times = yield tuple(freed | set(group) for group in asked)
        for group in asked:
            ns = times[freed | set(group)]
            if ns < limit:
                heapq.heappush(waiting, (ns, group))
                smallest = min(smallest or (len(group), group), (len(group), group))
        if not waiting:
            return None if smallest is None else (yield from _together(freed, smallest[1], limit))
        ns, best = heapq.heappop(waiting)
        if len(best) == 1:
            return Wall(best, ns)
        asked = _halves(best)


def _parts_of(wall: Wall, candidates: Sequence[Candidate]) -> list[str]:
    wanted = [part for one in candidates if (one.name,) == wall.together for part in one.parts]
    return [one.name for one in candidates if one.name in wanted]


def _best_of(freed: Freed, names: Sequence[str], limit: float) -> _Search:
    times = yield tuple(freed | {name} for name in names)
    ns, best = min((times[freed | {name}], name) for name in names)
    return Wall((best,), ns) if ns < limit else None


def _together(freed: Freed, group: Names, limit: float) -> _Search:
    """A group that gains, though no half of it does: without those that it can do without."""
    needed = group
    for name in group:
        fewer = tuple(one for one in needed if one != name)
        asked = freed | set(fewer)
        if (yield (asked,))[asked] < limit:
            needed = fewer
    asked = freed | set(needed)
    return Wall(needed, (yield (asked,))[asked])


def _halves(names: Names) -> list[Names]:
    middle = len(names) // 2
    return [part for part in (names[:middle], names[middle:]) if part]
