"""Arguments of many API calls at once, for readers that can fetch them together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from rocm_perf_lab.trace.model import ArgumentReader

Arguments = tuple[tuple[str, str, str], ...]  # (name, type, value) in call order


@runtime_checkable
class BulkArgumentReader(Protocol):
    """A reader for which one question about many rows is cheaper than many questions."""

    def many(self, rows: Sequence[int]) -> list[Arguments]: ...


def arguments_of(reader: ArgumentReader, rows: Sequence[int]) -> list[Arguments]:
    """The arguments of these rows of ``Trace.api_calls``, in the order of ``rows``."""
    if isinstance(reader, BulkArgumentReader):
        return reader.many(rows)
    return [reader(row) for row in rows]
