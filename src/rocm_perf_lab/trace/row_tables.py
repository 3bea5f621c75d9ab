"""From rows and recorded ids to columns and indexes: what a builder of Traces stands on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from msgspec import Struct

from rocm_perf_lab.trace.model import UNKNOWN, IndexColumn

Arguments = tuple[tuple[str, str, str], ...]  # (name, type, value)
Table = TypeVar("Table", bound=Struct)
Record = TypeVar("Record")


class Registry(Generic[Record]):
    """Records by their ids, in the order in which they were added."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self._index: dict[int, int] = {}

    def __contains__(self, record_id: int) -> bool:
        return record_id in self._index

    def add(self, record_id: int, record: Record) -> None:
        if record_id not in self._index:
            self._index[record_id] = len(self.records)
            self.records.append(record)

    def index(self, record_id: int) -> int:
        return self._index.get(record_id, UNKNOWN)


@dataclass(frozen=True)
class GivenArguments:
    """Arguments of API calls that are already in memory."""

    calls: tuple[Arguments, ...]

    def __call__(self, row: int) -> Arguments:
        return self.calls[row]


def indexes(ids: Sequence[int], index: Callable[[int], int]) -> IndexColumn:
    """Looks every id up once, in the order in which they first occur."""
    known = {one: index(one) for one in dict.fromkeys(ids)}
    if len(known) == 1:
        return np.full(len(ids), known.popitem()[1], dtype=np.int32)
    return np.fromiter(map(known.__getitem__, ids), dtype=np.int32, count=len(ids))


def as_table(kind: type[Table], rows: Sequence[tuple[Any, ...]]) -> Table:
    """Rows whose values stand in the order of the table's columns."""
    empty = kind()
    if not rows:
        return empty
    return kind(
        **{
            name: np.array(values, dtype=getattr(empty, name).dtype)
            for name, values in zip(kind.__struct_fields__, zip(*rows))
        }
    )
