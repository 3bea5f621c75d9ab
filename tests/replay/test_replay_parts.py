"""The parts of replay that need no device: hashes, plans, tolerances."""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path

import pytest

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.replay.files.page_hash import file_record
from rocm_perf_lab.replay.verify import parse_tolerance

PAGE = 4096
PIECE = 256 << 10
CHUNK = 32 << 20  # that one thread hashes


def write_sparse(path: Path, size: int, pages: dict[int, bytes]) -> None:
    with path.open("wb") as file:
        file.truncate(size)
        for page, content in pages.items():
            file.seek(page * PAGE)
            file.write(content)


def test_the_hash_of_memory_is_as_documented(tmp_path: Path) -> None:
    """Number and hash of every piece that is not zero; the last piece is shorter."""
    pages = {1: b"a" * PAGE, 5000: b"b" * PAGE, 5001: b"cd"}
    write_sparse(tmp_path / "blob", 5001 * PAGE + 2, pages)
    content = (tmp_path / "blob").read_bytes()
    expected = hashlib.sha256()
    for piece in (0, 78):  # of 64 pages
        part = content[piece * PIECE : (piece + 1) * PIECE]
        expected.update(struct.pack("<Q", piece) + hashlib.sha256(part).digest())
    record = file_record(tmp_path / "blob", sparse=True)
    assert record.sha256 == expected.hexdigest()
    assert record.size == 5001 * PAGE + 2


def test_holes_and_written_zeros_are_the_same(tmp_path: Path) -> None:
    size = 3 * CHUNK + 100
    pages = {0: b"x" * PAGE, CHUNK // PAGE + 7: b"y" * PAGE}
    write_sparse(tmp_path / "holes", size, pages)
    (tmp_path / "dense").write_bytes((tmp_path / "holes").read_bytes())
    dense = file_record(tmp_path / "dense", sparse=True)
    assert file_record(tmp_path / "holes", sparse=True) == dense


@pytest.mark.parametrize("moved", [(8, 9), (0, CHUNK // PAGE)])
def test_the_place_of_a_page_counts(tmp_path: Path, moved: tuple[int, int]) -> None:
    records = set()
    for number, page in enumerate(moved):
        write_sparse(tmp_path / str(number), 2 * CHUNK, {page: b"x" * PAGE})
        records.add(file_record(tmp_path / str(number), sparse=True).sha256)
    assert len(records) == 2


def test_an_empty_file_has_a_hash(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    assert file_record(tmp_path / "empty", sparse=True).sha256 == hashlib.sha256().hexdigest()


def test_tolerances() -> None:
    assert str(parse_tolerance("f32:1e-5")) == "f32:1e-05:0"
    assert parse_tolerance("f16:0.01:1e-3").absolute == 1e-3
    for text in ("", "f32", "f8:1", "f32:nan", "f32:1:-1"):
        with pytest.raises(UsageError):
            parse_tolerance(text)
