"""One file, many writers; what is not a history is left alone."""

from __future__ import annotations

import sqlite3
import subprocess
from multiprocessing import get_context
from pathlib import Path

import pytest

from fakes.history_samples import profile_of
from rocm_perf_lab.errors import RecordingError, UsageError
from rocm_perf_lab.history.commit import checked_out
from rocm_perf_lab.history.entry import Origin, machine_of
from rocm_perf_lab.history.store import opened


def keep(db: Path, runs: list[float], commit: str) -> int:
    with opened(db, writable=True) as store:
        return store.add(profile_of(runs), Origin(commit))


def test_what_was_kept_comes_back(tmp_path: Path) -> None:
    db = tmp_path / "h.db"
    origin = Origin("abc", True, "-O3", "lab")
    with opened(db, writable=True) as store:
        assert store.add(profile_of([1.0, 2.0, 4.0], {"k": 500.0}), origin) == 1
    with opened(db) as store:
        (entry,) = store.entries()
    assert entry.origin == origin
    assert entry.samples_ms == (1.0, 2.0, 4.0)
    assert entry.median_ms == 2.0
    assert entry.kernels == {"k": 500.0}
    assert entry.command == "./app 1"
    assert entry.quantity == "kernel_time"


def test_the_same_profile_of_the_same_commit_is_kept_once(tmp_path: Path) -> None:
    db = tmp_path / "h.db"
    assert keep(db, [1.0], "a") == keep(db, [1.0], "a") == 1
    assert keep(db, [1.0], "b") == 2
    with opened(db) as store:
        assert len(store.entries()) == 2


def _keep_some(db: Path, writer: int) -> None:
    for number in range(5):
        keep(db, [1.0 + writer, 2.0 + number], "c")


def test_parallel_writers_lose_nothing(tmp_path: Path) -> None:
    """All begin with a file that is not there yet."""
    db = tmp_path / "h.db"
    context = get_context("fork")
    writers = [context.Process(target=_keep_some, args=(db, number)) for number in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    with opened(db) as store:
        entries = store.entries()
    assert [entry.number for entry in entries] == list(range(1, 21))
    assert len({entry.samples_ms for entry in entries}) == 20


@pytest.mark.parametrize("text", [b"", b"no database at all, and longer than a header" * 10])
def test_other_files_are_no_history(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "other.db"
    path.write_bytes(text)
    with pytest.raises(RecordingError, match="is not a history"), opened(path) as store:
        store.entries()
    assert path.read_bytes() == text


@pytest.mark.parametrize("writable", [True, False])
def test_a_database_of_others_is_left_alone(tmp_path: Path, writable: bool) -> None:
    path = tmp_path / "theirs.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE rocpd_info_node (id INTEGER)")
    connection.close()
    before = path.read_bytes()
    told = pytest.raises(RecordingError, match="belongs to something else")
    with told, opened(path, writable=writable):
        pass
    assert path.read_bytes() == before


def test_a_newer_version_is_not_touched(tmp_path: Path) -> None:
    db = tmp_path / "h.db"
    keep(db, [1.0], "a")
    with sqlite3.connect(db) as connection:
        connection.execute("PRAGMA user_version = 2")
    connection.close()
    with pytest.raises(RecordingError, match="it has version 2"):
        keep(db, [2.0], "b")


def test_places_that_do_not_work(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no history") as caught, opened(tmp_path / "no"):
        pass
    assert caught.value.next_step == "rocm-perf history add profile.json"
    with pytest.raises(UsageError, match="cannot open"):
        keep(tmp_path / "nowhere" / "h.db", [1.0], "a")


def test_kernels_of_the_virtual_device_take_as_long_on_any_host(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    virtual, real = profile_of([1.0], kind="virtual"), profile_of([1.0], kind="hardware")
    wall = profile_of([1.0], kind="virtual", quantity="wall_time")
    here = [machine_of(one, None) for one in (virtual, real, wall)]
    monkeypatch.setattr("socket.gethostname", lambda: "elsewhere")
    there = [machine_of(one, None) for one in (virtual, real, wall)]
    assert [a == b for a, b in zip(here, there)] == [True, False, False]
    assert "elsewhere" not in "".join(there)  # compared, never shown
    assert machine_of(real, "lab 3").endswith(" of lab 3")
    assert len(set(here)) == 3


def test_the_commit_of_a_checkout(tmp_path: Path) -> None:
    assert checked_out(tmp_path) == (None, False)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(tmp_path)]
    (tmp_path / "file").write_text("1")
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], check=True)
    commit, dirty = checked_out(tmp_path)
    assert commit is not None
    assert (len(commit), dirty) == (40, False)
    (tmp_path / "untracked").write_text("2")
    assert checked_out(tmp_path) == (commit, False)
    (tmp_path / "file").write_text("2")
    assert checked_out(tmp_path) == (commit, True)
