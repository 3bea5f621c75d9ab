"""Which tables of a rocpd database belong to which process, and under which names.

rocprofv3 writes every table as ``<name>_<uuid>`` with one uuid per process and a view of the bare
name over it; merged databases hold several uuids. Other writers use bare tables, with the process
in a ``guid`` column. Two layouts of times exist: ``start``/``end`` in the row, or
``start_id``/``end_id`` that point into ``rocpd_timestamp`` with the thread, agent, queue and
stream in ``rocpd_track``.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from rocm_perf_lab.trace.sqlite.columns import Table, quoted, tables_of

_PREFIX = "rocpd_"
# A table that every recording of a process has; it tells which suffixes exist.
_ANCHOR = "rocpd_kernel_dispatch"
_SUFFIX = re.compile(
    r"(?P<name>rocpd_[a-z_]+?)(?P<suffix>_[0-9a-fA-F]{8}(?:_[0-9a-fA-F]{4,12}){4})"
)


@dataclass(frozen=True)
class ProcessTables:
    """The tables of one recorded process by their bare names."""

    guid: str
    tables: Mapping[str, Table]

    def get(self, name: str) -> Table:
        """The table, or one without columns and rows where the recording has none."""
        return self.tables.get(name, Table("", ()))

    def has(self, name: str) -> bool:
        return name in self.tables


def processes_in(connection: sqlite3.Connection) -> tuple[ProcessTables, ...]:
    """Every process of the database; none when it is not a rocpd database."""
    columns = tables_of(connection, _PREFIX)
    by_suffix: dict[str, dict[str, Table]] = {}
    for name in columns:
        match = _SUFFIX.fullmatch(name)
        if match:
            tables = by_suffix.setdefault(match["suffix"], {})
            tables[match["name"]] = Table(name, columns[name])
    suffixed = tuple(
        ProcessTables(suffix[1:].replace("_", "-"), tables)
        for suffix, tables in by_suffix.items()
        if _ANCHOR in tables
    )
    if suffixed or _ANCHOR not in columns:
        return suffixed
    return _bare_processes(connection, columns)


def _bare_processes(
    connection: sqlite3.Connection, columns: Mapping[str, tuple[str, ...]]
) -> tuple[ProcessTables, ...]:
    guids: set[str] = set()
    for name in (_ANCHOR, "rocpd_info_process"):
        if "guid" in columns.get(name, ()):
            rows = connection.execute(f"SELECT DISTINCT guid FROM {quoted(name)}")
            guids.update(str(row[0]) for row in rows if row[0] is not None)
    if len(guids) <= 1:
        tables = {name: Table(name, columns[name]) for name in columns}
        return (ProcessTables(next(iter(guids), ""), tables),)
    return tuple(
        ProcessTables(
            guid,
            {
                name: Table(name, columns[name], guid if "guid" in columns[name] else None)
                for name in columns
            },
        )
        for guid in sorted(guids)
    )
