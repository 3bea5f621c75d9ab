"""Records of a process whose kernels were counted, and what a trace holds of that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rocm_perf_lab.trace.model import Trace
from rocm_perf_lab.vrocm.recording.records import ProcessRecords

COUNTED = {"SQ_WAVES": 64, "SQ_INSTS_VALU": 1000, "TCC_HIT": 7, "GRBM_GUI_ACTIVE": 800}
MI300X = {"simd_count": 1216, "simd_per_cu": 4, "num_xcc": 8}


def counters_of(trace: Trace) -> list[dict[str, float]]:
    """The counters of each dispatch."""
    found: list[dict[str, float]] = [{} for _ in range(len(trace.dispatches))]
    table = trace.counters
    for row, name, value in zip(table.dispatch, table.name, table.value):
        found[row][trace.strings[name]] = float(value)
    return found


def records(kernels: str, *, gpus: int = 1, counted: Mapping[str, Any] = COUNTED) -> ProcessRecords:
    """Dispatches of the kernels a, b, ... in this order, on each GPU in turn."""
    names = sorted(set(kernels))
    return ProcessRecords(
        7,
        {
            "agent": [
                {"id": 1 + gpu, "type": "GPU", "type_index": gpu, "name": "gfx942",
                 "properties": MI300X}
                for gpu in range(gpus)
            ],
            "kernel": [
                {"id": number, "name": f"_Z1{name}v.kd", "demangled": f"void ns::{name}()"}
                for number, name in enumerate(names)
            ],
            "dispatch": [
                {"record": "dispatch", "id": number, "kernel": names.index(name), "queue": 1,
                 "agent": 1 + number % gpus, "start_ns": 100 * number, "end_ns": 100 * number + 50,
                 "counters": {key: value + number for key, value in counted.items()}}
                for number, name in enumerate(kernels)
            ],
            "end": [{}],
        },
    )  # fmt: skip
