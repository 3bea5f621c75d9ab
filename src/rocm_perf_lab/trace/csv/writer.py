"""Writes a ``Trace`` as the CSV files that rocprofv3 of ROCm 7 writes.

CSV loses what it has no column for: sizes of copies, arguments, dynamic LDS, the command line.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Optional, Union

import numpy as np

from rocm_perf_lab.trace.csv.dialects import HEADERS, KERNELS
from rocm_perf_lab.trace.files.beside import written_beside
from rocm_perf_lab.trace.model import UNKNOWN, IntColumn, Queue, Stream, Trace
from rocm_perf_lab.trace.selection import select_process
from rocm_perf_lab.trace.vocabulary import allocation_record

_LDS_GRANULE = 512  # rocprofv3 rounds the static LDS of a kernel up to this
# The API file that calls of a category go to; other categories have no file of their own.
_API_FILES = (("HIP", "hip_api_trace"), ("HSA", "hsa_api_trace"), ("RCCL", "rccl_api_trace"))
_MARKER_DOMAIN = "MARKER_CORE_RANGE_API"

Row = Sequence[object]


def write_csv(
    trace: Trace, folder: Path, prefix: Optional[str] = None, *, kernel_trace: bool = True
) -> list[Path]:
    """Write the files of every process into ``folder``; without rows there is no file.

    Without a kernel trace, dispatches are only in the file of their counters.
    Files are called ``<prefix>_kernel_trace.csv`` and so on; the prefix is the process id unless
    another one is given for a Trace of a single process.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for index, process in enumerate(trace.processes):
        name = prefix if prefix and len(trace.processes) == 1 else f"{process.pid}"
        for kind, rows in _CsvTables(select_process(trace, index)).tables():
            if kind == KERNELS and not kernel_trace:
                continue
            path = folder / f"{name}_{kind}.csv"
            if write_table(path, HEADERS[kind], rows):
                written.append(path)
    return written


class _CsvTables:
    """The rows of every file of one process."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._pid = trace.processes[0].pid
        self._agent_names = [f"Agent {position}" for position in range(len(trace.agents))]

    def tables(self) -> Iterator[tuple[str, Iterable[Row]]]:
        yield "agent_info", self._agents()
        yield KERNELS, self._dispatches()
        yield "counter_collection", self._counters()
        yield "memory_copy_trace", self._copies()
        yield "memory_allocation_trace", self._allocations(scratch=False)
        yield "scratch_memory_trace", self._allocations(scratch=True)
        yield "marker_api_trace", self._markers()
        for family, kind in _API_FILES:
            yield kind, self._calls(family)

    def _agents(self) -> Iterator[Row]:
        for position, agent in enumerate(self._trace.agents):
            known = {
                "Node_Id": agent.id,
                "Logical_Node_Id": position,
                "Agent_Type": agent.kind,
                "Name": agent.name,
                "Product_Name": agent.product or "",
            }
            yield [
                known[name] if name in known else agent.facts.get(name.lower(), "")
                for name in HEADERS["agent_info"]
            ]

    def _dispatches(self) -> Iterator[Row]:
        rows = self._trace.dispatches
        for row in range(len(rows)):
            kernel = self._trace.kernels[rows.kernel[row]]
            yield (
                "KERNEL_DISPATCH",
                self._agent(rows.agent[row]),
                self._id(self._trace.queues, rows.queue[row]),
                self._id(self._trace.streams, rows.stream[row]),
                _number(rows.thread[row]),
                _number(rows.dispatch_id[row]),
                kernel.id,
                kernel.name,
                _number(rows.stack_id[row]),
                rows.start[row],
                rows.end[row],
                *self._resources(row),
                *map(_number, rows.block[row]),
                *map(_number, rows.grid[row]),
            )

    def _counters(self) -> Iterator[Row]:
        rows, counters = self._trace.dispatches, self._trace.counters
        for row, name, value in zip(counters.dispatch, counters.name, counters.value):
            kernel = self._trace.kernels[rows.kernel[row]]
            yield (
                _number(rows.stack_id[row]),
                _number(rows.dispatch_id[row]),
                self._agent(rows.agent[row]),
                self._id(self._trace.queues, rows.queue[row]),
                self._pid,
                _number(rows.thread[row]),
                _product(rows.grid[row]),
                kernel.id,
                kernel.name,
                _product(rows.block[row]),
                *self._resources(row),
                self._trace.strings[name],
                _real(value),
                rows.start[row],
                rows.end[row],
            )

    def _resources(self, row: int) -> Row:
        """LDS, scratch and registers, as both dispatch and counter rows have them."""
        rows = self._trace.dispatches
        kernel = self._trace.kernels[rows.kernel[row]]
        lds = int(rows.lds[row]) if kernel.static_lds is None else kernel.static_lds
        rounded = lds if lds == UNKNOWN else -(-lds // _LDS_GRANULE) * _LDS_GRANULE
        return (
            _number(rounded),
            _number(rows.scratch[row]),
            *("" if n is None else n for n in (kernel.arch_vgpr, kernel.accum_vgpr, kernel.sgpr)),
        )

    def _copies(self) -> Iterator[Row]:
        rows = self._trace.copies
        for row in range(len(rows)):
            yield (
                "MEMORY_COPY",
                self._trace.strings[rows.direction[row]],
                self._id(self._trace.streams, rows.stream[row]),
                self._agent(rows.source_agent[row]),
                self._agent(rows.target_agent[row]),
                _number(rows.stack_id[row]),
                rows.start[row],
                rows.end[row],
            )

    def _allocations(self, *, scratch: bool) -> Iterator[Row]:
        rows = self._trace.allocations
        for row in range(len(rows)):
            level = self._trace.strings[rows.level[row]]
            if (level == "SCRATCH") != scratch:
                continue
            kind, operation = allocation_record(self._trace.strings[rows.operation[row]], level)
            agent, size = self._agent(rows.agent[row]), _number(rows.bytes[row])
            times = rows.start[row], rows.end[row]
            if scratch:
                yield (kind, operation, agent, "", "", "", *times, size)
            else:
                address = rows.address[row]
                shown = "" if address == UNKNOWN else f"0x{address:016x}"
                yield (kind, operation, agent, size, shown, "", *times)

    def _markers(self) -> Iterator[Row]:
        rows = self._trace.markers
        for row in range(len(rows)):
            message, thread = self._trace.strings[rows.message[row]], _number(rows.thread[row])
            times = rows.start[row], rows.end[row]
            yield (_MARKER_DOMAIN, message, self._pid, thread, "", *times)

    def _calls(self, family: str) -> Iterator[Row]:
        rows = self._trace.api_calls
        for row in range(len(rows)):
            category = self._trace.strings[rows.category[row]]
            if category.startswith(family):
                yield (
                    category,
                    self._trace.strings[rows.name[row]],
                    self._pid,
                    _number(rows.thread[row]),
                    _number(rows.stack_id[row]),
                    rows.start[row],
                    rows.end[row],
                )

    def _agent(self, index: int) -> str:
        return "" if index == UNKNOWN else self._agent_names[index]

    @staticmethod
    def _id(records: Sequence[Union[Queue, Stream]], index: int) -> object:
        return "" if index == UNKNOWN else records[index].id


def _number(value: int) -> object:
    return "" if value == UNKNOWN else value


def _real(value: float) -> str:
    """With the digits that rocprofv3 writes."""
    return f"{value:.6f}" if value >= 1 else f"{value:.8e}"


def _product(sizes: IntColumn) -> object:
    return "" if (sizes == UNKNOWN).any() else int(np.prod(sizes))


def write_table(path: Path, header: Sequence[str], rows: Iterable[Row]) -> bool:
    """One file; False, and no file, when there was no row."""
    rows = iter(rows)
    first = next(rows, None)
    if first is None:
        return False
    with written_beside(path) as beside, open(beside, "w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerow(header)
        writer.writerow(first)
        writer.writerows(rows)
    return True
