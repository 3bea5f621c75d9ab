"""Records of a SQLite table, decoded many rows at a time.

In a record each column's type stands in the header, and the values follow in the body without gaps.
Most types are the same in all rows of a run. Where they are, columns lie side by side at fixed
distances: one copy of those bytes serves them all, and each is a stride through it. Only a column
whose width differs from row to row moves what comes behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Optional, Union

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from rocm_perf_lab.trace.sqlite.mapped import PageFile
from rocm_perf_lab.trace.sqlite.stored import (
    Bytes,
    Mask,
    NumericColumns,
    Offsets,
    PagesUnsupported,
    StoredColumn,
)

# Serial type -> bytes in the record body; 10 and 11 are reserved.
_NULL, _REAL, _ZERO, _ONE = 0, 7, 8, 9
_TEXT = 12
_BODY_BYTES = np.array(
    [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0] + [(t - 12) // 2 for t in range(_TEXT, 128)],
    dtype=np.int64,
)
# Bits to shift an integer up and down again, so that its sign fills the upper bytes.
_SIGN_SHIFT = np.minimum(64 - 8 * _BODY_BYTES, 63).clip(min=0)
# Serial type -> the NumPy type that ends with its last byte, and the bits that are not its own.
_NUMPY_KINDS = {1: (">i1", 0), 2: (">i2", 0), 3: (">i4", 8), 4: (">i4", 0)}
_NUMPY_KINDS |= {5: (">i8", 16), 6: (">i8", 0), 7: (">f8", 0)}
_LONGEST_HEAD = 16  # bytes that hold two varints and the length of the header

Numbers = npt.NDArray[np.int64]  # or narrower, or reals: as they are stored
Values = Union[Numbers, npt.NDArray[np.float64], int]


class Run(Struct, frozen=True):
    """Some consecutive rows: where each record's header and body stand."""

    file: PageFile
    rowid: Offsets
    header_at: Offsets
    header_bytes: Bytes
    end: Offsets
    # The bytes that end with the header of each row, if all headers are of one length.
    headers: Optional[Bytes] = None

    @classmethod
    def decode_heads(cls, file: PageFile, cells: Offsets, limits: Offsets) -> Run:
        alike = _alike_heads(file, cells)
        if alike is not None:
            payload_bytes, rowid, header_at, header_bytes, headers = alike
        else:
            payload_bytes, after_payload = _varints(file.data, cells)
            rowid, header_at = _varints(file.data, after_payload)
            header_bytes, headers = file.data[header_at], None
        end = header_at + payload_bytes
        if int(payload_bytes.max()) > file.usable - 35:
            raise PagesUnsupported("a record continues on overflow pages")
        bad = (header_bytes >= 128) | (header_bytes < 1) | (header_bytes > payload_bytes)
        if bad.any() or (end > limits).any():
            raise PagesUnsupported("a record does not fit its cell")
        return cls(file, rowid, header_at, header_bytes, end, headers)

    def check_order(self, previous: Optional[int]) -> None:
        ascending = (self.rowid[1:] > self.rowid[:-1]).all()
        if not ascending or (previous is not None and self.rowid[0] <= previous):
            raise PagesUnsupported("row ids are not ascending")

    def decode(
        self, columns: Sequence[StoredColumn], result: NumericColumns, target: slice
    ) -> None:
        """Decode these rows into ``result``; rows with shorter records are decoded apart."""
        lengths = np.flatnonzero(np.bincount(self.header_bytes)).tolist()
        for length in lengths:
            if len(lengths) == 1:
                _decode(self, columns, length, _Target(result, target))
            else:
                rows = self.header_bytes == length
                _decode(self._only(rows), columns, length, _Target(result, target, rows))

    def _only(self, rows: Mask) -> Run:
        return Run(
            self.file,
            self.rowid[rows],
            self.header_at[rows],
            self.header_bytes[rows],
            self.end[rows],
        )


class _Target(Struct, frozen=True):
    """Where the values of a run belong."""

    result: NumericColumns
    run: slice
    chosen: Optional[Mask] = None  # of the run's rows; None: all of them

    def put(self, column: StoredColumn, values: Values, nulls: Optional[Mask] = None) -> None:
        place = slice(None) if self.chosen is None else self.chosen
        self.result.values[column.name][self.run][place] = values
        if nulls is not None:
            mask = self.result.nulls.setdefault(column.name, np.zeros(self.result.rows, dtype=bool))
            mask[self.run][place] = nulls


def _alike_heads(
    file: PageFile, cells: Offsets
) -> Optional[tuple[Offsets, Offsets, Offsets, Bytes, Optional[Bytes]]]:
    """Length of the payload, row id, where the header begins, its length, and the headers if all
    have the same; None unless these stand at the same places in all cells, as they mostly do. One
    copy serves them all.
    """
    first = file.data[int(cells[0]) :][:_LONGEST_HEAD]
    _, after_payload = _varints(first, np.zeros(1, dtype=np.int64))
    _, before = _varints(first, after_payload)
    header = int(before[0])  # where it begins in the first cell
    length = header + int(first[header])
    if int(cells.max()) + length > len(file.data):
        return None
    padded = -(-length // 8) * 8  # so that eight bytes are compared at once
    shift = padded - length
    head = file.gather(cells - shift, padded)
    payload = _same_length_varint(head, shift)
    rowid = _same_length_varint(head, payload[1]) if payload else None
    if not payload or not rowid or rowid[1] != shift + header:
        return None
    header_bytes = np.ascontiguousarray(head[:, shift + header])
    same_length = bool((header_bytes == length - header).all())
    return payload[0], rowid[0], cells + header, header_bytes, head if same_length else None


def _same_length_varint(head: Bytes, begin: int) -> Optional[tuple[Offsets, int]]:
    """The varint in these columns and the column behind it; None where lengths differ."""
    value = np.zeros(len(head), dtype=np.int64)
    for place in range(begin, begin + 8):
        byte = np.ascontiguousarray(head[:, place])
        value <<= 7
        value |= byte & 0x7F
        if byte.max() < 128:
            return value, place + 1
        if byte.min() < 128:
            return None
    return None  # the ninth byte carries eight bits


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


def _decode(run: Run, columns: Sequence[StoredColumn], header_bytes: int, target: _Target) -> None:
    """Decode columns of records whose headers all have this length."""
    wanted = {column.position: column for column in columns}
    stored = min(header_bytes - 1, max(wanted) + 1)
    for position in range(stored, max(wanted) + 1):
        if position in wanted:
            value = wanted[position].absent_value()
            everyone = np.ones(len(run.rowid), dtype=bool) if value is None else None
            target.put(wanted[position], value or 0, everyone)
    if not stored:
        return
    end = run.header_at + header_bytes
    for stretch in _stretches(run, wanted, stored, end):
        stretch.decode(run, target)
        end = stretch.at + stretch.bytes
    if (end > run.end).any():
        raise PagesUnsupported("a value reaches past its record")


class _Stretch(Struct):
    """Columns whose width is the same in all rows, behind one of which it is not."""

    at: Offsets  # of the first of them in each row
    bytes: int = 0
    before: Optional[tuple[StoredColumn, Bytes]] = None  # what ends there, with its types
    columns: list[tuple[StoredColumn, int, int]] = field(default_factory=list)  # type, end

    def add(self, kind: int, column: Optional[StoredColumn]) -> None:
        self.bytes += int(_BODY_BYTES[kind])
        if column is not None:
            self.columns.append((column, kind, self.bytes))

    def decode(self, run: Run, target: _Target) -> None:
        read = [(end - int(_NUMPY_KINDS[kind][0][2:]), end) for _, kind, end in self._with_bytes()]
        if self.before:
            read.append((-8, 0))
        # The bytes before a number never leave the file: 100 header bytes come first.
        low = min((begin for begin, _ in read), default=0)
        high = max((end for _, end in read), default=0)
        body = run.file.gather(self.at + low, high - low) if read else None
        if self.before and body is not None:
            column, kinds = self.before
            raw = _strided(body, ">i8", -low)
            target.put(column, *(_reals(raw, kinds) if column.is_real else _integers(raw, kinds)))
        for column, kind, end in self.columns:
            _put_uniform(run, target, column, kind, body, end - low)

    def _with_bytes(self) -> Iterator[tuple[StoredColumn, int, int]]:
        return (one for one in self.columns if one[1] in _NUMPY_KINDS)


def _stretches(
    run: Run, wanted: dict[int, StoredColumn], stored: int, body: Offsets
) -> Iterator[_Stretch]:
    types, begin = _types(run, stored)
    _check_types(types[0, begin : begin + stored])
    same, differs = types[0].tolist(), _differing(types)
    stretch = _Stretch(body)
    for position, place in enumerate(range(begin, begin + stored)):
        column = wanted.get(position)
        if not differs[place]:
            stretch.add(same[place], column)
            continue
        yield stretch
        kinds = np.ascontiguousarray(types[:, place])
        _check_types(kinds)
        at = stretch.at + stretch.bytes + _BODY_BYTES[kinds]
        stretch = _Stretch(at, before=None if column is None else (column, kinds))
    yield stretch


def _types(run: Run, stored: int) -> tuple[Bytes, int]:
    """Rows of bytes, a multiple of eight, and from where on in each the types stand."""
    if run.headers is not None:
        return run.headers, run.headers.shape[1] - int(run.header_bytes[0]) + 1
    padded = -(-stored // 8) * 8
    return run.file.gather(run.header_at + (1 + stored - padded), padded), padded - stored


def _differing(types: Bytes) -> list[bool]:
    """For each byte of these rows whether it is not the same in all; eight are compared at once."""
    words = types.view(np.uint64)
    changed = [np.bitwise_or.reduce(word ^ word[0]) for word in words.T]
    return [byte != 0 for byte in np.array(changed, dtype=np.uint64).view(np.uint8).tolist()]


def _check_types(kinds: Bytes) -> None:
    if kinds.max() >= 128 or ((kinds == 10) | (kinds == 11)).any():
        raise PagesUnsupported("a long text or a reserved type stands before a wanted column")


def _strided(body: Bytes, kind: str, end: int) -> Numbers:
    """The numbers whose last byte stands before column ``end``, one for each row."""
    numbers: Numbers = np.ndarray(
        (len(body),), kind, buffer=body, offset=end - int(kind[2:]), strides=(body.shape[1],)
    )
    return numbers


def _put_uniform(
    run: Run,
    target: _Target,
    column: StoredColumn,
    kind: int,
    body: Optional[Bytes],
    end: int,
) -> None:
    """A column that has the same type in all rows."""
    if kind == _NULL and column.is_rowid:
        target.put(column, run.rowid)
    elif kind == _NULL:
        target.put(column, 0, np.ones(len(run.rowid), dtype=bool))
    elif kind in (_ZERO, _ONE):
        target.put(column, kind - _ZERO)
    elif body is None or kind >= _TEXT or (kind == _REAL and not column.is_real):
        raise PagesUnsupported("a column of numbers holds something else")
    else:
        name, foreign = _NUMPY_KINDS[kind]
        values = _strided(body, name, end)
        if foreign:
            values = values.astype(name[1:])
            values = (values << foreign) >> foreign
        target.put(column, values)


def _integers(raw: Numbers, kinds: Bytes) -> tuple[Offsets, Optional[Mask]]:
    """Integers of several types, from the eight bytes that end with them; and which are NULL."""
    if kinds.max() > _ONE or (kinds == _REAL).any():
        raise PagesUnsupported("a column of integers holds something else")
    shift = _SIGN_SHIFT[kinds]
    values = raw.astype(np.int64)
    np.left_shift(values, shift, out=values)
    np.right_shift(values, shift, out=values)
    np.copyto(values, kinds == _ONE, where=(kinds == _NULL) | (kinds >= _ZERO))
    nulls = kinds == _NULL
    return values, nulls if nulls.any() else None


def _reals(raw: Numbers, kinds: Bytes) -> tuple[npt.NDArray[np.float64], Optional[Mask]]:
    """Floating-point values; SQLite stores whole numbers of a REAL column as integers."""
    is_real = kinds == _REAL
    values, nulls = _integers(raw, np.where(is_real, np.uint8(6), kinds))
    return np.where(is_real, values.view(np.float64), values.astype(np.float64)), nulls
