"""Reads the thread trace of one dispatch as the virtual device wrote it.

``native/vgpu/device/thread_trace/thread_trace_file.h`` says what is in the file: a line of JSON,
then the steps of all waves as fixed records.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.errors import RecordingError

_FORMAT = 1
STEP = np.dtype(
    [
        ("time", "<u8"),  # of the first attempt to issue, in cycles since the dispatch began
        ("stall", "<u4"),
        ("duration", "<u4"),  # with the stall
        ("row", "<u4"),  # instruction, counted over all functions
        ("category", "<u4"),
    ]
)
Steps = npt.NDArray[np.void]


@dataclass(frozen=True)
class Instruction:
    address: int  # as the code object counts them
    text: str
    source: str  # "file:line -> caller:line", empty when compiled without -g


@dataclass(frozen=True)
class Function:
    """A function that at least one wave entered, whole."""

    base: int  # where address 0 of its code object was
    symbol: str  # empty: unknown
    demangled: str
    instructions: tuple[Instruction, ...]


@dataclass(frozen=True)
class TracedWave:
    engine: int
    cu: int
    simd: int
    slot: int
    begin: int
    end: int
    steps: Steps


@dataclass(frozen=True)
class OccupancyEvent:
    """A wave of a traced shader engine, on whatever CU, began or ended."""

    engine: int
    time: int
    cu: int
    simd: int
    slot: int
    begins: bool


@dataclass(frozen=True)
class ThreadTrace:
    clock_ghz: float
    lost: int  # steps that did not fit
    cut_waves: int  # waves of which the end is missing
    functions: tuple[Function, ...]
    waves: tuple[TracedWave, ...]
    occupancy: tuple[OccupancyEvent, ...]


def read_thread_trace(path: Path) -> ThreadTrace:
    """Raises ``RecordingError`` when the file is damaged."""
    try:
        content = path.read_bytes()
        line, _newline, body = content.partition(b"\n")
        header = json.loads(line.decode("utf-8", "replace"))  # names of files may be anything
        if header["format"] != _FORMAT:
            raise ValueError(f"its format is {header['format']}, not {_FORMAT}")
        if len(body) != header["steps"] * STEP.itemsize:
            raise ValueError(f"{len(body)} bytes for {header['steps']} steps")
        return _thread_trace(header, np.frombuffer(body, STEP))
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise RecordingError(f"the thread trace {path.name} cannot be read: {error}") from error


def _thread_trace(header: Mapping[str, Any], steps: Steps) -> ThreadTrace:
    return ThreadTrace(
        clock_ghz=float(header["clock_ghz"]),
        lost=int(header["lost"]),
        cut_waves=int(header["cut_waves"]),
        functions=tuple(_function(entry) for entry in header["functions"]),
        waves=tuple(
            TracedWave(engine, cu, simd, slot, begin, end, steps[first : first + count])
            for engine, cu, simd, slot, begin, end, first, count in header["waves"]
        ),
        occupancy=tuple(
            OccupancyEvent(engine, time, cu, simd, slot, bool(begins))
            for engine, time, cu, simd, slot, begins in header["occupancy"]
        ),
    )


def _function(entry: Mapping[str, Any]) -> Function:
    rows = tuple(Instruction(address, text, source) for address, text, source in entry["rows"])
    return Function(int(entry["base"]), entry["symbol"], entry["demangled"], rows)
