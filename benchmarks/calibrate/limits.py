"""How far a figure may be off: one table, fixed before anything is run, for whole classes only.

A figure names the group it belongs to and what kind of quantity it is; it has no limit of its own.
"""

from __future__ import annotations

from enum import Enum


class Group(Enum):
    REPRODUCED = "reproduced input"
    BY_CONSTRUCTION = "by construction"
    PREDICTED = "predicted"


class Kind(Enum):
    COUNT = "exact count"
    IDENTITY = "identity"
    REQUESTS = "request count"
    LATENCY = "latency"
    BANDWIDTH = "bandwidth"
    RATE = "rate"
    DURATION = "duration"
    WAITING = "cycles of waiting"
    TIMING = "published timing"  # a whole kernel of somebody else: bandwidth, duration or ratio


LIMITS: dict[tuple[Group, Kind], float] = {
    (Group.BY_CONSTRUCTION, Kind.COUNT): 0.0,
    (Group.BY_CONSTRUCTION, Kind.IDENTITY): 0.01,
    (Group.REPRODUCED, Kind.LATENCY): 0.10,
    (Group.REPRODUCED, Kind.BANDWIDTH): 0.10,
    (Group.REPRODUCED, Kind.RATE): 0.02,
    (Group.REPRODUCED, Kind.DURATION): 0.25,
    (Group.REPRODUCED, Kind.WAITING): 0.25,
    (Group.REPRODUCED, Kind.TIMING): 0.25,
    (Group.PREDICTED, Kind.REQUESTS): 0.10,
    (Group.PREDICTED, Kind.LATENCY): 0.25,
    (Group.PREDICTED, Kind.RATE): 0.25,
    (Group.PREDICTED, Kind.DURATION): 0.25,
    (Group.PREDICTED, Kind.TIMING): 0.25,
    (Group.PREDICTED, Kind.WAITING): 0.50,
}
NEEDS_A_REASON = 0.50  # a figure that is further off says why on the page

MEANING = {
    Group.REPRODUCED: "constants of the model were taken from the figure, or fitted to its kernel",
    Group.BY_CONSTRUCTION: "follows from executing the code, or holds whatever the numbers are",
    Group.PREDICTED: "no constant knows of it",
}


def limit_text(limit: float) -> str:
    return "exact" if limit == 0 else f"{limit * 100:g} %"
