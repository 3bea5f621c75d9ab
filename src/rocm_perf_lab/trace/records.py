"""Index columns from recorded ids, with placeholders for records that are missing.

AMD's own views drop a dispatch whose kernel, queue or thread row is missing. Here the dispatch
stays and points to a placeholder, because its time was spent all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Callable, Protocol, TypeVar

import numpy as np
from msgspec import Struct, field

from rocm_perf_lab.trace.lookup import distinct, positions_of
from rocm_perf_lab.trace.model import (
    UNKNOWN,
    Agent,
    IndexColumn,
    IntColumn,
    Kernel,
    Queue,
    Stream,
)
from rocm_perf_lab.trace.vocabulary import unnamed_kernel

# The index of the process inside the Trace of this one process; merging shifts it.
THIS_PROCESS = 0


class _HasId(Protocol):
    @property
    def id(self) -> int: ...


Record = TypeVar("Record", bound=_HasId)


class KnownRecords(Struct):
    """The records of one process; placeholders are appended while event rows are read."""

    agents: Sequence[Agent]
    kernels: list[Kernel]
    queues: list[Queue]
    streams: list[Stream]
    warnings: list[str] = field(default_factory=list)

    def kernel_index(self, ids: IntColumn) -> IndexColumn:
        """Every dispatch has a kernel: without a recorded one it gets a placeholder."""
        before = len(self.kernels)
        index = _index_or_add(
            ids, self.kernels, lambda i: Kernel(THIS_PROCESS, i, unnamed_kernel(i), None)
        )
        if len(self.kernels) > before:
            orphans = int((index >= before).sum())
            self.warnings.append(
                f"{orphans} dispatches name {len(self.kernels) - before} kernels that the "
                "recording does not describe: their registers and names are unknown"
            )
        return index

    def agent_index(self, ids: IntColumn, of_what: str) -> IndexColumn:
        index = _index_known(ids, self.agents)
        orphans = int(((index == UNKNOWN) & (ids != UNKNOWN)).sum())
        if orphans:
            self.warnings.append(
                f"{orphans} rows of {of_what} name an agent that the recording does not describe"
            )
        return index

    # Of a queue or stream only the number matters: a placeholder loses nothing.
    def queue_index(self, ids: IntColumn) -> IndexColumn:
        return _index_or_add(
            ids, self.queues, lambda i: Queue(THIS_PROCESS, i, f"Queue {i}"), keep_unknown=True
        )

    def stream_index(self, ids: IntColumn) -> IndexColumn:
        return _index_or_add(
            ids, self.streams, lambda i: Stream(THIS_PROCESS, i, f"Stream {i}"), keep_unknown=True
        )


def _index_known(ids: IntColumn, records: Sequence[_HasId]) -> IndexColumn:
    known = np.array([record.id for record in records], dtype=np.int64)
    return positions_of(ids, known).astype(np.int32)


def _index_or_add(
    ids: IntColumn,
    records: list[Record],
    placeholder: Callable[[int], Record],
    *,
    keep_unknown: bool = False,
) -> IndexColumn:
    """Index of each id; ids without a record get a placeholder, ``UNKNOWN`` ids if not kept."""
    index = _index_known(ids, records)
    missing = ids[index == UNKNOWN]
    if keep_unknown:
        missing = missing[missing != UNKNOWN]
    if len(missing):
        missing = distinct(missing)
        records.extend(placeholder(int(row_id)) for row_id in missing)
        index = _index_known(ids, records)
    return index
