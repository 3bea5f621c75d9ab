"""The ceilings of a device: bandwidth of each memory level and FLOP/s of each pipe.

They come from the user, from microbenchmarks that ran on the device, or from the hardware facts,
in this order. A measured ceiling well above what the hardware can do is an artefact of its
benchmark and is not used; of two precisions with one hardware rate the better measurement counts
for both, because the slower benchmark then was no ceiling.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Callable, Final, Literal, Optional, TypeVar

from rocm_perf_lab.analysis.rooflines.flops import Pipe
from rocm_perf_lab.arch.device import DeviceFacts, memory_bandwidth, peak_flops
from rocm_perf_lab.trace.measured_roofs import MeasuredRoofs

_Key = TypeVar("_Key")

HBM, INFINITY_CACHE = "hbm", "infinity_cache"
Origin = Literal["given", "measured", "theoretical"]
GIVEN: Final = "given"
MEASURED: Final = "measured"
THEORETICAL: Final = "theoretical"

_AT_THE_LIMIT = 1.02  # the error of a good measurement
_PRECISIONS = {
    "vector": ("fp16", "fp32", "fp64"),
    "matrix": ("fp4", "fp6", "fp8", "fp16", "bf16", "fp32", "fp64", "int8"),
}


@dataclass(frozen=True)
class Roof:
    """One ceiling, in bytes/s or FLOP/s."""

    value: float
    source: Origin


@dataclass(frozen=True)
class Roofs:
    bandwidth: Mapping[str, Roof]  # "hbm", "infinity_cache", "l2", "l1", "lds"
    rate: Mapping[Pipe, Roof]
    notes: tuple[str, ...] = ()  # measured ceilings that were not used, and why


def roofs_of(
    facts: Optional[DeviceFacts],
    measured: Optional[MeasuredRoofs] = None,
    *,
    bandwidth_gbps: Optional[float] = None,
    clock_mhz: Optional[float] = None,
) -> Roofs:
    """All ceilings that are known; one that is not is absent. Without facts only measured ones."""
    bandwidth = _theoretical_bandwidth(facts, clock_mhz) if facts else {}
    rate = _theoretical_rate(facts, clock_mhz) if facts else {}
    notes: list[str] = []
    # A measurement was made at the device's own clock, so it says nothing about another one.
    if measured is not None and clock_mhz is None:
        notes += _replace(bandwidth, measured.bandwidth, str)
        best = _best_of_equal_rates(rate, measured.rate)
        notes += _replace(rate, best, " ".join)
    if bandwidth_gbps is not None:
        bandwidth[HBM] = Roof(bandwidth_gbps * 1e9, GIVEN)
    return Roofs(bandwidth, rate, tuple(notes))


def _best_of_equal_rates(
    theoretical: Mapping[Pipe, Roof], measured: Mapping[Pipe, float]
) -> dict[Pipe, float]:
    best: dict[tuple[str, float], float] = {}
    for (unit, precision), value in measured.items():
        limit = theoretical.get((unit, precision))
        if limit is not None and value <= limit.value:
            key = (unit, limit.value)
            best[key] = max(value, best.get(key, 0.0))
    return {
        pipe: best.get((pipe[0], theoretical[pipe].value), value)
        if pipe in theoretical and value <= theoretical[pipe].value
        else value
        for pipe, value in measured.items()
    }


def _theoretical_rate(facts: DeviceFacts, clock_mhz: Optional[float]) -> dict[Pipe, Roof]:
    return {
        (unit, precision): Roof(peak, THEORETICAL)
        for unit, precisions in _PRECISIONS.items()
        for precision in precisions
        if (peak := peak_flops(facts, precision, unit, clock_mhz)) is not None
    }


def _theoretical_bandwidth(facts: DeviceFacts, clock_mhz: Optional[float]) -> dict[str, Roof]:
    megahertz = facts.engine_clock_mhz if clock_mhz is None else clock_mhz
    hertz = None if megahertz is None else megahertz * 1e6
    values = {
        HBM: memory_bandwidth(facts),
        INFINITY_CACHE: facts.product and facts.product.number("infinity_cache.bytes_per_second"),
        "l2": _product(facts.target.number("l2.bytes_per_clock"), facts.l2_channels, hertz),
        "l1": _product(facts.target.number("l1_vector.bytes_per_clock"), facts.cu_count, hertz),
        "lds": _product(facts.target.number("lds.bytes_per_clock"), facts.cu_count, hertz),
    }
    return {level: Roof(value, THEORETICAL) for level, value in values.items() if value}


def _product(*factors: Optional[float]) -> Optional[float]:
    result = 1.0
    for factor in factors:
        if factor is None:
            return None
        result *= factor
    return result


def _replace(
    roofs: dict[_Key, Roof], measured: Mapping[_Key, float], name: Callable[[Any], str]
) -> list[str]:
    """Take the measured values that the hardware can reach; name the others."""
    notes = []
    for key, value in measured.items():
        limit = roofs.get(key)
        if limit is not None and limit.value < value <= _AT_THE_LIMIT * limit.value:
            roofs[key] = Roof(limit.value, MEASURED)
        elif limit is not None and value > limit.value:
            notes.append(
                f"measured roof of {name(key)} ({value:.4g}/s) is above what the hardware can do"
                f" ({limit.value:.4g}/s): the latter is used"
            )
        else:
            roofs[key] = Roof(value, MEASURED)
    return notes
