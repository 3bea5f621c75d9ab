"""An independent reading of a PyTorch trace: what its GPU did, by the JSON alone and by merging
sorted intervals one at a time. It shares no code with the product, and is slow."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable
from pathlib import Path

Interval = tuple[float, float]
_COMMUNICATION = re.compile("nccl|rccl|cross_device_reduce", re.IGNORECASE)
_COPY_KERNEL = re.compile("MEMORY_COPY_|__amd_rocclr_copyBuffer")


def reference(path: Path) -> dict[str, float]:
    """Milliseconds, by the names of the document."""
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    kinds: dict[str, list[Interval]] = {"compute": [], "communicate": [], "copy": []}
    for event in json.loads(text)["traceEvents"]:
        if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
            start = float(event["ts"])
            kinds[_kind(event)].append((start, start + float(event["dur"])))
    compute, communicate, copy = (merged(kinds[k]) for k in ("compute", "communicate", "copy"))
    everything = merged([*compute, *communicate, *copy])
    span = everything[-1][1] - everything[0][0]
    return {
        "span_ms": span / 1e3,
        "busy_ms": total(everything) / 1e3,
        "idle_ms": (span - total(everything)) / 1e3,
        "computation_ms": total(compute) / 1e3,
        "communication_ms": total(communicate) / 1e3,
        "exposed_communication_ms": total(without(communicate, compute)) / 1e3,
        "copies_ms": total(copy) / 1e3,
        "exposed_copies_ms": total(without(without(copy, compute), communicate)) / 1e3,
    }


def _kind(event: dict[str, str]) -> str:
    name = event.get("name", "")
    if event["cat"] == "gpu_memcpy" or _COPY_KERNEL.match(name):
        return "copy"
    is_kernel = event["cat"] == "kernel"
    return "communicate" if is_kernel and _COMMUNICATION.search(name) else "compute"


def merged(intervals: Iterable[Interval]) -> list[Interval]:
    result: list[Interval] = []
    for start, end in sorted(intervals):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(result[-1][1], end))
        else:
            result.append((start, end))
    return result


def without(intervals: Iterable[Interval], taken: Iterable[Interval]) -> list[Interval]:
    taken, result = list(taken), []
    for start, end in intervals:
        for low, high in taken:
            if high > start and low < end:
                if low > start:
                    result.append((start, low))
                start = max(start, high)
        if start < end:
            result.append((start, end))
    return result


def total(intervals: Iterable[Interval]) -> float:
    return sum(end - start for start, end in intervals)
