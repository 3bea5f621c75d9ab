"""How GPUs were used, in sentences that are not wrapped yet: use, not the critical path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional, Protocol

from rocm_perf_lab.analysis.documents.schemas.explain import RegionModel
from rocm_perf_lab.analysis.documents.schemas.profile import (
    GpuUseModel,
    GraphLaunchesModel,
    RanksModel,
)
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.kernel_names import short_names

_VISIBLE = 0.0005  # shares below would be printed as 0.0%
MOST_ROWS = 16
_NAME_WIDTH = 48  # of a range
_COLUMNS = (
    tt.Column("process", align_left=True, shorten=short_names),
    tt.Column("GPU"),
    tt.Column("span"),
    tt.Column("busy"),
    tt.Column("computes"),
    tt.Column("idle"),
)
_OF_RANKS = (tt.Column("exposed comm."), tt.Column("waits for ranks"), tt.Column("last"))


class Used(Protocol):
    """A document that says how GPUs were used."""

    @property
    def gpus(self) -> Sequence[GpuUseModel]: ...

    @property
    def ranks(self) -> Optional[RanksModel]: ...

    @property
    def graphs(self) -> Optional[GraphLaunchesModel]: ...


def use_lines(document: Used) -> list[str]:
    """One GPU in a sentence; of several, ranks and graphs what they have in common."""
    single = [_single(gpu) for gpu in document.gpus[:1] if len(document.gpus) == 1]
    ranks = [_ranks(document.ranks)] if document.ranks else []
    return [*single, *ranks, *([_graphs(document.graphs)] if document.graphs else [])]


def use_table(gpus: Sequence[GpuUseModel]) -> Optional[str]:
    """Of several GPUs, ranks or processes; None of a single one."""
    if len(gpus) < 2:
        return None
    exchange = any(gpu.communication_ms for gpu in gpus)
    columns = (*_COLUMNS, *_OF_RANKS) if exchange else _COLUMNS
    table = tt.render(columns, [_row(gpu)[: len(columns)] for gpu in gpus[:MOST_ROWS]])
    hidden = len(gpus) - MOST_ROWS
    return table if hidden <= 0 else f"{table}\n... and {hidden} more (see --json)"


def _single(gpu: GpuUseModel) -> str:
    parts = (
        ("computing", gpu.computation_ms),
        ("exposed communication", gpu.exposed_communication_ms),
        ("exposed copies", gpu.exposed_copies_ms),
    )
    shares = [(name, _share(gpu, ms)) for name, ms in parts]
    said = ", ".join(f"{name} {tt.percent(s)}" for name, s in shares if s >= _VISIBLE)
    return (
        f"GPU use: busy {tt.percent(_share(gpu, gpu.busy_ms))} of {_ms(gpu.span_ms)} "
        f"({said or 'nothing'}), idle {tt.percent(_share(gpu, gpu.idle_ms))}."
    )


def _row(gpu: GpuUseModel) -> list[str]:
    waited = None if gpu.waited_ms is None else gpu.waited_ms * 1e6
    return [
        gpu.process,
        tt.whole(gpu.gpu),
        _ms(gpu.span_ms),
        tt.percent(_share(gpu, gpu.busy_ms)),
        tt.percent(_share(gpu, gpu.computation_ms)),
        tt.percent(_share(gpu, gpu.idle_ms)),
        tt.percent(_share(gpu, gpu.exposed_communication_ms)),
        tt.duration(waited),
        tt.whole(gpu.came_last),
    ]


def _ranks(ranks: RanksModel) -> str:
    if ranks.straggler is None or ranks.others_wait_ms is None:
        return f"No rank comes last most often in the {ranks.collectives} collectives."
    return (
        f"{ranks.straggler} comes last most often in {ranks.collectives} collectives; the others "
        f"wait {_ms(ranks.others_wait_ms)} in them on average."
    )


def _graphs(graphs: GraphLaunchesModel) -> str:
    each, plural = graphs.kernels / graphs.launches, "es" if graphs.launches > 1 else ""
    text = (
        f"{graphs.launches} graph launch{plural} of {each:.4g} kernels "
        f"each: {_ms(graphs.calls_ms)} in hipGraphLaunch, {_ms(graphs.busy_ms)} on the GPU"
    )
    if graphs.median_gap_us is not None:
        text += f", {tt.duration(graphs.median_gap_us * 1e3)} from a graph to the next (median)"
    return f"{text}."


def _share(gpu: GpuUseModel, ms: float) -> float:
    return ms / gpu.span_ms if gpu.span_ms else 0.0


def _ms(value: float) -> str:
    return tt.duration(value * 1e6)


def region_lines(regions: Sequence[RegionModel]) -> list[str]:
    """A line for each name; the name as an option takes it."""
    return [
        f"{_shortened(one.name)}: {one.ranges} range{'s' if one.ranges > 1 else ''} of "
        f"{_ms(one.host_ms / one.ranges)} on the host, {one.kernels} kernels launched, GPU busy "
        f"with them for {_ms(one.busy_ms)}"
        for one in regions
    ]


def _shortened(name: str) -> str:
    """Still a pattern that matches."""
    plain = tt.ascii_only(name)
    return plain if len(plain) <= _NAME_WIDTH else f"{plain[: _NAME_WIDTH - 1]}*"
