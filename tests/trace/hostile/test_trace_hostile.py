"""Whatever is fed in: a Trace, or one clear error. Never another exception."""

from __future__ import annotations

import functools
import json
import sqlite3
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fakes.damage import damaged, flips, load_or_explain
from fakes.kineto_samples import small_trace
from fakes.small_files import document
from fakes.trace_samples import sample_trace
from rocm_perf_lab.errors import RecordingError
from rocm_perf_lab.trace.csv.writer import write_csv
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.rocpd.writer import write_rocpd

fuzz = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@functools.cache
def valid(kind: str) -> bytes:
    """The bytes of a valid recording of each format."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "1_results.db")
        if kind == "db":
            write_rocpd(sample_trace(), path)
            return path.read_bytes()
        if kind == "json":
            return json.dumps(document()).encode()
        if kind == "kineto":
            return small_trace().write(Path(folder, "trace.json")).read_bytes()
        files = write_csv(sample_trace(), Path(folder))
        return next(file for file in files if kind in file.name).read_bytes()


@fuzz
@given(changes=flips, keep=st.sampled_from([1.0, 1.0, 1.0, 0.99, 0.7, 0.3, 0.01]))
def test_damaged_databases(tmp_path: Path, changes: list[tuple[float, int]], keep: float) -> None:
    path = tmp_path / "1_results.db"
    path.write_bytes(damaged(valid("db"), changes, keep))
    load_or_explain(path)


@fuzz
@given(changes=flips, page=st.integers(0, 60))
def test_damaged_pages(tmp_path: Path, changes: list[tuple[float, int]], page: int) -> None:
    """All flips into one page: structures that agree with each other break more deeply."""
    data = bytearray(valid("db"))
    start = 4096 * (page % (len(data) // 4096))
    for place, value in changes:
        data[start + min(int(place * 200), 4095)] = value
    path = tmp_path / "1_results.db"
    path.write_bytes(data)
    load_or_explain(path)


@fuzz
@given(
    kind=st.sampled_from(
        ["json", "kineto", "kernel_trace", "counter_collection", "hip_api", "agent_info"]
    ),
    changes=flips,
    keep=st.floats(0, 1),
    full=st.booleans(),
)
def test_damaged_text(
    tmp_path: Path, kind: str, changes: list[tuple[float, int]], keep: float, full: bool
) -> None:
    names = {"json": "1_results.json", "kineto": "trace.json"}
    path = tmp_path / names.get(kind, f"1_{kind}.csv")
    path.write_bytes(damaged(valid(kind), changes, 1.0 if full else keep))
    load_or_explain(path)


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "1_results.db"
    path.write_bytes(b"")
    with pytest.raises(RecordingError, match="is empty"):
        load([path])
    with pytest.raises(RecordingError):
        load([tmp_path])


def test_a_file_of_something_else(tmp_path: Path) -> None:
    path = tmp_path / "1_results.db"
    path.write_bytes(b"\x89PNG" + bytes(5000))
    with pytest.raises(RecordingError, match="not a rocprofv3 recording"):
        load([path])


def test_a_database_of_something_else(tmp_path: Path) -> None:
    path = tmp_path / "1_results.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE moz_places (id INTEGER)")
    connection.commit()
    connection.close()
    with pytest.raises(RecordingError, match="no rocprofv3 recording in it"):
        load([path])


def test_a_truncated_database(tmp_path: Path) -> None:
    path = tmp_path / "1_results.db"
    path.write_bytes(valid("db")[: len(valid("db")) // 2])
    with pytest.raises(RecordingError) as caught:
        load([path])
    assert "damaged or was not finished" in caught.value.cause
    assert "record again" in (caught.value.next_step or "")


def test_a_large_sparse_file_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "1_results.db"
    with open(path, "wb") as stream:
        stream.truncate(10 << 30)
    with pytest.raises(RecordingError, match="not a rocprofv3 recording"):
        load([path])


def test_a_database_with_a_sparse_tail(tmp_path: Path) -> None:
    path = tmp_path / "1_results.db"
    path.write_bytes(valid("db"))
    with open(path, "r+b") as stream:
        stream.truncate(10 << 30)
    load_or_explain(path)


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "1_results.db"
    path.write_bytes(valid("db"))

    def refuse(*_arguments: object, **_options: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)  # root, as in containers, may read every file
    with pytest.raises(RecordingError, match="Permission denied"):
        load([path])


def test_a_device_is_no_recording() -> None:
    with pytest.raises(RecordingError, match="neither a file nor a folder"):
        load([Path("/dev/null")])


def test_a_loop_of_links_does_not_hang(tmp_path: Path) -> None:
    (tmp_path / "again").symlink_to(tmp_path, target_is_directory=True)
    write_rocpd(sample_trace(), tmp_path / "1_results.db")
    assert len(load([tmp_path]).dispatches) == 3
