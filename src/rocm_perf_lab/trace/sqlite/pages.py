"""Numeric columns of a SQLite table, decoded from the file's pages with NumPy.

The ``sqlite3`` module makes one Python object per value; a trace of a million dispatches has
twenty million of them. This reader maps the file, walks the table's b-tree
(https://www.sqlite.org/fileformat2.html) and decodes whole runs of rows at once. It reads only
what it can prove to be well formed: anything unusual raises ``PagesUnsupported``, and the caller
asks SQLite itself instead.
"""

from __future__ import annotations

import mmap
import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

import numpy as np
import numpy.typing as npt

_MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 100
_LEAF, _LEAF_HEADER = 13, 8
_INTERIOR, _INTERIOR_HEADER = 5, 12
_MAX_DEPTH = 20  # SQLite's own limit for the depth of a b-tree
_BYTES_PER_RUN = 4 << 20  # pages decoded together: large enough to amortise, small enough to cache
_ROWS_PER_RUN = 1 << 15  # the same where each page gives one row

# Serial type -> bytes in the record body; 10 and 11 are reserved.
_NULL, _REAL, _ZERO, _ONE = 0, 7, 8, 9
_BODY_BYTES = np.array(
    [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0] + [(t - 12) // 2 for t in range(12, 128)], dtype=np.int32
)
# Bits to shift an integer up and down again, so that its sign fills the upper bytes.
_SIGN_SHIFT = np.minimum(64 - 8 * _BODY_BYTES, 63).clip(min=0)
# Serial types with as many bytes as a NumPy type: they need no shifting.
_NUMPY_KINDS = {1: "i1", 2: "i2", 4: "i4", 6: "i8"}

Offsets = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]


class PagesUnsupported(Exception):
    """The pages hold something this reader does not decode; SQLite has to be asked."""


@dataclass(frozen=True)
class StoredColumn:
    """Where a column stands in the records of a table, and what an absent value means."""

    name: str
    position: int
    is_real: bool = False
    is_rowid: bool = False
    default: Optional[str] = None  # SQL text; for rows written before ALTER TABLE ADD COLUMN

    def absent_value(self) -> Optional[int]:
        """What SQLite answers for a row that is older than the column."""
        if self.default is None or self.default.upper() == "NULL":
            return None
        if not re.fullmatch(r"[+-]?\d{1,18}", self.default):
            raise PagesUnsupported("the default of an added column is not a plain integer")
        return int(self.default)


@dataclass
class NumericColumns:
    """Values by column name; ``nulls`` holds a mask only for columns that have any NULL."""

    rows: int
    values: dict[str, npt.NDArray[np.generic]] = field(default_factory=dict)
    nulls: dict[str, Mask] = field(default_factory=dict)

    def integers(self, name: str, if_null: int) -> npt.NDArray[np.int64]:
        """A column of integers with ``if_null`` in the place of NULL."""
        numbers = self.values[name].astype(np.int64, copy=False)
        if name in self.nulls:
            numbers[self.nulls[name]] = if_null
        return numbers

    def is_null(self, name: str) -> Mask:
        return self.nulls.get(name, np.zeros(self.rows, dtype=bool))


class PageFile:
    """A mapped SQLite file whose header has been checked."""

    def __init__(self, path: Path) -> None:
        if os.path.exists(f"{path}-journal"):
            raise PagesUnsupported("a rollback journal stands beside the file")
        wal = Path(f"{path}-wal")
        if wal.exists() and wal.stat().st_size > 0:
            raise PagesUnsupported("a write-ahead log stands beside the file")
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size < 2 * 512:
                raise PagesUnsupported("too small for a table")
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.data: Bytes = np.frombuffer(self._map, dtype=np.uint8)
        header = self._map[:_HEADER_BYTES]
        size = int.from_bytes(header[16:18], "big")
        self.page_size = 65536 if size == 1 else size
        self.usable = self.page_size - header[20]
        sane_size = 512 <= self.page_size <= 65536 and self.page_size & (self.page_size - 1) == 0
        if header[:16] != _MAGIC or not sane_size or self.usable < 480:
            raise PagesUnsupported("not a SQLite header")
        if len(self._map) % self.page_size:
            raise PagesUnsupported("the last page is incomplete")
        self.page_count = len(self._map) // self.page_size

    def windows(self, width: int) -> npt.NDArray[np.void]:
        """Every run of ``width`` bytes of the file, one per start offset, without a copy."""
        shape = (len(self.data) - width + 1,)
        windows: npt.NDArray[np.void] = np.ndarray(
            shape, dtype=f"V{width}", buffer=self._map, strides=(1,)
        )
        return windows

    def big_endian(self, at: Offsets, kind: str) -> Offsets:
        """The numbers of NumPy type ``kind`` (such as ``u2``) that start at these offsets."""
        gathered = self.windows(int(kind[1:]))[at].view(kind)
        if sys.byteorder == "little":
            gathered.byteswap(inplace=True)
        return gathered.astype(np.int64, copy=False)


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
    first = np.cumsum(counts) - counts
    within = np.arange(int(counts.sum()), dtype=np.int64) - np.repeat(first, counts)
    page = np.repeat(pages, counts)
    pointer = file.big_endian(page + header + 2 * within, "u2")
    content_start = np.repeat(header + 2 * counts, counts)
    if (pointer < content_start).any() or (pointer > file.usable - 4).any():
        raise PagesUnsupported("a cell pointer leads outside its page")
    return page + pointer, page + file.usable


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
                run = _Run.decode_heads(self._file, cells, limits)
                run.check_order(last_rowid)
                last_rowid = int(run.rowid[-1])
                _decode_run(run, columns, result, slice(row, row + len(cells)))
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


@dataclass(frozen=True)
class _Run:
    """Some consecutive rows: where each record's header and body stand."""

    file: PageFile
    rowid: Offsets
    header_at: Offsets
    header_bytes: Offsets
    end: Offsets

    @classmethod
    def decode_heads(cls, file: PageFile, cells: Offsets, limits: Offsets) -> _Run:
        payload_bytes, after_payload = _varints(file.data, cells)
        rowid, header_at = _varints(file.data, after_payload)
        header_bytes = file.data[header_at].astype(np.int64)
        end = header_at + payload_bytes
        if (payload_bytes > file.usable - 35).any():
            raise PagesUnsupported("a record continues on overflow pages")
        bad = (header_bytes >= 128) | (header_bytes < 1) | (header_bytes > payload_bytes)
        if bad.any() or (end > limits).any():
            raise PagesUnsupported("a record does not fit its cell")
        return cls(file, rowid, header_at, header_bytes, end)

    def check_order(self, previous: Optional[int]) -> None:
        ascending = (self.rowid[1:] > self.rowid[:-1]).all()
        if not ascending or (previous is not None and self.rowid[0] <= previous):
            raise PagesUnsupported("row ids are not ascending")

    def only(self, rows: Mask) -> _Run:
        return _Run(
            self.file,
            self.rowid[rows],
            self.header_at[rows],
            self.header_bytes[rows],
            self.end[rows],
        )


def _varints(data: Bytes, at: Offsets) -> tuple[Offsets, Offsets]:
    """Decode the varint at each offset; gives the values and the offsets behind them."""
    byte = data[at]
    value = (byte & 0x7F).astype(np.int64)
    after = at + 1
    more = byte >= 128
    for length in range(2, 10):
        if not more.any():
            break
        # Clipped, because a varint that ended earlier may stand at the end of the file.
        byte = data.take(at + (length - 1), mode="clip")
        # The ninth byte carries eight bits.
        longer = (value << 7) | (byte & 0x7F) if length < 9 else (value << 8) | byte
        value = np.where(more, longer, value)
        after += more
        more &= byte >= 128
    return value, after


def _decode_run(
    run: _Run,
    columns: Sequence[StoredColumn],
    result: NumericColumns,
    target: slice,
) -> None:
    """Decode one run into ``result``; rows with shorter records are decoded apart."""
    lengths = np.flatnonzero(np.bincount(run.header_bytes))
    for length in lengths.tolist():
        rows: Optional[Mask] = None if len(lengths) == 1 else run.header_bytes == length
        part = run if rows is None else run.only(rows)
        for column, values, nulls in _decode_records(part, columns, length):
            out = result.values[column.name][target]
            out[slice(None) if rows is None else rows] = values
            if nulls is not None:
                mask = result.nulls.setdefault(column.name, np.zeros(result.rows, dtype=bool))
                mask[target][slice(None) if rows is None else rows] = nulls


_Decoded = tuple[StoredColumn, "npt.NDArray[np.generic] | int", Optional[Mask]]


def _decode_records(
    run: _Run, columns: Sequence[StoredColumn], header_bytes: int
) -> Iterator[_Decoded]:
    """Decode columns of records whose headers all have this length."""
    wanted = {column.position: column for column in columns}
    stored = min(header_bytes - 1, max(wanted) + 1)
    everyone = np.ones(len(run.rowid), dtype=bool)
    for position in range(stored, max(wanted) + 1):
        if position in wanted:
            column = wanted[position]
            value = column.absent_value()
            yield column, value or 0, everyone if value is None else None
    if not stored:
        return
    types = run.file.windows(stored)[run.header_at + 1].view(np.uint8).reshape(-1, stored)
    types = np.ascontiguousarray(types.T)
    if (types >= 128).any() or ((types == 10) | (types == 11)).any():
        raise PagesUnsupported("a long text or a reserved type stands before a wanted column")
    body = run.header_at + header_bytes
    for position in range(stored):
        kind = types[position]
        uniform = int(kind[0]) if (kind == kind[0]).all() else None
        body = body + (_BODY_BYTES[kind] if uniform is None else _BODY_BYTES[uniform])
        if position in wanted:
            column = wanted[position]
            if column.is_rowid and uniform == _NULL:
                yield column, run.rowid, None
            elif column.is_real:
                yield (column, *_reals(run.file, body, kind))
            else:
                yield (column, *_integers(run.file, body, kind, uniform))
    if (body > run.end).any():
        raise PagesUnsupported("a value reaches past its record")


def _integers(
    file: PageFile, end: Offsets, kind: Bytes, uniform: Optional[int]
) -> tuple[npt.NDArray[np.int64] | int, Optional[Mask]]:
    """Integers whose last byte stands before ``end``, with the mask of NULLs if there are any."""
    if uniform in (_ZERO, _ONE):
        return (0 if uniform == _ZERO else 1), None
    if kind.max() > _ONE or (kind == _REAL).any():
        raise PagesUnsupported("a column of integers holds something else")
    if uniform is not None and uniform in _NUMPY_KINDS:
        return file.big_endian(end - _BODY_BYTES[uniform], _NUMPY_KINDS[uniform]), None
    # Eight bytes that end with the number never leave the file: 100 header bytes come first.
    shift = _SIGN_SHIFT[kind] if uniform is None else _SIGN_SHIFT[uniform]
    values = file.big_endian(end - 8, "i8")
    np.left_shift(values, shift, out=values)
    np.right_shift(values, shift, out=values)
    if uniform is not None and uniform != _NULL:
        return values, None
    values[kind == _ZERO] = 0
    values[kind == _ONE] = 1
    nulls = kind == _NULL
    values[nulls] = 0
    return values, nulls if nulls.any() else None


def _reals(
    file: PageFile, end: Offsets, kind: Bytes
) -> tuple[npt.NDArray[np.float64], Optional[Mask]]:
    """Floating-point values; SQLite stores whole numbers of a REAL column as integers."""
    is_real = kind == _REAL
    values, nulls = _integers(file, end, np.where(is_real, np.uint8(6), kind), None)
    reals = np.asarray(values).astype(np.float64)
    bits = file.windows(8)[end[is_real] - 8].view(">f8")
    reals[is_real] = bits
    return reals, nulls
