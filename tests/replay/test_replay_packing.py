"""Compressed captures: small on disk, replayed like others, damage named."""

from __future__ import annotations

from pathlib import Path

import pytest
from replay_support import Bench, needs_replay

from rocm_perf_lab.errors import CaptureDamaged
from rocm_perf_lab.replay.files.packing import SUFFIX, pack, unpacked

pytest.importorskip("zstandard", reason="not installed: pip install zstandard")

PIECE = 256 << 10


def packed_file(folder: Path, content: bytes) -> Path:
    (folder / "memory").mkdir()
    (folder / "memory" / "a.bin").write_bytes(content)
    pack(folder, ["memory/a.bin"])
    assert not (folder / "memory" / "a.bin").exists()
    return folder / "memory" / f"a.bin{SUFFIX}"


@pytest.mark.parametrize(
    "content",
    [b"", b"\0" * 5, b"x", b"\0" * (3 * PIECE) + b"end", b"begin" + b"\0" * (2 * PIECE + 1)],
)
def test_what_was_packed_comes_back(tmp_path: Path, content: bytes) -> None:
    packed_file(tmp_path, content)
    with unpacked(tmp_path, {"memory/a.bin": len(content)}) as plain:
        assert plain is not None
        assert (plain / "memory" / "a.bin").read_bytes() == content
    assert not plain.exists()


def test_zeros_are_holes_again(tmp_path: Path) -> None:
    size = 64 << 20
    packed_file(tmp_path, b"\0" * size)
    with unpacked(tmp_path, {"memory/a.bin": size}) as plain:
        assert plain is not None
        status = (plain / "memory" / "a.bin").stat()
        assert (status.st_size, status.st_blocks) == (size, 0)


def test_no_more_is_unpacked_than_the_manifest_says(tmp_path: Path) -> None:
    packed_file(tmp_path, b"x" * 10 * PIECE)
    with (
        pytest.raises(CaptureDamaged, match="holds more than the manifest says"),
        unpacked(tmp_path, {"memory/a.bin": 100}),
    ):
        pass


def test_a_file_that_nobody_lists_is_refused(tmp_path: Path) -> None:
    packed_file(tmp_path, b"x")
    with pytest.raises(CaptureDamaged, match="does not belong"), unpacked(tmp_path, {}):
        pass


def test_damage_is_named(tmp_path: Path) -> None:
    packed_file(tmp_path, bytes(range(256)) * 100).write_bytes(b"not zstandard at all")
    with (
        pytest.raises(CaptureDamaged, match="no whole Zstandard file"),
        unpacked(tmp_path, {"memory/a.bin": 25600}),
    ):
        pass


def test_plain_captures_stay_where_they_are(tmp_path: Path) -> None:
    with unpacked(tmp_path, {}) as plain:
        assert plain is None


class TestWholeCaptures:
    pytestmark = needs_replay

    @pytest.fixture
    def compressed(self, bench: Bench, tmp_path: Path) -> Path:
        folder = tmp_path / "packed"
        options = ("--kernel", "update", "--dispatch", 2, "--out", folder, "--compress")
        words = ("isolate", "--rocm", bench.rocm, *options, "--", bench.program, "in_place")
        code, _, err = bench.rocm_perf(*words)
        assert code == 0, err
        return folder

    def test_replay_is_equal(self, bench: Bench, compressed: Path) -> None:
        assert list(compressed.rglob("*.bin.zst"))
        assert [path.name for path in compressed.rglob("*.bin")] == ["kernarg.bin"]
        code, document = bench.replay("run", compressed)
        assert code == 0
        assert document["verification"]["verdict"] == "equal"

    def test_an_export_is_plain(self, bench: Bench, compressed: Path, tmp_path: Path) -> None:
        code, _, err = bench.rocm_perf("replay", "export", compressed, "--to", tmp_path / "plain")
        assert code == 0, err
        assert not list((tmp_path / "plain").rglob("*.zst"))
        code, document = bench.replay("run", tmp_path / "plain" / "capture")
        assert document["verification"]["verdict"] == "equal"

    def test_a_cut_file_is_truncated(self, bench: Bench, compressed: Path) -> None:
        path = max(compressed.rglob("*.zst"), key=lambda file: file.stat().st_size)
        path.write_bytes(path.read_bytes()[:-4])
        code, _, err = bench.rocm_perf("replay", "run", "--rocm", bench.rocm, compressed)
        assert code in (5, 10)
        assert path.name[:-4] in err
