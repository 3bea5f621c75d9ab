"""JSON of thread traces, read defensively: what is damaged is left out, and nothing is guessed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any, Optional

import numpy as np

from rocm_perf_lab.errors import RecordingError
from rocm_perf_lab.trace.files.packed import open_plain, packed_or_plain
from rocm_perf_lab.trace.model import IntColumn

HOW_TO_TRACE = "record with: rocprofv3 --att --kernel-include-regex KERNEL -d out -- ./app"

LARGEST = 1 << 48  # more than a day of cycles; sums over thousands of waves fit into 64 bits


def read_document(path: Path) -> dict[str, Any]:
    """The object that a file holds. Raises ``RecordingError`` for anything else."""
    try:
        with open_plain(packed_or_plain(path)) as stream:
            content = json.loads(stream.read())
    except OSError as error:
        raise RecordingError(
            f"{path} cannot be read: {error.strerror or error}", HOW_TO_TRACE
        ) from error
    except (ValueError, RecursionError) as error:
        raise RecordingError(
            f"{path} is damaged: it is not valid JSON ({error})", HOW_TO_TRACE
        ) from error
    if not isinstance(content, dict):
        raise RecordingError(f"{path} is not a document of a thread trace", HOW_TO_TRACE)
    return content


def natural(value: object) -> Optional[int]:
    """An integer from 0 up to ``LARGEST``, else None; true and false are not integers here."""
    if type(value) is int and 0 <= value <= LARGEST:
        return value
    return None


def address(value: object) -> int:
    """A 64-bit address, 0 for anything else: nothing is computed with it."""
    return value if type(value) is int and 0 <= value < 1 << 64 else 0


def items(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def integer_rows(rows: object, columns: int) -> tuple[IntColumn, int]:
    """The first ``columns`` integers of each row as a matrix, and how many rows were damaged."""
    listed = items(rows)
    matrix = _uniform_matrix(listed)
    if matrix is None or matrix.shape[1] < columns:
        kept = list(_integer_rows(listed, columns))
        return np.array(kept, dtype=np.int64).reshape(-1, columns), len(listed) - len(kept)
    chosen = matrix[:, :columns]
    good = ((chosen >= 0) & (chosen <= LARGEST)).all(axis=1)
    return chosen[good], int(np.count_nonzero(~good))


def _uniform_matrix(rows: list[Any]) -> Optional[IntColumn]:
    """Rows of equally many integers, at the speed that millions of them need; else None."""
    if set(map(type, rows)) != {list}:
        return None
    lengths = set(map(len, rows))
    if len(lengths) != 1 or set(map(type, chain.from_iterable(rows))) != {int}:
        return None
    try:
        flat = np.fromiter(chain.from_iterable(rows), np.int64, len(rows) * lengths.pop())
    except OverflowError:
        return None
    return flat.reshape(len(rows), -1)


def _integer_rows(rows: Iterable[object], columns: int) -> Iterable[list[int]]:
    for row in rows:
        values = [number for number in map(natural, items(row)[:columns]) if number is not None]
        if len(values) == columns:
            yield values
