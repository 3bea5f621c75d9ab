"""A run with the figures of a recorded one: how many dispatches, how long, and when the host acted.

Of the durations their number, extremes, median and sum are those of the recording; so are the
pauses of the queue, its jitter, and the calls that wait. All else is put down evenly.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fakes.composed_waves import shares, write_waves
from rocm_perf_lab.trace.builder import TraceBuilder
from rocm_perf_lab.trace.model import Agent, Kernel, Process, Trace
from rocm_perf_lab.trace.rocpd.writer import write_rocpd

_ZERO = 1_071_423_114_883_652  # nanoseconds, beyond what a float32 can hold
_PID, _QUEUE, _STREAM, _GPU = 28, 16, 0, 2
_NAMES = ("__amd_rocclr_fillBufferAligned", "void batched_gemm_kernel<256, 256, 64>(float*)")
_SYMBOLS = ("__amd_rocclr_fillBufferAligned", "_Z19batched_gemm_kernel")
_CATEGORY = "HIP_RUNTIME_API_EXT"


def compose(fixture: Path, folder: Path) -> None:
    """The database and the thread traces of ``figures.json``, under the names of the recording."""
    figures = json.loads((fixture / "figures.json").read_text(encoding="utf-8"))
    folder.mkdir(parents=True)
    write_rocpd(composed_trace(figures), folder / "28_results.db")
    for symbol, (number, traced) in zip(_SYMBOLS, figures["thread_traces"].items()):
        write_waves(traced, int(number), symbol, folder)


def composed_trace(figures: Mapping[str, Any]) -> Trace:
    builder = TraceBuilder(Process("composed", _PID, "./batched_gemm", None, "figures.json"))
    _add_agents(builder, figures["agents"])
    builder.add_queue(_QUEUE)
    builder.add_stream(_STREAM, "Default Stream")
    for index, kernel in enumerate(figures["kernels"]):
        arch, accum, sgpr = kernel["registers"]
        lds, symbol = kernel["lds"], f"{_SYMBOLS[index]}.kd"
        record = Kernel(0, index, _NAMES[index], symbol, None, arch, accum, sgpr, lds, 0)
        builder.add_kernel(record)
    calls = list(_launching_calls(figures))
    for position, (kernel, start, end) in enumerate(_dispatches(figures)):
        _add_dispatch(builder, figures["kernels"][kernel], kernel, start, end, position + 1)
    for stack, (name, start, length) in enumerate([*calls, *_waiting_calls(figures)], 1):
        builder.add_api_call(
            start=_ZERO + start,
            end=_ZERO + start + length,
            name=name,
            category=_CATEGORY,
            thread=_PID,
            stack_id=stack,
        )
    return builder.build()


def _add_agents(builder: TraceBuilder, agents: Mapping[str, Any]) -> None:
    for node in range(agents["cpus"]):
        builder.add_agent(Agent(0, node, "CPU", "cpu", "cpu", node))
    for index in range(agents["gpus"]):
        facts, node = agents["facts"], agents["cpus"] + index
        builder.add_agent(Agent(0, node, "GPU", "gfx942", facts["product_name"], index, facts))


def _add_dispatch(
    builder: TraceBuilder, shape: Mapping[str, Any], kernel: int, start: int, end: int, number: int
) -> None:
    builder.add_dispatch(
        start=_ZERO + start,
        end=_ZERO + end,
        kernel=kernel,
        agent_id=_GPU,
        queue_id=_QUEUE,
        stream_id=_STREAM,
        thread=_PID,
        dispatch_id=number,
        stack_id=number,
        grid=tuple(shape["grid"]),
        block=tuple(shape["block"]),
        lds=shape["lds"],
        scratch=0,
    )


def durations(kernel: Mapping[str, Any]) -> list[int]:
    """So many times with this minimum, median, maximum and sum; the rest is in the upper half."""
    count, median = kernel["dispatches"], kernel["median_ns"]
    if count == 1:
        return [kernel["total_ns"]]
    upper = count // 2 - 2  # without the largest, and without a neighbour of the middle
    lower = count - upper - 2
    rest = kernel["total_ns"] - kernel["min_ns"] - kernel["max_ns"] - lower * median
    return [kernel["max_ns"], *shares(rest, upper), *[median] * lower, kernel["min_ns"]]


def _dispatches(figures: Mapping[str, Any]) -> Iterator[tuple[int, int, int]]:
    """Kernel, start and end of each, from 0."""
    lengths = [
        (index, length)
        for index, kernel in enumerate(figures["kernels"])
        for length in durations(kernel)
    ]
    now = 0
    for (kernel, length), gap in zip(lengths, [*_gaps(figures), 0]):
        yield kernel, now, now + length
        now += length + gap


def _gaps(figures: Mapping[str, Any]) -> list[int]:
    """Pauses between the rows of dispatches; the jitter is at the end of the longest, the last."""
    gaps: list[int] = []
    for row, pause in zip(figures["in_a_row"], figures["pauses_ns"]):
        gaps += [0] * (row - 1) + [pause]
    jitter = figures["jitter_ns"]
    return gaps + [0] * (figures["in_a_row"][-1] - 1 - len(jitter)) + jitter


def _launching_calls(figures: Mapping[str, Any]) -> Iterator[tuple[str, int, int]]:
    """In the order of the dispatches, so that both have the same numbers."""
    (fill,) = (call for call in figures["other_calls"] if call[0] == "hipMemset")
    yield fill[0], fill[1], fill[2]
    length = figures["first_launch_ns"]
    for burst in figures["launches"]:
        now = burst["first_ns"]
        steps = shares(burst["last_ns"] - now, burst["count"] - 1) if burst["count"] > 1 else []
        for step in [*steps, 0]:
            yield "hipLaunchKernel", now, length
            now, length = now + step, figures["median_launch_ns"]


def _waiting_calls(figures: Mapping[str, Any]) -> Iterator[tuple[str, int, int]]:
    for name, start, length in figures["other_calls"]:
        if name != "hipMemset":
            yield name, start, length
