"""Reader of the workload folders of rocprof-compute, old and new, into one Trace.

``pmc_perf.csv`` holds the counters of all passes, one row per dispatch and one column per counter
(or per counter and instance: ``TCC_HIT[3]``). Its times are those of ``timestamps.csv`` where that
file exists: a run without counters. It becomes a process of its own, so that times and counters
stay apart as in any other recording. Version 3 has no such run; its times come from the passes.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from pathlib import Path
from typing import Optional

from rocm_perf_lab.errors import RecordingError
from rocm_perf_lab.trace.builder import Dim3, TraceBuilder
from rocm_perf_lab.trace.csv.rows import CsvRow, read_rows
from rocm_perf_lab.trace.merge import merge
from rocm_perf_lab.trace.model import UNKNOWN, Agent, Kernel, Process, Trace
from rocm_perf_lab.trace.records import THIS_PROCESS
from rocm_perf_lab.trace.vocabulary import NAME_NOT_RECORDED

COUNTER_FILES = ("pmc_perf.csv", "pmc_perf.csv.gz", "pmc_perf.csv.zst")
_TIMES, _SYSTEM = "timestamps.csv", "sysinfo.csv"
_HOW_TO_RECORD = "record with: rocprof-compute profile -n NAME -- ./app"

_COUNTER = re.compile(r"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?:_sum)?)(?:\[\d+\])?")
_NOT_COUNTERS = {"GPU_ID"}
# Sums a level counter over time. Which one says only its place: directly behind that counter.
_ACCUMULATOR = re.compile(r"SQ_ACCUM_PREV_HIRES(?:_\d+)?")
_LEVEL = re.compile(r"SQC?_(?:\w+_)?LEVEL(?:_\w+)?")
_KERNEL_SUFFIX = re.compile(r"(?: (?:\[clone \.kd\]|\(\.kd\))|\.kd)$")
_STEPPING = re.compile(r"_[A-Z]?\d+$")  # "MI300X_A1"
_SERIES = re.compile(r"MI\d00")  # "MI200" names a family of boards

# Columns of sysinfo.csv -> names in rocprofiler's agent record.
_AGENT_FACTS = {
    "cu_per_gpu": "cu_count",
    "num_xcd": "num_xcc",
    "max_sclk": "max_engine_clk_fcompute",
    "simd_per_cu": "simd_per_cu",
    "wave_size": "wave_front_size",
    "gpu_chip_id": "device_id",
    "chip_id": "device_id",  # ROCm 6.4
}


def counter_file(folder: Path) -> Optional[Path]:
    """The counters of a workload folder, None when the folder is not one."""
    return next((folder / name for name in COUNTER_FILES if (folder / name).is_file()), None)


def read_workload(folder: Path) -> Trace:
    """Times and counters of the folder, as the processes of one Trace."""
    counters = counter_file(folder)
    if counters is None:
        raise RecordingError(f"{folder} holds no {COUNTER_FILES[0]}", _HOW_TO_RECORD)
    try:
        return _read(folder, counters)
    except (OSError, EOFError, UnicodeError, csv.Error) as error:
        raise RecordingError(f"{folder} cannot be read: {error}", _HOW_TO_RECORD) from error


def _read(folder: Path, counters: Path) -> Trace:
    system = _System.read(_packed_or_not(folder, _SYSTEM))
    counted = _Run(counters, system)
    counted.read(counters)
    for level in sorted(folder.glob("SQ*LEVEL*.csv*")):
        counted.read_level(level)
    traces = [counted.build()]
    if not len(traces[0].dispatches):
        raise RecordingError(f"{counters} holds no dispatch", _HOW_TO_RECORD)
    times = _packed_or_not(folder, _TIMES)
    if times.is_file():
        timed = _Run(times, system)
        timed.read(times, with_counters=False)
        traces.insert(0, timed.build())
    return merge(traces, str(folder))


def _packed_or_not(folder: Path, name: str) -> Path:
    """The file under its name, or compressed beside where that would be."""
    packed = (folder / f"{name}{end}" for end in (".gz", ".zst"))
    return next((file for file in packed if file.is_file()), folder / name)


@dataclass(frozen=True)
class _System:
    """The GPU as ``sysinfo.csv`` describes it."""

    target: Optional[str]
    product: Optional[str]
    command: Optional[str]
    hostname: Optional[str]
    facts: Mapping[str, object]

    @classmethod
    def read(cls, file: Path) -> _System:
        row = next(read_rows(file, []), None) if file.is_file() else None
        if row is None:
            return cls(None, None, None, None, {})
        facts: dict[str, object] = {
            name: value
            for column, name in _AGENT_FACTS.items()
            if (value := row.optional_integer(column)) is not None
        }
        memory_clock = row.optional_integer("max_mclk")
        if memory_clock is not None:
            facts["mem_banks"] = [{"mem_clk_max": memory_clock}]
        return cls(
            row.text("gpu_arch", "gpu_soc"),
            _product(row.text("gpu_model", "name")),
            row.text("command"),
            row.text("hostname"),
            facts,
        )


def _product(model: Optional[str]) -> Optional[str]:
    name = _STEPPING.sub("", model or "")
    return None if not name or _SERIES.fullmatch(name) else name


class _Run:
    """One file of dispatches; level files add their sums to the dispatches that are there."""

    def __init__(self, file: Path, system: _System) -> None:
        process = Process("", UNKNOWN, system.command, system.hostname, str(file))
        self._system = system
        self._builder = TraceBuilder(process)
        self._kernel_ids: dict[str, int] = {}
        if system.target is None:
            self._builder.warnings.append(
                f"{file.parent}: no {_SYSTEM} that names the GPU: its hardware is unknown"
            )

    def build(self) -> Trace:
        return self._builder.build()

    def read(self, file: Path, *, with_counters: bool = True) -> None:
        instances: dict[str, list[str]] = {}
        for row in read_rows(file, self._builder.warnings):
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
        name = _KERNEL_SUFFIX.sub("", row.text("Kernel_Name", "KernelName") or NAME_NOT_RECORDED)
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


def _product_size(items: int) -> Dim3:
    """The files give the product of the three sizes; it stands in the first dimension."""
    return (items, 1, 1) if items != UNKNOWN else (UNKNOWN, UNKNOWN, UNKNOWN)
