"""From launches of the roof benchmark to the ceilings of the device that ran them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Optional

from rocm_perf_lab.arch.device import DeviceFacts, peak_flops
from rocm_perf_lab.errors import RecordingError
from rocm_perf_lab.trace.measured_roofs import MeasuredRoofs, fingerprint_of
from rocm_perf_lab.trace.model import Trace

# By their mangled names, whose length before the name keeps other_read_memory out.
KERNELS = re.compile(r"11read_memory|8read_lds|12multiply_add|1[01]matrix_\w")
PIPES = (
    ("vector", "fp16"),
    ("vector", "fp32"),
    ("vector", "fp64"),
    ("matrix", "fp8"),
    ("matrix", "int8"),
    ("matrix", "fp16"),
    ("matrix", "bf16"),
    ("matrix", "fp32"),
    ("matrix", "fp64"),
)
_GIBIBYTE = 1 << 30
_NS = 1e-9


def footprints(facts: DeviceFacts) -> dict[str, int]:
    """Bytes to read for each level: half of a cache, so that it surely fits; four times the last
    cache, so that next to nothing is found there."""
    last_cache = facts.infinity_cache_bytes or facts.l2_bytes or 0
    l2_each = facts.l2_bytes and facts.l2_bytes // (facts.xcc_count or 1)
    wanted = {
        "lds": facts.lds_bytes_per_cu,
        "l1": _half(facts.target.number("l1_vector.bytes")),
        "l2": _half(l2_each),
        "infinity_cache": _half(facts.infinity_cache_bytes),
        "hbm": max(_GIBIBYTE, 4 * last_cache),
    }
    return {level: size for level, size in wanted.items() if size}


def roof_names(facts: DeviceFacts) -> list[str]:
    """Everything that can be measured: memory levels first, then the pipes the device has."""
    pipes = [f"{unit}.{kind}" for unit, kind in PIPES if peak_flops(facts, kind, unit) is not None]
    return [*footprints(facts), *pipes]


def benchmark_arguments(facts: DeviceFacts, names: Iterable[str]) -> list[str]:
    sizes = footprints(facts)
    return [f"{name}={sizes[name]}" if name in sizes else name for name in names]


def measured_roofs(work: Sequence[tuple[str, float]], trace: Trace) -> MeasuredRoofs:
    """``work``: what each launch measured, and its bytes or operations, in launch order."""
    rows = trace.dispatches
    own = [
        row
        for row in range(len(rows))
        if KERNELS.search(trace.kernels[int(rows.kernel[row])].symbol or "")
    ]
    own.sort(key=lambda row: int(rows.dispatch_id[row]))
    if len(own) != len(work):
        raise RecordingError(
            f"the roof benchmark launched {len(work)} kernels, but {len(own)} were recorded"
        )
    best: dict[str, dict[float, int]] = {}
    for (name, amount), row in zip(work, own):
        taken = int(rows.end[row] - rows.start[row])
        times = best.setdefault(name, {})
        times[amount] = min(taken, times.get(amount, taken))
    rates = {name: rate for name, times in best.items() if (rate := _rate(times)) is not None}
    agent = trace.agent_at(int(rows.agent[own[0]])) if own else None
    if agent is None:
        raise RecordingError("the recording does not say which GPU ran the roof benchmark")
    return MeasuredRoofs(
        device=agent.id,
        bandwidth={name: rate for name, rate in rates.items() if "." not in name},
        rate={_pipe(name): rate for name, rate in rates.items() if "." in name},
        source="rocm-perf roofs",
        made_on=fingerprint_of(agent),
    )


def _rate(times: dict[float, int]) -> Optional[float]:
    """Of the two largest launches the difference: what starting and ending costs is in both."""
    if len(times) < 2:
        return None
    less, more = sorted(times)[-2:]
    longer = times[more] - times[less]
    return (more - less) / (longer * _NS) if longer > 0 else None


def _pipe(name: str) -> tuple[str, str]:
    unit, _, precision = name.partition(".")
    return unit, precision


def _half(size: Optional[float]) -> Optional[int]:
    return None if size is None else int(size) // 2
