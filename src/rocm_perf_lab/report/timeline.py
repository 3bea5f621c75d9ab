"""A run as bars on lanes, few enough to be drawn: work by stream, waits of the host, the path.

A run with more pieces than a browser draws at ease is cut into equal slices of time. What is
longer than a slice stays a bar of its own; of the rest, each slice of a lane becomes one bar that
knows how many launches it stands for, how long they ran, and what ran most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.analysis.graph.dag import NONE, Dag, NodeKind
from rocm_perf_lab.analysis.path.critical_path import CriticalPath
from rocm_perf_lab.analysis.path.run_path import RunPath
from rocm_perf_lab.analysis.path.slack import UNBOUNDED
from rocm_perf_lab.trace.model import IntColumn

MOST_BARS = 12_000
MOST_LABELS = 9  # kernels with a colour of their own, those with the most time

_NEARLY_ALL, _MUCH_LESS = 0.98, 0.5

COPIES, WAITS, OTHERS = "copies", "waits of the host", "other kernels"

BoolColumn = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Bars:
    """One label; all columns have one value per bar. Times are ns after the first begin."""

    label: str
    lane: IntColumn
    begin: IntColumn
    end: IntColumn
    busy: IntColumn  # ns of work; end - begin but for slices
    slack: IntColumn  # the least of it; UNBOUNDED where no later work depends on it
    on_path: BoolColumn
    count: IntColumn  # launches, copies or waits


@dataclass(frozen=True)
class PathLine:
    """The critical path from piece to piece; neighbours on a lane that nearly touch are one."""

    lane: IntColumn
    begin: IntColumn
    end: IntColumn


@dataclass(frozen=True)
class Timeline:
    lanes: tuple[str, ...]
    bars: tuple[Bars, ...]
    path: PathLine
    span_ns: int
    pieces: int  # before they were put together
    slice_ns: Optional[int]  # None: every piece is a bar
    shown: tuple[int, int]  # ns that a reader should see first


@dataclass(frozen=True)
class _Pieces:
    """Every node that is drawn, as columns."""

    lane: IntColumn
    label: IntColumn
    begin: IntColumn
    end: IntColumn
    slack: IntColumn
    on_path: BoolColumn

    def __len__(self) -> int:
        return len(self.lane)


def timeline_of(found: RunPath, most_bars: int = MOST_BARS) -> Timeline:
    path = found.path
    dag = path.dag
    lanes, lane = _lanes(dag)
    labels, label = _labels(dag)
    drawn = np.flatnonzero((lane != NONE) & (label != NONE))
    on_path = np.zeros(len(dag), dtype=bool)
    on_path[path.nodes] = True
    pieces = _Pieces(
        lane[drawn],
        label[drawn],
        dag.begin[drawn] - dag.first_begin,
        dag.end[drawn] - dag.first_begin,
        path.slack[drawn],
        on_path[drawn],
    )
    slice_ns = None
    if len(drawn) > most_bars:
        slices = max(most_bars // max(len(lanes), 1), 1)
        slice_ns = max(-(-path.span_ns // slices), 1)
    bars = tuple(
        one
        for number, name in enumerate(labels)
        if len((one := _bars(name, number, pieces, slice_ns)).lane)
    )
    line = _path_line(path, lane, max(path.span_ns // 2000, 1))
    return Timeline(
        lanes, bars, line, path.span_ns, len(drawn), slice_ns, first_shown(bars, path.span_ns)
    )


def first_shown(bars: Sequence[Bars], span_ns: int) -> tuple[int, int]:
    """Everything, or the shortest stretch with nearly all work of the GPU where that is much less:
    one early copy may be followed by a long wait."""
    work = [one for one in bars if one.label != WAITS]
    if not work:
        return 0, span_ns
    begin = np.concatenate([one.begin for one in work])
    order = np.argsort(begin, kind="stable")
    begin = begin[order]
    end = np.maximum.accumulate(np.concatenate([one.end for one in work])[order])
    done = np.cumsum(np.concatenate([one.busy for one in work])[order])
    before = np.concatenate([[0], done[:-1]])
    last = np.searchsorted(done, before + _NEARLY_ALL * done[-1])
    possible = np.flatnonzero(last < len(done))
    length = end[last[possible]] - begin[possible]
    best = int(length.argmin())
    if length[best] > _MUCH_LESS * span_ns:
        return 0, span_ns
    first = possible[best]
    return int(begin[first]), int(end[last[first]])


def _lanes(dag: Dag) -> tuple[tuple[str, ...], IntColumn]:
    """Streams of each device from the top, host threads that waited below them."""
    trace = dag.trace
    drawn = dag.kind != NodeKind.EVENT_WAIT
    chains, first = np.unique(dag.chain[drawn], return_index=True)
    nodes = np.flatnonzero(drawn)[first]
    named = sorted(
        (not bool(dag.is_work[node]), int(chain), int(node))
        for chain, node in zip(chains.tolist(), nodes.tolist())
    )
    lane_of = np.full(int(dag.chain.max(initial=0)) + 1, NONE, dtype=np.int64)
    names = []
    several = len(trace.gpu_agents) > 1
    for number, (is_host, chain, node) in enumerate(named):
        lane_of[chain] = number
        names.append(f"host thread {chain}" if is_host else _stream_name(dag, node, several))
    return _told_apart(names), np.where(drawn, lane_of[dag.chain], NONE)


def _stream_name(dag: Dag, node: int, with_device: bool) -> str:
    trace, row = dag.trace, int(dag.row[node])
    is_dispatch = dag.kind[node] == NodeKind.DISPATCH
    stream = int((trace.dispatches if is_dispatch else trace.copies).stream[row])
    agent = int(trace.dispatches.agent[row] if is_dispatch else trace.copies.target_agent[row])
    name = "queue" if stream == NONE else f"stream {trace.streams[stream].id}"
    if with_device and agent != NONE and trace.agents[agent].kind == "GPU":
        number = trace.agents[agent].type_index
        name = f"GPU {number} {name}" if number >= 0 else f"GPU {name}"
    return name


def _told_apart(names: list[str]) -> tuple[str, ...]:
    hosts = [name for name in names if name.startswith("host thread")]
    numbered = {name: f"host {place}" for place, name in enumerate(hosts, 1)}
    seen: dict[str, int] = {}
    told = []
    for name in names:
        name = ("host" if len(hosts) == 1 else numbered[name]) if name in numbered else name
        seen[name] = seen.get(name, 0) + 1
        told.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return tuple(told)


def _labels(dag: Dag) -> tuple[tuple[str, ...], IntColumn]:
    """Names of kernels by time, then the rest, copies and waits; and the label of each node."""
    kernels = dag.trace.kernels
    names = sorted({kernel.name for kernel in kernels})
    number = {name: place for place, name in enumerate(names)}
    group = np.array([*(number[k.name] for k in kernels), NONE], dtype=np.int64)[dag.kernel]
    own = group != NONE
    total = np.bincount(group[own], weights=dag.duration[own], minlength=len(names))
    order = [place for place in np.argsort(-total, kind="stable").tolist() if total[place] > 0]
    chosen = order[:MOST_LABELS]
    others = len(chosen)
    label_of = np.full(len(names) + 1, others, dtype=np.int64)
    label_of[chosen] = np.arange(others)
    label = label_of[group]
    label[dag.kind == NodeKind.COPY] = others + 1
    label[dag.kind == NodeKind.HOST_WAIT] = others + 2
    label[dag.kind == NodeKind.EVENT_WAIT] = NONE
    return (*(names[place] for place in chosen), OTHERS, COPIES, WAITS), label


def _bars(name: str, number: int, pieces: _Pieces, slice_ns: Optional[int]) -> Bars:
    own = pieces.label == number
    if slice_ns is None:
        return _single(name, pieces, np.flatnonzero(own))
    is_long = pieces.end - pieces.begin > slice_ns
    singles = _single(name, pieces, np.flatnonzero(own & is_long))
    return _joined(singles, _sliced(name, number, pieces, slice_ns, ~is_long))


def _single(name: str, pieces: _Pieces, rows: IntColumn) -> Bars:
    begin, end = pieces.begin[rows], pieces.end[rows]
    count = np.ones(len(rows), dtype=np.int64)
    return Bars(
        name,
        pieces.lane[rows],
        begin,
        end,
        end - begin,
        pieces.slack[rows],
        pieces.on_path[rows],
        count,
    )


def _sliced(name: str, number: int, pieces: _Pieces, slice_ns: int, short: BoolColumn) -> Bars:
    """The slices in which this label ran most; their bars stand for all that ran in them."""
    rows = np.flatnonzero(short)
    cell = pieces.lane[rows] * (1 << 32) + pieces.begin[rows] // slice_ns
    cells, place = np.unique(cell, return_inverse=True)
    duration = (pieces.end - pieces.begin)[rows]
    labels = int(pieces.label.max(initial=0)) + 1
    by_label = np.bincount(
        place * labels + pieces.label[rows], weights=duration + 1, minlength=len(cells) * labels
    )
    most = by_label.reshape(-1, labels).argmax(axis=1)
    mine = np.flatnonzero(most == number)
    slack = np.full(len(cells), UNBOUNDED, dtype=np.int64)
    np.minimum.at(slack, place, pieces.slack[rows])
    on_path = np.bincount(place, weights=pieces.on_path[rows], minlength=len(cells)) > 0
    busy = np.bincount(place, weights=duration, minlength=len(cells)).astype(np.int64)
    count = np.bincount(place, minlength=len(cells))
    begin = (cells[mine] & 0xFFFFFFFF) * slice_ns
    return Bars(
        name,
        cells[mine] >> 32,
        begin,
        begin + slice_ns,
        busy[mine],
        slack[mine],
        on_path[mine],
        count[mine],
    )


def _joined(one: Bars, other: Bars) -> Bars:
    columns = ("lane", "begin", "end", "busy", "slack", "on_path", "count")
    joined = {name: np.concatenate([getattr(one, name), getattr(other, name)]) for name in columns}
    return Bars(one.label, **joined)


def _path_line(path: CriticalPath, lane: IntColumn, near_ns: int) -> PathLine:
    dag = path.dag
    nodes = path.nodes[lane[path.nodes] != NONE]
    begin, end, lanes = dag.begin[nodes], dag.end[nodes], lane[nodes]
    starts = np.ones(len(nodes), dtype=bool)
    starts[1:] = (lanes[1:] != lanes[:-1]) | (begin[1:] - end[:-1] > near_ns)
    first = np.flatnonzero(starts)
    last = np.append(first[1:], len(nodes)) - 1
    return PathLine(lanes[first], begin[first] - dag.first_begin, end[last] - dag.first_begin)
