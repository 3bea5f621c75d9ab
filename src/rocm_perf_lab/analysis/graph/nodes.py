"""The nodes of a dependency graph, laid out chain by chain in order of submission."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

import numpy as np

from rocm_perf_lab.analysis.graph.dag import NONE, NodeKind, SmallColumn
from rocm_perf_lab.trace.model import UNKNOWN, IndexColumn, IntColumn, Trace

AnyInts = Union[IntColumn, IndexColumn]


@dataclass(frozen=True)
class Work:
    """Dispatches, then copies, of one process in the order of the recording."""

    kind: SmallColumn
    row: IntColumn
    begin: IntColumn
    end: IntColumn
    stream: IntColumn
    agent: IntColumn
    thread: IntColumn
    stack_id: IntColumn


@dataclass(frozen=True)
class Chains:
    """Streams of devices, by number; further chains may be added behind them."""

    stream: list[int]
    agent: list[int]
    is_default: list[bool]
    inferred: bool  # the streams were not recorded: hardware queues stand for them

    def __len__(self) -> int:
        return len(self.stream)

    def of_stream(self, stream: int) -> list[int]:
        return [chain for chain, known in enumerate(self.stream) if known == stream]

    def defaults(self) -> list[int]:
        return [chain for chain, default in enumerate(self.is_default) if default]

    def add(self, agent: int = NONE, *, is_default: bool = False) -> int:
        """A stream on which no work was recorded."""
        self.stream.append(NONE)
        self.agent.append(agent)
        self.is_default.append(is_default)
        return len(self.stream) - 1


@dataclass(frozen=True)
class Points:
    """Nodes other than work: host waits, or barriers in streams."""

    kind: NodeKind
    chain: IntColumn
    row: IntColumn  # of Trace.api_calls
    key: IntColumn


@dataclass(frozen=True)
class Layout:
    """All nodes: ``key`` is the time of submission, ascending within each chain."""

    kind: SmallColumn
    row: IntColumn
    chain: IntColumn
    key: IntColumn
    rank: IntColumn
    source: IntColumn  # position among the nodes as they were given
    first: IntColumn  # of each chain, and the total at the end

    def last_before(self, chain: int, times: IntColumn, *, side: str = "right") -> IntColumn:
        """The last node of a chain submitted at or before each time, NONE without one.

        ``side="left"`` leaves out nodes of exactly that time.
        """
        low, high = int(self.first[chain]), int(self.first[chain + 1])
        found = np.searchsorted(self.key[low:high], times, side=side)  # type: ignore[call-overload]
        return np.where(found > 0, found - 1 + low, NONE).astype(np.int64)

    def first_after(self, chain: int, times: IntColumn) -> IntColumn:
        """The first node of a chain submitted after each time, NONE without one."""
        low, high = int(self.first[chain]), int(self.first[chain + 1])
        found = np.searchsorted(self.key[low:high], times, side="right") + low
        return np.where(found < high, found, NONE).astype(np.int64)


def work_of(trace: Trace, process: int) -> Work:
    rows, copies = trace.dispatches, trace.copies
    ran = np.flatnonzero(rows.process == process)
    copied = np.flatnonzero(copies.process == process)
    on_gpu = np.array([agent.kind == "GPU" for agent in trace.agents] + [False])
    target = copies.target_agent[copied]
    device = np.where(on_gpu[target], target, copies.source_agent[copied])

    def joined(ours: AnyInts, theirs: AnyInts) -> IntColumn:
        own = ours if len(ran) == len(ours) else ours[ran]
        return np.concatenate([own, theirs[copied]]).astype(np.int64, copy=False)

    begin = joined(rows.start, copies.start)
    return Work(
        kind=np.repeat(
            np.array([NodeKind.DISPATCH, NodeKind.COPY], dtype=np.int8), [len(ran), len(copied)]
        ),
        row=np.concatenate([ran, copied]).astype(np.int64),
        begin=begin,
        end=np.maximum(joined(rows.end, copies.end), begin),
        stream=joined(rows.stream, copies.stream),
        agent=np.concatenate([rows.agent[ran], device]).astype(np.int64),
        thread=joined(rows.thread, copies.thread),
        stack_id=joined(rows.stack_id, copies.stack_id),
    )


def chains_of(trace: Trace, work: Work) -> tuple[Chains, IntColumn]:
    """Numbers the streams per device, and says on which one each piece of work ran.

    Without streams (``--group-by-queue``) all work claims one stream; if it used several hardware
    queues, those are taken instead, and order within them is a guess.
    """
    stream = work.stream
    dispatch = work.kind == NodeKind.DISPATCH
    queue = np.full(len(stream), UNKNOWN, dtype=np.int64)
    queue[dispatch] = trace.dispatches.queue[work.row[dispatch]]
    one_stream = len(stream) > 0 and int(stream.min()) == int(stream.max())
    # The runtime's own fill kernels come without a queue, which is no further queue.
    inferred = one_stream and _distinct(queue[queue != UNKNOWN]) > 1
    lane = queue if inferred else stream
    width = len(trace.agents) + 1
    code = (lane + 1) * width + work.agent + 1
    present = np.flatnonzero(np.bincount(code)) if len(code) else np.zeros(0, dtype=np.int64)
    number = np.zeros(int(present.max(initial=0)) + 1, dtype=np.int64)
    number[present] = np.arange(len(present))
    streams = [NONE if inferred else int(value) for value in present // width - 1]
    agents = [int(value) for value in present % width - 1]
    default = [stream != NONE and trace.streams[stream].is_default for stream in streams]
    return Chains(streams, agents, default, inferred), number[code]


def lay_out(
    work: Work,
    chain: IntColumn,
    key: IntColumn,
    waits: Points,
    barriers: Points,
    chains: int,
    *,
    by_begin: bool,
) -> Layout:
    """Given order: host waits, work, barriers; of equal keys the earlier one counts as earlier.

    ``by_begin`` puts work of one call (a graph) in the order in which it began.
    """
    kind = np.concatenate(
        [
            np.full(len(waits.row), waits.kind, dtype=np.int8),
            work.kind,
            np.full(len(barriers.row), barriers.kind, dtype=np.int8),
        ]
    )
    row = np.concatenate([waits.row, work.row, barriers.row])
    chain = np.concatenate([waits.chain, chain, barriers.chain])
    key = np.concatenate([waits.key, key, barriers.key])
    if by_begin:
        in_time = np.lexsort((np.concatenate([waits.key, work.begin, barriers.key]), key))
    else:
        in_time = np.argsort(key, kind="stable")
    small = chain[in_time]
    narrow = small.astype(np.uint16) if chains < 1 << 16 else small  # 16 bits: a radix sort
    by_chain = np.argsort(narrow, kind="stable")
    source = in_time[by_chain]
    first = np.concatenate([[0], np.cumsum(np.bincount(chain, minlength=chains))])
    return Layout(
        kind=kind[source],
        row=row[source],
        chain=chain[source],
        key=key[source],
        rank=by_chain.astype(np.int64, copy=False),
        source=source.astype(np.int64, copy=False),
        first=first.astype(np.int64),
    )


def _distinct(small: IntColumn) -> int:
    return int(np.count_nonzero(np.bincount(small))) if len(small) else 0
