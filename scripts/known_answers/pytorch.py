"""Traces of PyTorch's profiler on AMD GPUs: kernels, copies and calls; of one also its operators.

Of all operators and Python lines only those stay that launched a kernel, one beside each launch.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from known_answers.files import Files
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.model import UNKNOWN, Trace

_FOLDER = "pytorch-traces"
_WITH_ORIGINS = "mi300x-bert-small"
_NAMES = (
    _WITH_ORIGINS,
    "mi300x-qwen1.5-0.5b",
    "mi300x-sglang-qwen3-8b-decode",
    "mi210-gpu-only",
)
_BEGIN_NS = 1_000_000_000  # where the clock starts; by then it had counted for years
_HOST = 1  # process and thread
_PROPERTIES = {"cu_count": "numSms", "wave_front_size": "warpSize"}

Event = dict[str, Any]


def pytorch(recordings: Path) -> Files:
    files: Files = {}
    for name in _NAMES:
        path = f"{_FOLDER}/{name}.json.gz"
        content = _Reduced(load([recordings / path]), origins=name == _WITH_ORIGINS).document()
        files[path] = json.dumps(content, separators=(",", ":")) + "\n"
    return files


class _Reduced:
    def __init__(self, trace: Trace, *, origins: bool) -> None:
        self._trace = trace
        self._origins = origins
        tables = (trace.dispatches, trace.copies, trace.api_calls)
        first = min(int(table.start.min()) for table in tables if len(table))
        self._shift = first - _BEGIN_NS
        launched = {int(stack) for table in tables[:2] for stack in table.stack_id}
        self._launching = [
            row for row, stack in enumerate(trace.api_calls.stack_id) if int(stack) in launched
        ]

    def document(self) -> dict[str, Any]:
        return {
            "schemaVersion": 1,
            "deviceProperties": [self._device(agent.id) for agent in self._trace.gpu_agents],
            "hip_runtime_version": 0,
            "traceEvents": [
                *self._calls(),
                *self._kernels(),
                *self._copies(),
                *(self._host() if self._origins else ()),
            ],
        }

    def _device(self, node: int) -> dict[str, Any]:
        (agent,) = (one for one in self._trace.gpu_agents if one.id == node)
        known = {key: agent.facts[name] for name, key in _PROPERTIES.items() if name in agent.facts}
        return {"id": node, "name": agent.product, **known}

    def _event(self, kind: str, name: str, start: int, end: int, **arguments: object) -> Event:
        place = {"pid": _HOST, "tid": _HOST, "ts": self._time(start), "dur": (end - start) / 1000}
        return {"ph": "X", "cat": kind, "name": name, **place, "args": arguments}

    def _time(self, nanoseconds: int) -> float:
        return (nanoseconds - self._shift) / 1000

    def _calls(self) -> Iterator[Event]:
        calls = self._trace.api_calls
        for row in self._launching:
            start, end, stack = (int(c[row]) for c in (calls.start, calls.end, calls.stack_id))
            name = self._trace.strings[calls.name[row]]
            yield self._event("cuda_runtime", name, start, end, correlation=stack)

    def _kernels(self) -> Iterator[Event]:
        rows, trace = self._trace.dispatches, self._trace
        for row in range(len(rows)):
            yield self._event(
                "kernel",
                trace.kernels[rows.kernel[row]].name,
                int(rows.start[row]),
                int(rows.end[row]),
                device=trace.agents[rows.agent[row]].id,
                stream=trace.streams[rows.stream[row]].id,
                correlation=int(rows.stack_id[row]),
            )

    def _copies(self) -> Iterator[Event]:
        rows, trace = self._trace.copies, self._trace
        for row in range(len(rows)):
            words = trace.strings[rows.direction[row]].split("_")  # MEMORY_COPY_HOST_TO_DEVICE
            name = f"Memcpy {words[2][0]}to{words[4][0]}" if len(words) == 5 else "Memset"
            yield self._event(
                "gpu_memcpy" if len(words) == 5 else "gpu_memset",
                name,
                int(rows.start[row]),
                int(rows.end[row]),
                device=trace.agents[0].id,
                stream=trace.streams[rows.stream[row]].id,
                correlation=int(rows.stack_id[row]),
            )

    def _host(self) -> Iterator[Event]:
        """The operator and the line that were going on at a launch, as long as its call."""
        trace, origins = self._trace, self._trace.origins
        calls = {int(trace.api_calls.stack_id[row]): row for row in self._launching}
        for row in range(len(origins)):
            call = calls[int(trace.dispatches.stack_id[origins.dispatch[row]])]
            times = int(trace.api_calls.start[call]), int(trace.api_calls.end[call])
            if origins.operator[row] != UNKNOWN:
                name = trace.strings[trace.operators.name[origins.operator[row]]]
                yield self._event("cpu_op", name, *times)
            if origins.place[row] != UNKNOWN:
                yield self._event("python_function", trace.strings[origins.place[row]], *times)
