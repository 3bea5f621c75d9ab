"""Arguments of many API calls at once, for readers that can fetch them together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from msgspec import Struct

from rocm_perf_lab.trace.lookup import StringTable
from rocm_perf_lab.trace.model import UNKNOWN, ArgumentReader, IndexColumn, IntColumn

Arguments = tuple[tuple[str, str, str], ...]  # (name, type, value) in call order


class ArgumentColumns(Struct, frozen=True):
    """Some arguments of some calls: indexes into ``texts``, ``UNKNOWN`` where not recorded."""

    texts: tuple[str, ...]
    columns: Mapping[str, IndexColumn]


@runtime_checkable
class BulkArgumentReader(Protocol):
    """A reader for which one question about many rows is cheaper than many questions."""

    def columns(self, rows: IntColumn, names: Sequence[str]) -> ArgumentColumns: ...


def argument_columns(
    reader: ArgumentReader, rows: IntColumn, names: Sequence[str]
) -> ArgumentColumns:
    """The arguments with these names of these rows of ``Trace.api_calls``, as texts."""
    if isinstance(reader, BulkArgumentReader):
        return reader.columns(rows, names)
    texts = StringTable()
    columns = {name: np.full(len(rows), UNKNOWN, dtype=np.int32) for name in names}
    for place, row in enumerate(rows.tolist()):
        for name, _kind, value in reversed(reader(row)):
            if name in columns:
                columns[name][place] = texts.add(value)
    return ArgumentColumns(texts.as_tuple(), columns)
