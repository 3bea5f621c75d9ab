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

from msgspec import Struct

from rocm_perf_lab.trace.sqlite.columns import Table, columns_of, quoted, tables_of

_PREFIX = "rocpd_"
# A table that every recording of a process has; it tells which suffixes exist.
_ANCHOR = "rocpd_kernel_dispatch"
_SUFFIX = re.compile(
    r"(?P<name>rocpd_[a-z_]+?)(?P<suffix>_[0-9a-fA-F]{8}(?:_[0-9a-fA-F]{4,12}){4})"
)


class ProcessTables(Struct, frozen=True):
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
    names = tables_of(connection, _PREFIX)
    by_suffix: dict[str, dict[str, str]] = {}
    for name in names:
        match = _SUFFIX.fullmatch(name)
        if match:
            by_suffix.setdefault(match["suffix"], {})[match["name"]] = name
    # Only of tables that are read: what columns a view has takes SQLite longer than to read a few.
    suffixed = tuple(
        ProcessTables(
            suffix[1:].replace("_", "-"),
            {bare: Table(name, columns_of(connection, name)) for bare, name in tables.items()},
        )
        for suffix, tables in by_suffix.items()
        if _ANCHOR in tables
    )
    if suffixed or _ANCHOR not in names:
        return suffixed
    return _bare_processes(connection, {name: columns_of(connection, name) for name in names})


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
