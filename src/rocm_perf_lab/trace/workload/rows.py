"""Rows with a dispatch, its registers and its counters each, as older profilers write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from pathlib import Path
from typing import Optional

from rocm_perf_lab.trace.builder import Dim3, TraceBuilder
from rocm_perf_lab.trace.csv.rows import CsvRow, read_rows
from rocm_perf_lab.trace.model import UNKNOWN, Agent, Kernel, Process, Trace
from rocm_perf_lab.trace.records import THIS_PROCESS
from rocm_perf_lab.trace.vocabulary import NAME_NOT_RECORDED, readable_symbol
from rocm_perf_lab.trace.workload.system import System

_COUNTER = re.compile(r"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?:_sum)?)(?:\[\d+\])?")
_NOT_COUNTERS = {"GPU_ID"}
# Sums a level counter over time. Which one says only its place: directly behind that counter.
_ACCUMULATOR = re.compile(r"SQ_ACCUM_PREV_HIRES(?:_\d+)?")
_LEVEL = re.compile(r"SQC?_(?:\w+_)?LEVEL(?:_\w+)?")
_COARSE_NS = 100  # kernels take microseconds


class DispatchRows:
    """One file of dispatches; level files add their sums to the dispatches that are there."""

    def __init__(self, file: Path, system: System) -> None:
        process = Process("", UNKNOWN, system.command, system.hostname, str(file))
        self._system = system
        self._builder = TraceBuilder(process)
        self._kernel_ids: dict[str, int] = {}

    @property
    def warnings(self) -> list[str]:
        return self._builder.warnings

    def build(self) -> Trace:
        return self._builder.build()

    def read(self, file: Path, *, with_counters: bool = True) -> None:
        instances: dict[str, list[str]] = {}
        rounded = 0
        for row in read_rows(file, self._builder.warnings):
            rounded = max(rounded, _last_digit_ns(row.text("Start_Timestamp", "BeginNs")))
            dispatch = self._add_dispatch(row)
            if dispatch is None or not with_counters:
                continue
            if not instances:
                for column, name in _counter_columns(row.columns):
                    instances.setdefault(name, []).append(column)
            for name, columns in instances.items():
                # A sum over fewer instances than there are would look like a small counter.
                if all(row.text(column) for column in columns):
                    self._builder.add_counter(dispatch, name, sum(map(row.real, columns)))
        if rounded > _COARSE_NS:
            self._builder.warnings.append(
                f"{file}: times are rounded to {rounded / 1e9:g} s, as spreadsheets do: durations "
                "and all that follows from them mean nothing, counters do"
            )

    def read_level(self, file: Path) -> None:
        """Only the sums over time: the other counters of the file are in the main one too."""
        for row in read_rows(file, self._builder.warnings):
            dispatch = self._builder.dispatch_row(_dispatch_id(row))
            for column, name in _counter_columns(row.columns):
                if dispatch is not None and _ACCUMULATOR.fullmatch(column):
                    self._builder.add_counter(dispatch, name, row.real(column))

    def _add_dispatch(self, row: CsvRow) -> Optional[int]:
        return self._builder.add_dispatch(
            start=_nanoseconds(row.text("Start_Timestamp", "BeginNs")),
            end=_nanoseconds(row.text("End_Timestamp", "EndNs")),
            kernel=self._kernel(row),
            agent_id=self._agent(row),
            dispatch_id=_dispatch_id(row),
            queue_id=row.integer("Queue_ID", "queue-id"),
            thread=row.integer("TID", "tid"),
            grid=_product_size(row.integer("Grid_Size", "grd")),
            block=_product_size(row.integer("Workgroup_Size", "wgr")),
            lds=row.integer("LDS_Per_Workgroup", "lds"),
            scratch=row.integer("Scratch_Per_Workitem", "scr"),
        )

    def _kernel(self, row: CsvRow) -> int:
        name = readable_symbol(row.text("Kernel_Name", "KernelName")) or NAME_NOT_RECORDED
        kernel_id = self._kernel_ids.setdefault(name, len(self._kernel_ids))
        return self._builder.add_kernel(
            Kernel(
                THIS_PROCESS,
                kernel_id,
                name,
                symbol=None,
                arch_vgpr=row.optional_integer("Arch_VGPR", "arch_vgpr"),
                accum_vgpr=row.optional_integer("Accum_VGPR", "accum_vgpr"),
                sgpr=row.optional_integer("SGPR", "sgpr"),
                static_lds=row.optional_integer("LDS_Per_Workgroup", "lds"),
            )
        )

    def _agent(self, row: CsvRow) -> int:
        gpu = row.integer("GPU_ID", "gpu-id")
        if gpu != UNKNOWN and self._system.target is not None:
            self._builder.add_agent(
                Agent(
                    THIS_PROCESS,
                    gpu,
                    "GPU",
                    self._system.target,
                    self._system.product,
                    UNKNOWN,
                    self._system.facts,
                )
            )
        return gpu


def _counter_columns(columns: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """(column, counter); instances of one counter share its name and are summed."""
    previous = ""
    for column in columns:
        if _ACCUMULATOR.fullmatch(column):
            if _LEVEL.fullmatch(previous):
                yield column, f"{previous}_ACCUM"
        else:
            match = _COUNTER.fullmatch(column)
            # A level by itself is 0 or its own sum, depending on the release: only the sum counts.
            if match and column not in _NOT_COUNTERS and not _LEVEL.fullmatch(column):
                yield column, match[1]
        previous = column


def _dispatch_id(row: CsvRow) -> int:
    return row.integer("Dispatch_ID", "Index")


def _nanoseconds(text: Optional[str]) -> int:
    """Version 3 averages over passes, so that times have fractions."""
    try:
        number = Decimal(text or "NaN")
        if not number.is_finite():
            return UNKNOWN
        return int(number.quantize(Decimal(1), ROUND_HALF_EVEN))
    except InvalidOperation:
        return UNKNOWN


def _last_digit_ns(text: Optional[str]) -> int:
    """What the last digit of a time stands for: 7.1648E+14 is known to 10 s."""
    try:
        exponent = Decimal(text or "0").as_tuple().exponent
    except InvalidOperation:
        return 0
    # Of a plain number with zeros at its end nobody knows whether they count.
    return 10 ** min(exponent, 18) if isinstance(exponent, int) and exponent > 0 else 0


def _product_size(items: int) -> Dim3:
    """The files give the product of the three sizes; it stands in the first dimension."""
    return (items, 1, 1) if items != UNKNOWN else (UNKNOWN, UNKNOWN, UNKNOWN)
