"""What is asked of a table's pages, and what they answer."""

from __future__ import annotations

import re
from typing import Optional

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

Offsets = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]


class PagesUnsupported(Exception):
    """The pages hold something this reader does not decode; SQLite has to be asked."""


class StoredColumn(Struct, frozen=True):
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


class NumericColumns(Struct):
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
