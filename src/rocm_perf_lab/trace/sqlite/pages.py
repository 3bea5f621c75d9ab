"""Numeric columns of a SQLite table, decoded from the file's pages with NumPy.

The ``sqlite3`` module makes one Python object per value; a trace of a million dispatches has
twenty million of them. This reader maps the file, walks the table's b-tree
(https://www.sqlite.org/fileformat2.html) and decodes whole runs of rows at once. It reads only
what it can prove to be well formed: anything unusual raises ``PagesUnsupported``, and the caller
asks SQLite itself instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rocm_perf_lab.trace.sqlite.mapped import PageFile
from rocm_perf_lab.trace.sqlite.records import Run
from rocm_perf_lab.trace.sqlite.stored import (
    Mask,
    NumericColumns,
    Offsets,
    PagesUnsupported,
    StoredColumn,
)

_LEAF, _LEAF_HEADER = 13, 8
_INTERIOR, _INTERIOR_HEADER = 5, 12
_MAX_DEPTH = 20  # SQLite's own limit for the depth of a b-tree
_BYTES_PER_RUN = 4 << 20  # pages decoded together: large enough to amortise, small enough to cache
_ROWS_PER_RUN = 1 << 15  # the same where each page gives one row


class _Tree:
    """The b-tree of a table, whose leaves are its rows."""

    def __init__(self, file: PageFile) -> None:
        self._file = file

    def leaves(self, root_page: int) -> Offsets:
        """Page offsets of all leaves in key order. SQLite's trees are balanced: level by level."""
        data, page_size = self._file.data, self._file.page_size
        level: Offsets = np.array([root_page - 1], dtype=np.int64) * page_size
        seen = 0
        for _ in range(_MAX_DEPTH):
            seen += len(level)
            # Page 1 carries the file header and is never part of a user's table.
            if level.min() <= 0 or level.max() >= len(data) or seen > self._file.page_count:
                raise PagesUnsupported("a page number is out of range, or pages form a loop")
            kinds = data[level]
            if (kinds == _LEAF).all():
                ordered = np.sort(level)  # np.unique would import numpy.ma: 30 ms of a start
                if (ordered[1:] == ordered[:-1]).any():
                    raise PagesUnsupported("a page is used twice")
                return level
            if not (kinds == _INTERIOR).all():
                raise PagesUnsupported("not a page of a table's b-tree")
            level = (self._children(level) - 1) * page_size
        raise PagesUnsupported("the b-tree is too deep")

    def _children(self, pages: Offsets) -> Offsets:
        counts = _cell_counts(self._file, pages, _INTERIOR_HEADER)
        cells, _ = _cells(self._file, pages, counts, _INTERIOR_HEADER)
        children: Offsets = np.empty(len(cells) + len(pages), dtype=np.int64)
        right_most = np.cumsum(counts + 1) - 1  # follows the cells of its page
        is_right_most = np.zeros(len(children), dtype=bool)
        is_right_most[right_most] = True
        children[right_most] = self._file.big_endian(pages + 8, "u4")
        children[~is_right_most] = self._file.big_endian(cells, "u4")
        return children


def _cell_counts(file: PageFile, pages: Offsets, header: int) -> Offsets:
    counts = file.big_endian(pages + 3, "u2")
    if (header + 2 * counts > file.usable).any():
        raise PagesUnsupported("a page claims more cells than it can hold")
    return counts


def _cells(file: PageFile, pages: Offsets, counts: Offsets, header: int) -> tuple[Offsets, Offsets]:
    """Start offset of every cell, and the end of the usable part of its page."""
    # A page begins with its header and the pointers to its cells, two bytes each.
    most = int(counts.max(initial=0))
    numbers = file.data.view(">u2").reshape(file.page_count, -1)
    pointers = numbers[pages // file.page_size, header // 2 : header // 2 + most]
    is_cell = np.arange(most) < counts[:, np.newaxis]
    content_start = (header + 2 * counts)[:, np.newaxis]
    if ((pointers < content_start) | (pointers > file.usable - 4))[is_cell].any():
        raise PagesUnsupported("a cell pointer leads outside its page")
    limits = np.repeat(pages, counts)
    cells = limits + pointers[is_cell]
    limits += file.usable
    return cells, limits


class TablePages:
    """Leaf pages of one table, in the order of their row ids."""

    def __init__(self, file: PageFile, leaves: Offsets, *, first_rows_only: bool = False) -> None:
        self._file = file
        self._leaves = leaves
        self._first_rows_only = first_rows_only
        self.rows = int(self._row_counts(leaves).sum())

    @classmethod
    def below(cls, file: PageFile, root_page: int) -> TablePages:
        """All leaves, found and checked by walking the b-tree from its root."""
        return cls(file, _Tree(file).leaves(root_page))

    def only(self, leaves: Mask) -> TablePages:
        """Some of the leaves, one truth value for each."""
        return TablePages(self._file, self._leaves[leaves])

    def first_rows(self) -> TablePages:
        """The same leaves as if each held its first row only."""
        return TablePages(self._file, self._leaves, first_rows_only=True)

    @property
    def leaf_count(self) -> int:
        return len(self._leaves)

    def read(self, columns: Sequence[StoredColumn]) -> NumericColumns:
        """Decode these columns of every row, in rowid order."""
        result = NumericColumns(self.rows)
        for column in columns:
            kind: type = np.float64 if column.is_real else np.int64
            result.values[column.name] = np.empty(self.rows, dtype=kind)
        row, last_rowid = 0, None
        try:
            for cells, limits in self._runs():
                run = Run.decode_heads(self._file, cells, limits)
                run.check_order(last_rowid)
                last_rowid = int(run.rowid[-1])
                run.decode(columns, result, slice(row, row + len(cells)))
                row += len(cells)
        except IndexError:
            raise PagesUnsupported("a cell reaches past the end of the file") from None
        return result

    def _runs(self) -> Iterator[tuple[Offsets, Offsets]]:
        pages_per_run = max(1, _BYTES_PER_RUN // self._file.page_size)
        if self._first_rows_only:
            pages_per_run = _ROWS_PER_RUN
        for start in range(0, len(self._leaves), pages_per_run):
            pages = self._leaves[start : start + pages_per_run]
            cells, limits = _cells(self._file, pages, self._row_counts(pages), _LEAF_HEADER)
            if len(cells):
                yield cells, limits

    def _row_counts(self, pages: Offsets) -> Offsets:
        counts = _cell_counts(self._file, pages, _LEAF_HEADER)
        return np.minimum(counts, 1) if self._first_rows_only else counts
