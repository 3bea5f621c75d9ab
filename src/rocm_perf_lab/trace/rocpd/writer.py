"""Writes a ``Trace`` as a rocpd database, the way rocprofv3 does.

Used by the virtual device, whose recordings take the same path as those of real hardware, and to
make databases for tests and benchmarks.
"""

from __future__ import annotations

import re
import sqlite3
import uuid
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Optional

from rocm_perf_lab.trace.counter_info import CounterInfo
from rocm_perf_lab.trace.files.beside import written_beside
from rocm_perf_lab.trace.model import Process, Trace
from rocm_perf_lab.trace.rocpd.schema import view_statements
from rocm_perf_lab.trace.rocpd.tables import ProcessTablesWriter
from rocm_perf_lab.trace.selection import select_process

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def write_rocpd(trace: Trace, path: Path, *, counters: Sequence[CounterInfo] = ()) -> None:
    """Write every process of the Trace into one database, beside ``path`` first, then rename.

    ``counters`` describes the counters of the device; those that have values are listed anyhow.
    """
    with written_beside(path) as beside, RocpdWriter(beside, counters) as writer:
        for index in range(len(trace.processes)):
            writer.add(select_process(trace, index))


class RocpdWriter:
    """An open database; ``add`` writes one process, leaving the block makes the views."""

    def __init__(self, path: Path, counters: Sequence[CounterInfo] = ()) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._guids: list[str] = []
        self._counters = counters

    def __enter__(self) -> RocpdWriter:
        # The file is new and nobody else sees it: no journal is needed.
        self._connection.execute("PRAGMA journal_mode = OFF")
        self._connection.execute("PRAGMA synchronous = OFF")
        self._connection.execute("BEGIN")
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        if error is None:
            for statement in view_statements(self._guids):
                self._connection.execute(statement)
            self._connection.execute("COMMIT")
        self._connection.close()

    def add(self, trace: Trace) -> None:
        """Write a Trace that holds one process."""
        (process,) = trace.processes
        named = _UUID.fullmatch(process.guid) is not None
        guid = process.guid if named else _made_up_guid(process, len(self._guids))
        self._guids.append(guid)
        ProcessTablesWriter(self._connection, trace, guid, self._counters).write()


def _made_up_guid(process: Process, index: int) -> str:
    """The same for the same process, so that the same Trace gives the same file."""
    name = f"{process.hostname}/{process.pid}/{process.command}/{index}"
    return str(uuid.uuid5(uuid.NAMESPACE_OID, name))
