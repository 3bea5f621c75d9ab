"""Recordings compressed with gzip or Zstandard read as they were; cut ones are refused."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path
from typing import Callable

import numpy as np
import pytest
import zstandard

from fakes.trace_samples import sample_trace
from rocm_perf_lab.errors import RecordingError, ToolMissing
from rocm_perf_lab.trace.csv.writer import write_csv
from rocm_perf_lab.trace.files.packed import open_plain
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.rocpd.writer import write_rocpd
from rocm_perf_lab.trace.rocprof_json.writer import write_json

Pack = Callable[[bytes], bytes]
PACKERS = [("gz", gzip.compress), ("zst", zstandard.compress)]


def written(folder: Path, kind: str) -> list[Path]:
    folder.mkdir()
    if kind == "csv":
        return write_csv(sample_trace(), folder)
    path = folder / f"1_results.{kind}"
    (write_rocpd if kind == "db" else write_json)(sample_trace(), path)
    return [path]


@pytest.mark.parametrize("kind", ["db", "json", "csv"])
@pytest.mark.parametrize(("end", "pack"), PACKERS)
def test_every_format(tmp_path: Path, kind: str, end: str, pack: Pack) -> None:
    plain = load([tmp_path / "plain"]) if written(tmp_path / "plain", kind) else None
    for file in written(tmp_path / "packed", kind):
        file.with_name(f"{file.name}.{end}").write_bytes(pack(file.read_bytes()))
        file.unlink()
    packed = load([tmp_path / "packed"])
    assert plain is not None
    assert np.array_equal(packed.dispatches.start, plain.dispatches.start)
    assert packed.kernels == plain.kernels
    assert [packed.api_arguments(row) for row in range(len(packed.api_calls))] == [
        plain.api_arguments(row) for row in range(len(plain.api_calls))
    ]
    assert str(tmp_path / "packed") in packed.processes[0].source


@pytest.mark.parametrize("kind", ["db", "json", "csv"])
@pytest.mark.parametrize(("end", "pack"), PACKERS)
def test_cut(tmp_path: Path, kind: str, end: str, pack: Pack) -> None:
    file = next(f for f in written(tmp_path / "a", kind) if kind != "csv" or "kernel" in f.name)
    path = tmp_path / f"{file.name}.{end}"
    path.write_bytes(pack(file.read_bytes() * (50 if kind == "csv" else 1))[:-20])
    with pytest.raises(RecordingError, match=r"cut or damaged|not complete JSON|cannot be read"):
        load([path])


def test_several_frames_are_one_file(tmp_path: Path) -> None:
    path = tmp_path / "x.zst"
    path.write_bytes(zstandard.compress(b"one") + zstandard.compress(b"two" * 1000))
    with open_plain(path) as stream:
        assert stream.read(4) == b"onet"
        assert stream.read() == b"wo" + b"two" * 999


def test_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "1_results.db.zst"
    path.write_bytes(zstandard.compress(b"SQLite format 3\0" + bytes(100)))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(ToolMissing, match="compressed with Zstandard") as caught:
        load([path])
    assert "rocm-perf-lab[zstd]" in (caught.value.next_step or "")
