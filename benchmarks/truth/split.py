"""Which rows a model may be fitted to: drawn by lot, the same draw everywhere and for ever."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence

from benchmarks.truth.table import Row, Table

FITTED, OTHER = "fitted", "other"
HALVES = (FITTED, OTHER)


def half_of(table: Table, row: Row) -> str:
    """The parity of the SHA-256 of what the table splits by."""
    name = f"{table.name}:{row.key(table.split_by)}"
    return HALVES[hashlib.sha256(name.encode()).digest()[-1] % 2]


def drawn(table: Table, rows: Sequence[Row], half: str) -> list[Row]:
    return [row for row in rows if half in ("all", half_of(table, row))]


def sample(table: Table, rows: Sequence[Row], count: int, seed: int) -> list[Row]:
    """About so many rows, whole: each of the drawn configurations in every group that has it."""
    if count >= len(rows):
        return list(rows)
    other = tuple(name for name in table.columns if name not in table.group_by)
    by_configuration: dict[str, list[Row]] = {}
    for row in rows:
        by_configuration.setdefault(row.key(other), []).append(row)
    names = sorted(by_configuration)
    random.Random(seed).shuffle(names)
    taken: list[Row] = []
    for name in names:
        if len(taken) >= count:
            break
        taken += by_configuration[name]
    return taken
