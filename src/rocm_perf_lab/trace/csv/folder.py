"""Reader of rocprofv3's CSV files: all files of one process into one Trace.

CSV keeps less than a database: no command line, LDS rounded and without its dynamic part (since
ROCm 6.4), no sizes of copies. The correlation id links dispatches to calls and is not unique.
"""

from __future__ import annotations

import csv
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Callable, Optional

import numpy as np

from rocm_perf_lab.errors import RecordingError
from rocm_perf_lab.trace.builder import Dim3, TraceBuilder
from rocm_perf_lab.trace.csv import dialects as kinds
from rocm_perf_lab.trace.csv.agents import CsvAgents
from rocm_perf_lab.trace.csv.blocks import dispatch_block
from rocm_perf_lab.trace.csv.quoted import LineGroups
from rocm_perf_lab.trace.csv.rows import CsvRow, Texts, line_of, open_text, read_blocks
from rocm_perf_lab.trace.csv.samples import CsvSamples
from rocm_perf_lab.trace.files.foreign import HOW_TO_RECORD
from rocm_perf_lab.trace.files.parts import Parts
from rocm_perf_lab.trace.model import UNKNOWN, IndexColumn, IntColumn, Kernel, Process, Trace
from rocm_perf_lab.trace.records import THIS_PROCESS
from rocm_perf_lab.trace.vocabulary import (
    NAME_NOT_RECORDED,
    allocation_names,
    is_marker,
    readable_symbol,
)


def read_csv(files: Sequence[Path], parts: Parts = Parts.EVERYTHING) -> Trace:
    """The Trace of the process that wrote these files."""
    source = str(files[0] if len(files) == 1 else files[0].parent)
    prefix = kinds.process_prefix(files[0])
    pid = int(prefix) if prefix.isascii() and prefix.isdigit() and len(prefix) < 10 else UNKNOWN
    reader = _CsvProcess(Process("", pid, None, None, source), parts)
    try:
        reader.read(files)
    except (OSError, UnicodeError) as error:
        raise RecordingError(f"{source} cannot be read: {error}", HOW_TO_RECORD) from error
    return reader.samples.added_to(reader.builder.build())


class _CsvProcess:
    """Feeds the rows of every file into a builder, agents first and counters after dispatches."""

    def __init__(self, process: Process, parts: Parts) -> None:
        self.builder = TraceBuilder(process)
        self._parts = parts
        self.samples = CsvSamples(self.builder)
        self._agents = CsvAgents(self.builder)
        self._only_products = False
        self._kernels: dict[Hashable, int] = {}  # by id and name, however they are read

    def read(self, files: Sequence[Path]) -> None:
        by_kind = [(_kind(file), file) for file in files]
        handlers: list[tuple[str, Parts, Callable[[CsvRow], None]]] = [
            (kinds.AGENTS, Parts.DISPATCHES, self._agents.add),
            (kinds.KERNELS, Parts.DISPATCHES, self._add_dispatch),
            # Without a kernel trace, counter files are where the dispatches are.
            (kinds.COUNTERS, Parts.DISPATCHES, self._add_counter),
            (kinds.COPIES, Parts.COPIES, self._add_copy),
            (kinds.ALLOCATIONS, Parts.ALLOCATIONS, self._add_allocation),
            (kinds.SCRATCH, Parts.ALLOCATIONS, self._add_allocation),
            (kinds.API, Parts.API_CALLS | Parts.MARKERS, self._add_call),
        ]
        for wanted, part, handler in handlers:
            for kind, file in by_kind:
                if kind != wanted or (part and not part & self._parts):
                    continue
                for columns, texts in read_blocks(file, self.builder.warnings):
                    if kind == kinds.KERNELS and self._add_block(columns, texts):
                        continue
                    for values in zip(*texts):
                        handler(CsvRow(values, columns))
        if Parts.SAMPLES in self._parts:
            for file in (file for kind, file in by_kind if kind == kinds.SAMPLES):
                for columns, texts in read_blocks(file, self.builder.warnings):
                    self.samples.add(columns, texts)
        if self._only_products:
            self.builder.warnings.append(
                f"{self.builder.process.source}: counter files give the products of grid and "
                "workgroup sizes only; they stand in the first dimension"
            )

    def _add_block(self, columns: Mapping[str, int], texts: Texts) -> bool:
        """Many dispatches at once; False when they have to be looked at one by one."""
        block = dispatch_block(columns, texts)
        if block is None or not self.builder.can_add(block.numbers["dispatch_id"]):
            return False
        self.builder.add_dispatches(
            block.numbers,
            kernels=self._kernels_of(block.kernels, columns, texts),
            agent_ids=self._nodes_of(block.agents, columns, texts),
            grid=block.grid,
            block=block.block,
        )
        return True

    def _kernels_of(
        self, groups: LineGroups, columns: Mapping[str, int], texts: Texts
    ) -> IndexColumn:
        for key, line in groups.in_order():
            if key not in self._kernels:
                self._kernels[key] = self._kernel(CsvRow(line_of(texts, line), columns))
        numbers = [self._kernels[key] for key in groups.texts]
        return np.array(numbers, dtype=np.int32)[groups.of_line]

    def _nodes_of(self, groups: LineGroups, columns: Mapping[str, int], texts: Texts) -> IntColumn:
        node = {}
        for key, line in groups.in_order():
            agent = CsvRow(line_of(texts, line), columns).text("Agent_Id")
            node[key] = self._agents.node(agent, runs_kernels=True)
        return np.array([node[key] for key in groups.texts], dtype=np.int64)[groups.of_line]

    def _add_dispatch(self, row: CsvRow) -> None:
        self.builder.add_dispatch(
            start=row.integer("Start_Timestamp"),
            end=row.integer("End_Timestamp"),
            kernel=self._kernel(row),
            agent_id=self._agents.node(row.text("Agent_Id"), runs_kernels=True),
            queue_id=row.integer("Queue_Id"),
            stream_id=row.integer("Stream_Id"),
            thread=row.integer("Thread_Id"),
            dispatch_id=row.integer("Dispatch_Id"),
            stack_id=row.integer("Correlation_Id"),
            grid=_dim3(row, "Grid_Size"),
            block=_dim3(row, "Workgroup_Size"),
            lds=row.integer("LDS_Block_Size", "Group_Segment_Size"),
            scratch=row.integer("Scratch_Size", "Private_Segment_Size"),
        )

    def _add_counter(self, row: CsvRow) -> None:
        self._note_process(row)
        dispatch_id = row.integer("Dispatch_Id")
        dispatch = self.builder.dispatch_row(dispatch_id)
        if dispatch is None:  # recorded without --kernel-trace
            dispatch = self._dispatch_of_counter(row, dispatch_id)
        name = row.text("Counter_Name")
        if dispatch is not None and name and Parts.COUNTERS in self._parts:
            self.builder.add_counter(dispatch, name, row.real("Counter_Value"))

    def _dispatch_of_counter(self, row: CsvRow, dispatch_id: int) -> Optional[int]:
        self._only_products = True
        return self.builder.add_dispatch(
            start=row.integer("Start_Timestamp"),
            end=row.integer("End_Timestamp"),
            kernel=self._kernel(row),
            agent_id=self._agents.node(row.text("Agent_Id"), runs_kernels=True),
            queue_id=row.integer("Queue_Id"),
            thread=row.integer("Thread_Id"),
            dispatch_id=dispatch_id,
            stack_id=row.integer("Correlation_Id"),
            grid=_product(row, "Grid_Size"),
            block=_product(row, "Workgroup_Size"),
            lds=row.integer("LDS_Block_Size"),
            scratch=row.integer("Scratch_Size"),
        )

    def _kernel(self, row: CsvRow) -> int:
        """The first line of a kernel tells its registers: the others say the same."""
        key = row.text("Kernel_Id"), row.text("Kernel_Name")
        known = self._kernels.get(key)
        if known is None:
            known = self._kernels[key] = self._new_kernel(row)
        return known

    def _new_kernel(self, row: CsvRow) -> int:
        kernel_id, name = row.integer("Kernel_Id"), row.text("Kernel_Name")
        if name is None:
            return self.builder.kernel_of_id(kernel_id)
        return self.builder.add_kernel(
            Kernel(
                THIS_PROCESS,
                kernel_id,
                readable_symbol(name) or name,
                symbol=name if name.endswith(".kd") else None,
                arch_vgpr=row.optional_integer("VGPR_Count"),
                accum_vgpr=row.optional_integer("Accum_VGPR_Count"),
                sgpr=row.optional_integer("SGPR_Count"),
                static_lds=row.optional_integer("LDS_Block_Size"),
            )
        )

    def _add_copy(self, row: CsvRow) -> None:
        self.builder.add_copy(
            start=row.integer("Start_Timestamp"),
            end=row.integer("End_Timestamp"),
            direction=row.text("Direction") or NAME_NOT_RECORDED,
            source_agent_id=self._agents.node(row.text("Source_Agent_Id")),
            target_agent_id=self._agents.node(row.text("Destination_Agent_Id")),
            stream_id=row.integer("Stream_Id"),
            stack_id=row.integer("Correlation_Id"),
        )

    def _add_allocation(self, row: CsvRow) -> None:
        operation, level = allocation_names(row.text("Operation") or NAME_NOT_RECORDED)
        self.builder.add_allocation(
            start=row.integer("Start_Timestamp"),
            end=row.integer("End_Timestamp"),
            operation=operation,
            level=level,
            size=row.integer("Allocation_Size"),
            address=row.integer("Address"),
            agent_id=self._agents.node(row.text("Agent_Id")),
        )

    def _add_call(self, row: CsvRow) -> None:
        self._note_process(row)
        category = row.text("Domain") or NAME_NOT_RECORDED
        name = row.text("Function") or NAME_NOT_RECORDED
        start, end = row.integer("Start_Timestamp"), row.integer("End_Timestamp")
        thread = row.integer("Thread_Id")
        if is_marker(category):
            if Parts.MARKERS in self._parts:
                self.builder.add_marker(start=start, end=end, message=name, thread=thread)
        elif Parts.API_CALLS in self._parts:
            self.builder.add_api_call(
                start=start,
                end=end,
                name=name,
                category=category,
                thread=thread,
                stack_id=row.integer("Correlation_Id"),
            )

    def _note_process(self, row: CsvRow) -> None:
        if self.builder.process.pid == UNKNOWN:
            self.builder.set_pid(row.integer("Process_Id"))


def _kind(file: Path) -> Optional[str]:
    with open_text(file) as stream:
        try:
            return kinds.csv_kind([name.strip() for name in next(csv.reader(stream), [])])
        except csv.Error:
            return None


def _dim3(row: CsvRow, name: str) -> Dim3:
    return row.integer(f"{name}_X"), row.integer(f"{name}_Y"), row.integer(f"{name}_Z")


def _product(row: CsvRow, name: str) -> Dim3:
    product = row.integer(name)
    return (product, 1, 1) if product != UNKNOWN else (UNKNOWN, UNKNOWN, UNKNOWN)
