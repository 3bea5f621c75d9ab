"""Reads the folder that ROCm's trace decoder writes for one dispatch (``ui_output_agent_...``).

Only the code is indispensable. A wave file or another document that is missing or damaged leaves
a warning, and what was recorded elsewhere still comes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Optional

import numpy as np

from rocm_perf_lab.errors import RecordingError
from rocm_perf_lab.trace.files.packed import packed_or_plain, plain_name
from rocm_perf_lab.trace.thread_trace.code import read_code, read_statistics
from rocm_perf_lab.trace.thread_trace.detect import CODE, WAVE_FILE
from rocm_perf_lab.trace.thread_trace.json import (
    HOW_TO_TRACE,
    integer_rows,
    items,
    natural,
    read_document,
)
from rocm_perf_lab.trace.thread_trace.model import (
    Occupancy,
    Steps,
    ThreadTrace,
    TracedWave,
    Wait,
)

_OCCUPANCY, _REALTIME, _NAMES = "occupancy.json", "realtime.json", "filenames.json"
_MOST_NAMED = 3
_ENGINE = re.compile(r"\d{1,4}", re.ASCII)
_CLOCK_ENGINE = re.compile(r"SE(\d{1,4})", re.ASCII)


def read_thread_trace(path: Path) -> ThreadTrace:
    """A decoder folder, or a statistics table. Raises ``RecordingError`` if there is no code."""
    if not path.is_dir():
        return read_statistics(path)
    code_file = packed_or_plain(path / CODE)
    if not code_file.is_file():
        raise RecordingError(f"{path} is not a decoded thread trace: no {CODE}", HOW_TO_TRACE)
    code = read_code(code_file)
    warnings = [*code.warnings, *_missing_waves(path)]
    return ThreadTrace(
        source=str(path),
        kernels=code.kernels,
        code=code.lines,
        waves=tuple(_read_waves(path, warnings)),
        occupancy=_read_occupancy(path / _OCCUPANCY, warnings),
        clock_mhz=_read_clocks(path / _REALTIME, warnings),
        warnings=tuple(warnings),
    )


def _read_waves(folder: Path, warnings: list[str]) -> Iterable[TracedWave]:
    places = []
    for file in folder.iterdir():
        match = WAVE_FILE.fullmatch(plain_name(file.name))
        if match:
            places.append((tuple(map(int, match.groups())), file))
    for (engine, simd, slot, _), file in sorted(places):
        document = _document(file, warnings)
        if document is not None:
            yield from _wave(document, (engine, simd, slot), file.name, warnings)


def _missing_waves(folder: Path) -> Iterable[str]:
    """Files that the decoder says that it wrote: a copy may have lost some."""
    listed = packed_or_plain(folder / _NAMES)
    if not listed.is_file():  # older decoders do not write it
        return
    try:
        named = set(_listed_waves(read_document(listed).get("wave_filenames")))
    except RecordingError as error:
        yield error.cause
        return
    there = {plain_name(file.name) for file in folder.iterdir()}
    lost = sorted(named - there)
    if lost:
        more = ", ..." if len(lost) > _MOST_NAMED else ""
        yield (
            f"{len(lost)} of {len(named)} wave files are not there "
            f"({', '.join(lost[:_MOST_NAMED])}{more}): sums over waves are too small"
        )


def _listed_waves(tree: object) -> Iterable[str]:
    """Names among engines, SIMDs, slots and waves: whatever is one is one."""
    if isinstance(tree, str) and WAVE_FILE.fullmatch(tree):
        yield tree
    elif isinstance(tree, (dict, list)):
        for branch in tree.values() if isinstance(tree, dict) else tree:
            yield from _listed_waves(branch)


def _wave(
    document: Mapping[str, Any], place: tuple[int, int, int], name: str, warnings: list[str]
) -> Iterable[TracedWave]:
    wave = document.get("wave")
    begin, end = (
        natural(wave.get(key)) if isinstance(wave, dict) else None for key in ("begin", "end")
    )
    if not isinstance(wave, dict) or begin is None or end is None or end < begin:
        warnings.append(f"{name}: left out, it does not say when the wave began and ended")
        return
    matrix, damaged = integer_rows(wave.get("instructions"), 5)
    overlong = matrix[:, 2] > matrix[:, 3]  # a stall is a part of its duration
    damaged += int(np.count_nonzero(overlong))
    if damaged:
        warnings.append(f"{name}: left out {damaged} damaged instructions")
    listed, stitched = natural(document.get("num_insts")), natural(document.get("num_stitched"))
    if listed is not None and stitched is not None and stitched < listed:
        warnings.append(
            f"{name}: the decoder lost {listed - stitched} of {listed} instructions; "
            "a larger --att-buffer-size or fewer shader engines lose less"
        )
    engine, simd, slot = place
    cu = natural(wave.get("cu")) or 0
    steps = Steps(*np.ascontiguousarray(matrix[~overlong].T))
    yield TracedWave(engine, cu, simd, slot, begin, end, steps, tuple(_waits(wave)))


def _waits(wave: Mapping[str, Any]) -> Iterable[Wait]:
    for entry in items(wave.get("waitcnt")):
        line, waited_for = (*items(entry), None, None)[:2]
        number = natural(line)
        found = [natural(items(pair)[0]) for pair in items(waited_for) if items(pair)]
        lines = tuple(line for line in found if line is not None)
        if number is not None and lines:
            yield Wait(number, lines)


def _read_occupancy(path: Path, warnings: list[str]) -> Optional[Occupancy]:
    document = _document(path, warnings)
    if document is None:
        return None
    parts = []
    for key, rows in document.items():
        if _ENGINE.fullmatch(key):
            matrix, damaged = integer_rows(rows, 6)
            if damaged:
                warnings.append(f"{path.name}: left out {damaged} damaged rows")
            engines = np.full((len(matrix), 1), int(key), dtype=np.int64)
            parts.append(np.concatenate((engines, matrix), axis=1))
    if not parts:
        return None
    return Occupancy(*np.ascontiguousarray(np.concatenate(parts).T))


def _read_clocks(path: Path, warnings: list[str]) -> dict[int, float]:
    """MHz of the shader clock, from two readings of it and of a clock of known frequency."""
    if not packed_or_plain(path).exists():  # decoders before 0.1.3 do not write it
        return {}
    document = _document(path, warnings) or {}
    metadata = document.get("metadata")
    frequency = natural(metadata.get("frequency")) if isinstance(metadata, dict) else None
    clocks = {}
    for key, readings in document.items():
        match = _CLOCK_ENGINE.fullmatch(key)
        pairs = [pair for pair in items(readings) if _is_reading(pair)]
        if match and frequency and len(pairs) > 1:
            cycles, ticks = (pairs[-1][i] - pairs[0][i] for i in (0, 1))
            if cycles > 0 and ticks > 0:
                clocks[int(match[1])] = cycles / ticks * frequency / 1e6
    return clocks


def _is_reading(pair: object) -> bool:
    """(shader clock, real time); the latter counts from the start of the machine."""
    values = items(pair)[:2]
    return len(values) == 2 and all(type(v) is int and 0 <= v < 1 << 63 for v in values)


def _document(path: Path, warnings: list[str]) -> Optional[dict[str, Any]]:
    try:
        return read_document(path)
    except RecordingError as error:
        warnings.append(error.cause)
        return None
