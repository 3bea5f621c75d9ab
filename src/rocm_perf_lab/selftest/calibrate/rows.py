"""The microbenchmarks: programs beside this package, and the rows that each of them runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rocm_perf_lab.errors import UsageError

DATA = Path(__file__).resolve().parent.parent / "data"


@dataclass(frozen=True)
class Row:
    kind: str
    name: str
    parameter: int  # what it is, the program says: a size in KiB, a number of workgroups, ...
    program: str

    @property
    def word(self) -> str:
        return f"{self.name}={self.parameter}"


def _rows(program: str, kind: str, name: str, *parameters: int) -> list[Row]:
    return [Row(kind, name, parameter, program) for parameter in parameters]


ROWS: tuple[Row, ...] = (
    *_rows("compute", "vector", "fp32", 608),
    *_rows("compute", "vector", "fp64", 608),
    *_rows("compute", "vector", "rcp", 608),
    *_rows("compute", "vector latency", "fp32_latency", 16384),
    *_rows("compute", "vector latency", "fp64_latency", 16384),
    *_rows("compute", "matrix", "mfma_fp16", 304),
    *_rows("compute", "matrix", "mfma_bf16", 304),
    *_rows("compute", "matrix", "mfma_fp8", 304),
    *_rows("compute", "matrix", "mfma_int8", 304),
    *_rows("compute", "matrix", "mfma_fp64", 304),
    *_rows("memory", "caches", "read", 16, 2048, 65536),
    *_rows("memory", "caches", "write", 2048, 65536),
    *_rows("memory", "caches", "copy", 2048, 65536),
    *_rows("memory", "hbm", "read", 524288),
    *_rows("memory", "hbm", "write", 524288),
    *_rows("memory", "hbm", "copy", 524288),
    *_rows("memory", "memory latency", "chase", 16, 1024, 32768, 262144),
    *_rows("memory", "lds", "lds_read", 1, 2, 32),
    *_rows("memory", "atomics", "atomics", 0, 1, 32),
    *_rows("memory", "host memory", "read_host", 4096),
    *_rows("launches", "launches", "empty", 1),
    *_rows("launches", "launches", "chain", 16),
    *_rows("launches", "launches", "events", 16),
    *_rows("launches", "launches", "many_groups", 65536),
)


def names() -> tuple[str, ...]:
    """What chooses rows: a kind (with - for a blank), a name, or a row."""
    found = [_plain(row.kind) for row in ROWS] + [row.name for row in ROWS]
    return tuple(dict.fromkeys(found))


def chosen_rows(only: Sequence[str]) -> tuple[Row, ...]:
    if not only:
        return ROWS
    unknown = [name for name in only if not _matching(ROWS, name)]
    if unknown:
        raise UsageError(
            f"there is no benchmark {', '.join(unknown)}", f"choose from {', '.join(names())}"
        )
    return tuple(row for row in ROWS if any(_is(row, name) for name in only))


def is_benchmark(name: str) -> bool:
    return bool(_matching(ROWS, name))


def _matching(rows: Iterable[Row], name: str) -> list[Row]:
    return [row for row in rows if _is(row, name)]


def _is(row: Row, name: str) -> bool:
    return name in (_plain(row.kind), row.name, row.word)


def _plain(kind: str) -> str:
    return kind.replace(" ", "-")
