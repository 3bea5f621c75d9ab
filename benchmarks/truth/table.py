"""One table of recorded times: its file, its rows, and what names a row."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RECORDINGS = HERE.parents[1].parent / "shared" / "data"


class TableError(ValueError):
    """A table's file or its rows are not of the form that is documented in README.md."""


@dataclass(frozen=True)
class Table:
    """``split_by``: the columns that decide the half of a row; ``group_by``: rows that compete."""

    name: str
    rows: str  # a CSV below the folder of recordings
    columns: tuple[str, ...]  # the arguments of the program
    time: str
    unit: str
    group_by: tuple[str, ...]
    split_by: tuple[str, ...]
    chip: str
    conditions: str
    environment: Mapping[str, str] = field(default_factory=dict)  # of the program
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # column: values followed

    @property
    def group_name(self) -> str:
        return " x ".join(self.group_by)


@dataclass(frozen=True)
class Row:
    values: Mapping[str, str]
    recorded: float

    def key(self, columns: tuple[str, ...]) -> str:
        return ",".join(f"{name}={self.values[name]}" for name in columns)


def _columns(document: Mapping[str, Any], name: str, path: Path) -> tuple[str, ...]:
    value = document.get(name)
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise TableError(f"{path}: {name} is not a list of column names")
    return tuple(value)


def load_table(path: Path) -> Table:
    document = json.loads(path.read_text())
    missing = {"rows", "columns", "time", "unit", "group_by", "split_by"} - set(document)
    if missing:
        raise TableError(f"{path}: no {', '.join(sorted(missing))}")
    columns = _columns(document, "columns", path)
    groups, split = (_columns(document, name, path) for name in ("group_by", "split_by"))
    strange = (set(groups) | set(split)) - set(columns)
    if strange:
        raise TableError(f"{path}: {', '.join(sorted(strange))} is not one of the columns")
    return Table(
        path.stem,
        document["rows"],
        columns,
        document["time"],
        document["unit"],
        groups,
        split,
        document.get("chip", "not said"),
        document.get("conditions", "not said"),
        document.get("environment", {}),
        {name: tuple(values) for name, values in document.get("only", {}).items()},
    )


def load_rows(table: Table, recordings: Path) -> list[Row]:
    """Rows without a time are left out; of rows with one key the last one counts, as in a rerun."""
    path = recordings / table.rows
    found: dict[str, Row] = {}
    with path.open(newline="") as file:
        for number, line in enumerate(csv.DictReader(file), 2):
            strange = [name for name in (*table.columns, table.time) if line.get(name) is None]
            if strange:
                raise TableError(f"{path}:{number}: no {', '.join(strange)}")
            if any(line[name] not in values for name, values in table.only.items()):
                continue
            if line[table.time]:
                row = Row({name: line[name] for name in table.columns}, float(line[table.time]))
                found[row.key(table.columns)] = row
    return list(found.values())
