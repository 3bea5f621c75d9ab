"""How the GPUs of a run were used, as a document shows it: one row per process and GPU."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

from rocm_perf_lab.analysis.documents.schemas.profile import (
    GpuUseModel,
    GraphLaunchesModel,
    RanksModel,
)
from rocm_perf_lab.analysis.path.gpu_use import GpuUse, gpu_uses
from rocm_perf_lab.analysis.path.ranks import Ranks, compare_ranks
from rocm_perf_lab.trace.model import UNKNOWN, Trace

_GRAPH_CALLS = "hipGraph"


def gpus_of(trace: Trace) -> list[GpuUseModel]:
    if not trace.processes:  # nobody knows whose the work is
        return []
    labels, ranks = process_labels(trace), compare_ranks(trace)
    return [_model(trace, use, labels[use.process], ranks) for use in gpu_uses(trace)]


def ranks_of(trace: Trace) -> Optional[RanksModel]:
    found = compare_ranks(trace)
    if found is None:
        return None
    late = found.straggler
    return RanksModel(
        collectives=found.collectives,
        straggler=None if late is None else process_labels(trace)[late],
        others_wait_ms=None if late is None else found.others_wait_ns(late) / 1e6,
    )


def graphs_of(trace: Trace) -> Optional[GraphLaunchesModel]:
    if not any(text.startswith(_GRAPH_CALLS) for text in trace.strings):
        return None
    # Few runs have graphs, and every profile would pay for the import.
    from rocm_perf_lab.analysis.path.graph_launches import graph_launches

    found = graph_launches(trace)
    if found is None:
        return None
    gap = found.median_gap_ns
    return GraphLaunchesModel(
        launches=found.launches,
        kernels=found.kernels,
        busy_ms=found.busy_ns / 1e6,
        calls_ms=found.calls_ns / 1e6,
        median_gap_us=None if gap is None else gap / 1e3,
    )


def process_labels(trace: Trace) -> tuple[str, ...]:
    """The first of rank, process id with host, file that tells all processes apart."""
    processes = trace.processes
    ranks = [None if p.rank is None else f"rank {p.rank}" for p in processes]
    pids = [None if p.pid == UNKNOWN else f"pid {p.pid}" for p in processes]
    hosts = [pid and f"{pid} on {p.hostname}" for pid, p in zip(pids, processes)]
    files = [Path(p.source).name for p in processes]
    for labels in (ranks, pids, hosts, files):
        if None not in labels and len(set(labels)) == len(labels):
            return tuple(label or "" for label in labels)
    return tuple(f"process {number}" for number in range(len(processes)))


def _model(trace: Trace, use: GpuUse, label: str, ranks: Optional[Ranks]) -> GpuUseModel:
    process, agent = trace.processes[use.process], trace.agent_at(use.agent)
    waits = ranks.of_process.get(use.process) if ranks else None
    return GpuUseModel(
        process=label,
        pid=None if process.pid == UNKNOWN else process.pid,
        rank=process.rank,
        gpu=agent.type_index if agent and agent.type_index >= 0 else None,
        span_ms=use.span_ns / 1e6,
        busy_ms=use.busy_ns / 1e6,
        idle_ms=use.idle_ns / 1e6,
        computation_ms=use.computation_ns / 1e6,
        communication_ms=use.communication_ns / 1e6,
        exposed_communication_ms=use.exposed_communication_ns / 1e6,
        copies_ms=use.copies_ns / 1e6,
        exposed_copies_ms=use.exposed_copies_ns / 1e6,
        kernels=use.kernels,
        collective=use.largest_collective,
        waited_ms=waits.waited_ns / 1e6 if waits else None,
        came_last=waits.came_last if waits else None,
    )
