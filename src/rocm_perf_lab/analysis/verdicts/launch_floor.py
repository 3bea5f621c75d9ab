"""The least that some things take on the device: a launch, a load, an atomic behind another."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Optional

from rocm_perf_lab.arch.model import load_timing_model, modelled_targets

# A dispatch that waited for the one before it in its queue has its own preparation inside its time.
_BUSY = (
    0.9  # of the time from first to last kernel some kernel runs: dispatches wait in their queue
)


def launch_floor_ns(
    target: Optional[str], launches: int, busy_share: Optional[float]
) -> Optional[float]:
    """None where nobody measured it. ``busy_share`` of the span has kernels running."""
    if target not in modelled_targets():
        return None
    return _floor_ns(target, _waits(launches, busy_share))


@cache
def _floor_ns(target: str, waits: bool) -> float:
    model = load_timing_model(target)
    floor = model.value("launch_ns") + model.value("retire_ns")
    return floor + _hand_over_ns(target) if waits else floor


def hand_over_ns(
    target: Optional[str], launches: int, busy_share: Optional[float]
) -> Optional[float]:
    """How much more a launch takes that waits for the one before it; 0 where they do so now."""
    if target not in modelled_targets():
        return None
    return 0.0 if _waits(launches, busy_share) else _hand_over_ns(target)


@cache
def _hand_over_ns(target: str) -> float:
    return load_timing_model(target).value("hand_over_ns")


def _waits(launches: int, busy_share: Optional[float]) -> bool:
    return launches > 1 and busy_share is not None and busy_share >= _BUSY


@dataclass(frozen=True)
class LoadLatencies:
    """Cycles of a vector load where the memory system has nothing else to do, by who answers."""

    l1: float
    l2: float
    memory: float


@cache
def load_latencies(target: Optional[str]) -> Optional[LoadLatencies]:
    """None where nobody measured them."""
    if target not in modelled_targets():
        return None
    names = ("vector_hit_latency", "l2_hit_latency", "memory_latency")
    return LoadLatencies(*map(load_timing_model(target).value, names))


@cache
def atomic_turn_ns(target: Optional[str]) -> Optional[float]:
    """From one atomic on an address to the next, of all compute units together."""
    if target not in modelled_targets():
        return None
    model = load_timing_model(target)
    return model.value("atomic_same_line_cycles") / model.value("clock_ghz")
