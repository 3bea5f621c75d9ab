"""Finds rows by a column that ascends with the row id, without decoding the whole table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rocm_perf_lab.trace.sqlite.pages import TablePages
from rocm_perf_lab.trace.sqlite.stored import (
    NumericColumns,
    Offsets,
    PagesUnsupported,
    StoredColumn,
)


class OrderedRows:
    """A table with one column that never decreases, as far as the first rows of pages tell.

    What stands between two of them is not looked at, so a caller that misses a row it knows to
    exist has to read the whole table.
    """

    def __init__(self, pages: TablePages, key: StoredColumn) -> None:
        first = pages.first_rows().read((key,))
        keys = first.values[key.name].astype(np.int64)
        if first.rows != pages.leaf_count:
            raise PagesUnsupported("a page without rows")
        if first.is_null(key.name).any() or (keys[1:] < keys[:-1]).any():
            raise PagesUnsupported(f"{key.name} does not ascend")
        self._pages = pages
        self._first = keys

    def read(self, columns: Sequence[StoredColumn], wanted: Offsets) -> NumericColumns:
        """These columns of all rows whose key is wanted, and of their neighbours."""
        # A key may begin on the page before the first page that begins with it.
        low = (np.searchsorted(self._first, wanted, side="left") - 1).clip(min=0)
        high = np.searchsorted(self._first, wanted, side="right")
        change = np.zeros(len(self._first) + 1, dtype=np.int64)
        np.add.at(change, low, 1)
        np.add.at(change, np.maximum(high, low), -1)
        return self._pages.only(np.cumsum(change[:-1]) > 0).read(columns)
