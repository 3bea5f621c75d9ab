"""The file: SQLite, which lets several processes write one after the other and readers read."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from urllib.parse import quote

from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.errors import OutputFailed, RecordingError, UsageError
from rocm_perf_lab.history.entry import Entry, Origin, command_of, kernels_of, machine_of
from rocm_perf_lab.strict_json import as_text

_MARK = 0x52504C48  # "RPLH": which application the file belongs to
_HEAD = (b"SQLite format 3\0", 68)  # how such a file begins, and where its mark stands
_VERSION = 1
_PATIENCE_S = 30.0  # for another writer
_TABLE = """
CREATE TABLE entries (
    number INTEGER PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    added TEXT NOT NULL,
    origin TEXT NOT NULL,
    machine TEXT NOT NULL,
    command TEXT NOT NULL,
    quantity TEXT NOT NULL,
    samples_ms TEXT NOT NULL,
    kernels TEXT NOT NULL,
    profile TEXT NOT NULL
)
"""


class Store:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def add(self, profile: ProfileDocument, origin: Origin) -> int:
        """Its number; the same profile of the same origin is kept once."""
        text = as_text(profile)
        told = json.dumps(vars(origin), sort_keys=True)
        digest = hashlib.sha256(f"{told}\0{text}".encode()).hexdigest()
        row = (
            digest,
            datetime.now(timezone.utc).isoformat(timespec="seconds"),
            told,
            machine_of(profile, origin.machine),
            command_of(profile),
            profile.stability.quantity,
            json.dumps(profile.stability.samples_ms),
            json.dumps(kernels_of(profile)),
            text,
        )
        names = "digest, added, origin, machine, command, quantity, samples_ms, kernels, profile"
        with self._connection:
            insert = f"INSERT OR IGNORE INTO entries ({names}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
            self._connection.execute(insert, row)
        find = "SELECT number FROM entries WHERE digest = ?"
        (number,) = self._connection.execute(find, (digest,)).fetchone()
        return int(number)

    def entries(self) -> list[Entry]:
        """In the order of keeping."""
        columns = "number, added, origin, machine, command, quantity, samples_ms, kernels"
        rows = self._connection.execute(f"SELECT {columns} FROM entries ORDER BY number")
        return [_entry(row) for row in rows]


def _entry(row: tuple[int, str, str, str, str, str, str, str]) -> Entry:
    number, added, origin, machine, command, quantity, samples, kernels = row
    return Entry(
        number,
        added,
        Origin(**json.loads(origin)),
        machine,
        command,
        quantity,
        tuple(json.loads(samples)),
        json.loads(kernels),
    )


@contextmanager
def opened(path: Path, *, writable: bool = False) -> Iterator[Store]:
    """Raises ``UsageError`` where there is none, ``RecordingError`` for any other file."""
    if not writable and not path.is_file():
        raise UsageError(f"there is no history at {path}", "rocm-perf history add profile.json")
    mode = "rwc" if writable else "ro"
    place = f"file:{quote(str(path.absolute()))}?mode={mode}"
    try:
        connection = sqlite3.connect(place, timeout=_PATIENCE_S, uri=True)
    except sqlite3.OperationalError as error:
        raise UsageError(f"cannot open {path}: {error}", "choose another path: --db FILE") from None
    try:
        if writable:
            _begin(connection)
        _check(connection, path)
        yield Store(connection)
    except sqlite3.OperationalError as error:
        raise OutputFailed(f"cannot use {path}: {error}", "try again, or free disk space") from None
    except (sqlite3.DatabaseError, ValueError, TypeError) as error:
        raise _foreign(path, str(error)) from None
    finally:
        connection.close()


def is_history(path: Path) -> bool:
    """By its first bytes, without opening it as a database."""
    magic, at = _HEAD
    with path.open("rb") as file:
        head = file.read(at + 4)
    return head.startswith(magic) and head[at:] == _MARK.to_bytes(4, "big")


def _begin(connection: sqlite3.Connection) -> None:
    """An empty file gets its table; of two that begin together one waits for the other."""
    connection.isolation_level = None
    connection.execute("BEGIN IMMEDIATE")
    (pages,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if pages == 0 and _marks(connection) == (0, 0):
        connection.execute(_TABLE)
        connection.execute(f"PRAGMA application_id = {_MARK}")
        connection.execute(f"PRAGMA user_version = {_VERSION}")
    connection.execute("COMMIT")
    connection.isolation_level = "DEFERRED"


def _check(connection: sqlite3.Connection, path: Path) -> None:
    mark, version = _marks(connection)
    if mark != _MARK:
        raise _foreign(path, "it belongs to something else")
    if version != _VERSION:
        raise _foreign(path, f"it has version {version}, and this rocm-perf knows {_VERSION}")


def _marks(connection: sqlite3.Connection) -> tuple[int, int]:
    (mark,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(mark), int(version)


def _foreign(path: Path, why: str) -> RecordingError:
    return RecordingError(f"{path} is not a history: {why}", "name another file: --db FILE")
