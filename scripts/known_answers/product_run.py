"""One run of a batched matrix product with two thread traces: its figures.

The recording has no licence, so that neither its rows nor its code are kept: only counts, sums,
medians and extremes, and what the GPU is. ``tests/fakes/composed_run.py`` composes a run that has
these figures, ``tests/fakes/composed_waves.py`` the thread traces.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from known_answers.files import Files, json_text
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.model import Agent, Trace
from rocm_perf_lab.trace.thread_trace.reader import read_thread_trace

_FOLDER = "mi300x-batched-gemm-trace"
_TRACE = "ui_output_agent_5600_dispatch_{}"
_PAUSE_NS = 1000  # what is longer is no jitter of the queue
_LAUNCH = "hipLaunchKernel"
_WAITS = ("hipMemset", "hipStreamSynchronize", "hipEventRecord", "hipEventSynchronize")
_FACTS = (
    *("simd_count", "max_waves_per_simd", "lds_size_in_kb", "wave_front_size", "num_xcc"),
    *("cu_count", "array_count", "num_shader_banks", "simd_arrays_per_engine"),
    *("cu_per_simd_array", "simd_per_cu", "max_slots_scratch_cu", "gfx_target_version"),
    *("vendor_id", "device_id", "max_engine_clk_fcompute", "cu_per_engine", "max_waves_per_cu"),
    *("workgroup_max_size", "product_name"),
)


def product_run(recordings: Path) -> Files:
    folder = recordings / _FOLDER
    trace = load([folder / "28_results.db"])
    content = {
        "agents": {"cpus": len(trace.agents) - len(trace.gpu_agents), **_gpus(trace)},
        "kernels": [_kernel(trace, index) for index in _used(trace)],
        **_queue(trace),
        **_host(trace),
        "thread_traces": {str(n): _waves(folder / _TRACE.format(n)) for n in (1, 2)},
    }
    return {f"{_FOLDER}/figures.json": json_text(content)}


def _gpus(trace: Trace) -> dict[str, Any]:
    agents = [trace.agents[index] for index in set(trace.dispatches.agent.tolist())]
    (used,) = agents
    facts = {name: used.facts[name] for name in _FACTS}
    return {"gpus": len(trace.gpu_agents), "facts": {**facts, "mem_banks": [_memory(used)]}}


def _memory(agent: Agent) -> dict[str, object]:
    banks = agent.facts["mem_banks"]
    assert isinstance(banks, list)
    return {name: banks[0][name] for name in ("heap_type", "width", "mem_clk_max")}


def _used(trace: Trace) -> list[int]:
    """In the order of their first dispatch."""
    return list(dict.fromkeys(trace.dispatches.kernel[np.argsort(trace.dispatches.start)].tolist()))


def _kernel(trace: Trace, index: int) -> dict[str, Any]:
    rows, kernel = trace.dispatches, trace.kernels[index]
    mine = rows.kernel == index
    (grid,), (block,) = (np.unique(sizes[mine], axis=0) for sizes in (rows.grid, rows.block))
    times = rows.duration[mine]
    return {
        "internal": kernel.is_runtime_blit,
        "dispatches": int(mine.sum()),
        "min_ns": int(times.min()),
        "median_ns": int(np.median(times)),
        "max_ns": int(times.max()),
        "total_ns": int(times.sum()),
        "grid": grid.tolist(),
        "block": block.tolist(),
        "lds": int(rows.lds[mine][0]),
        "registers": [kernel.arch_vgpr, kernel.accum_vgpr, kernel.sgpr],
    }


def _queue(trace: Trace) -> dict[str, Any]:
    """How many dispatches followed each other, the pauses between, and the jitter of the rest."""
    rows = trace.dispatches
    order = np.argsort(rows.start)
    gaps = rows.start[order][1:] - rows.end[order][:-1]
    pauses = np.flatnonzero(gaps > _PAUSE_NS)
    ends = [*pauses.tolist(), len(rows) - 1]
    jitter = gaps[(gaps != 0) & (gaps <= _PAUSE_NS)]
    return {
        "in_a_row": np.diff([-1, *ends]).tolist(),
        "pauses_ns": gaps[pauses].tolist(),
        "jitter_ns": sorted(jitter.tolist()),
    }


def _host(trace: Trace) -> dict[str, Any]:
    """Of launches how many came one after the other, when the first and the last; from t = 0."""
    calls, zero = trace.api_calls, int(trace.dispatches.start.min())
    names = np.array([trace.strings[name] for name in calls.name])
    order = np.argsort(calls.start)
    launched = [int(row) for row in order if names[row] == _LAUNCH]
    starts = calls.start[launched] - zero
    lengths = (calls.end - calls.start)[launched]
    breaks = np.flatnonzero(np.diff(starts) > 20 * np.median(np.diff(starts)))
    first, last = [0, *(breaks + 1)], [*breaks, len(launched) - 1]
    return {
        "launches": [
            {"count": int(b - a + 1), "first_ns": int(starts[a]), "last_ns": int(starts[b])}
            for a, b in zip(first, last)
        ],
        "first_launch_ns": int(lengths[0]),
        "median_launch_ns": int(np.median(lengths)),
        "other_calls": [
            [str(names[row]), int(calls.start[row] - zero), int(calls.end[row] - calls.start[row])]
            for row in order
            if names[row] in _WAITS
        ],
    }


def _waves(folder: Path) -> dict[str, Any]:
    """What each opcode cost in all waves together, by the category that the decoder gave it."""
    trace = read_thread_trace(folder)
    assert trace.occupancy is not None
    opcode = {line.line: line.opcode for line in trace.code}
    idle = {line.line: line.idle for line in trace.code}
    costs: dict[tuple[str, int], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for wave in trace.waves:
        steps = wave.steps
        columns = (steps.line, steps.category, steps.duration, steps.stall)
        for line, category, duration, stall in zip(*(column.tolist() for column in columns)):
            cost = costs[opcode[line], category]
            # Idle is known of a line, not of one execution: the first one of the line takes it.
            for position, value in enumerate((1, duration, stall, idle.pop(line, 0))):
                cost[position] += value
    begins = trace.occupancy.begins.astype(bool)
    return {
        "clock_mhz": round(trace.clock_mhz[0], 3),
        "waves": len(trace.waves),
        "wave_cycles": sum(wave.end - wave.begin for wave in trace.waves),
        "launched": int(begins.sum()),
        "compute_units": len(set(trace.occupancy.cu.tolist())),
        "costs": [[*key, *cost] for key, cost in sorted(costs.items())],
    }
