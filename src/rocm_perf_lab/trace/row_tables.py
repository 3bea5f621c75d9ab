"""From rows and recorded ids to columns and indexes: what a builder of Traces stands on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from msgspec import Struct

from rocm_perf_lab.trace.model import UNKNOWN, IndexColumn, IntColumn

Arguments = tuple[tuple[str, str, str], ...]  # (name, type, value)
Table = TypeVar("Table", bound=Struct)
Record = TypeVar("Record")

_LARGEST_SPAN = 1 << 14  # ids of queues and streams are small numbers, which fit into a table


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


def indexes(ids: IntColumn, index: Callable[[int], int]) -> IndexColumn:
    """Looks every id up once, in the order in which they first occur; there are some."""
    low, span = int(ids.min()), int(ids.max()) - int(ids.min()) + 1
    if span > _LARGEST_SPAN:
        known = {one: index(one) for one in dict.fromkeys(ids.tolist())}
        return np.fromiter(map(known.__getitem__, ids.tolist()), dtype=np.int32, count=len(ids))
    slots = ids - low
    first = np.full(span, len(ids))
    first[slots[::-1]] = np.arange(len(ids) - 1, -1, -1)  # the last one written stays
    found = np.zeros(span, dtype=np.int32)
    for slot in np.argsort(first, kind="stable")[: np.count_nonzero(first < len(ids))].tolist():
        found[slot] = index(slot + low)
    return found[slots]


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
