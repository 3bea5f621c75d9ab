"""A writer of small PyTorch traces, as Kineto of a ROCm build writes them."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

Event = dict[str, Any]
PID, THREAD, DEVICE = 4711, 4712, 2
BASE = 6869181218000  # microseconds: so many digits that a float would lose nanoseconds
MI300X = {
    "id": 0,
    "name": "AMD Instinct MI300X VF",
    "numSms": 304,
    "warpSize": 64,
    "computeMajor": 9,
    "computeMinor": 4,
}


_DIGITS = re.compile(r'"#([0-9.]+)"')


def at(nanoseconds: int) -> str:
    """A number of microseconds with all its digits; ``to_text`` takes the quotes away."""
    return f"#{BASE + nanoseconds // 1000}.{nanoseconds % 1000:03d}"


def length(nanoseconds: int) -> str:
    return f"#{nanoseconds // 1000}.{nanoseconds % 1000:03d}"


def to_text(document: dict[str, Any]) -> str:
    return _DIGITS.sub(r"\1", json.dumps(document))


@dataclass
class KinetoTrace:
    """Events by their times in nanoseconds behind ``BASE``."""

    events: list[Event] = field(default_factory=list)

    def span(
        self, category: str, name: str, start: int, end: int, tid: int = THREAD, **arguments: Any
    ) -> None:
        self.events.append(
            {
                "ph": "X",
                "cat": category,
                "name": name,
                "pid": PID,
                "tid": tid,
                "ts": at(start),
                "dur": length(end - start),
                "args": {key.replace("_", " "): value for key, value in arguments.items()},
            }
        )

    def launch(
        self, number: int, start: int, *, call: str = "hipLaunchKernel", operator: Optional[int]
    ) -> None:
        extra = {} if operator is None else {"External_id": operator}
        self.span("cuda_runtime", call, start, start + 5000, correlation=number, **extra)

    def kernel(
        self,
        name: str,
        number: int,
        start: int,
        end: int,
        *,
        stream: int = 0,
        grid: Optional[Sequence[int]] = (4, 2, 1),
        block: Sequence[int] = (256, 1, 1),
    ) -> None:
        sizes = {} if grid is None else {"grid": list(grid), "block": list(block)}
        self.span(
            "kernel",
            name,
            start,
            end,
            tid=stream,
            device=DEVICE,
            stream=stream,
            correlation=number,
            **sizes,
        )

    def document(self, **members: Any) -> dict[str, Any]:
        return {
            "schemaVersion": 1,
            "deviceProperties": [MI300X],
            "roctracer_version": 4.1,
            "hip_runtime_version": 60443483,
            **members,
            "traceEvents": self.events,
            "traceName": "trace.json",
        }

    def write(self, path: Path, **members: Any) -> Path:
        data = to_text(self.document(**members)).encode()
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
        return path


def small_trace() -> KinetoTrace:
    """Two matrix products from one line, a graph of two kernels, and a copy to the host."""
    trace = KinetoTrace()
    trace.span("python_function", "train.py(10): step", 0, 90_000, Python_id=1)
    trace.span("python_function", "torch/nn/linear.py(125): forward", 1000, 40_000)
    trace.span("python_function", "<built-in function linear>", 1500, 39_000)
    trace.span("user_annotation", "ProfilerStep#3", 0, 95_000, External_id=1)
    trace.span("cpu_op", "aten::linear", 2000, 38_000, External_id=2)
    trace.span("cpu_op", "aten::addmm", 3000, 37_000, External_id=3)
    trace.launch(101, 4000, operator=3, call="hipExtModuleLaunchKernel")
    trace.launch(102, 20_000, operator=None)  # found by time: inside aten::addmm
    trace.kernel("gemm", 101, 12_001, 52_004, grid=(1024, 2, 1))
    trace.kernel("gemm", 102, 52_004, 92_005)
    trace.span("cuda_runtime", "hipGraphLaunch", 50_000, 60_000, correlation=103)
    trace.kernel("in_graph", 103, 92_010, 93_010, stream=3, grid=None)
    trace.kernel("in_graph", 103, 93_010, 94_010, stream=3, grid=None)
    trace.span("cuda_runtime", "hipMemcpyAsync", 61_000, 62_000, correlation=104)
    trace.span(
        "gpu_memcpy",
        "Memcpy DtoH (Device -> Host)",
        94_100,
        95_000,
        tid=0,
        device=DEVICE,
        stream=0,
        correlation=104,
        kind="DtoH",
        bytes=256,
    )
    trace.span("cuda_runtime", "hipDeviceSynchronize", 62_000, 95_500, correlation=105)
    return trace
