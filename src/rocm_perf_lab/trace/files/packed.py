"""Recordings that were compressed to be kept or sent: gzip and Zstandard, known by their content.

Text is unpacked while it is read. A database needs a file with pages to jump to, so it is unpacked
into a private temporary folder, which lasts as long as this process: its arguments are read late.
"""

from __future__ import annotations

import atexit
import contextlib
import gzip
import shutil
import zlib
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, Optional, cast

from rocm_perf_lab.errors import RecordingError, ToolMissing

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
PACKED_ENDINGS = (".gz", ".zst", ".zstd")
_PIECE = 1 << 20
_WITH_GZIP_HEADER = 31


class DamagedPacking(OSError):
    """The file is compressed, and cut or damaged."""


def plain_name(name: str) -> str:
    """The name without the ending of a packer."""
    return next((name[: -len(end)] for end in PACKED_ENDINGS if name.endswith(end)), name)


def packed_or_plain(path: Path) -> Path:
    """The file under its name, or compressed beside where that would be."""
    packed = (path.with_name(path.name + end) for end in PACKED_ENDINGS)
    return path if path.is_file() else next((file for file in packed if file.is_file()), path)


def open_plain(path: Path) -> BinaryIO:
    """The plain bytes of a file, whether it is compressed or not."""
    stream = open(path, "rb")  # noqa: SIM115
    head = stream.read(4)
    stream.seek(0)
    if head.startswith(_GZIP):
        return cast(BinaryIO, _Guarded(cast(BinaryIO, gzip.GzipFile(fileobj=stream)), stream))
    if head == _ZSTD:
        return cast(BinaryIO, _Guarded(cast(BinaryIO, _Zstd(stream)), stream))
    return stream


def is_packed(path: Path) -> bool:
    with open(path, "rb") as stream:
        head = stream.read(4)
    return head.startswith(_GZIP) or head == _ZSTD


def read_head(path: Path, size: int) -> bytes:
    """The first plain bytes of a file; as many as there are if it is cut."""
    with open(path, "rb") as stream:
        head = stream.read(size)
        try:
            if head.startswith(_GZIP):
                return zlib.decompressobj(_WITH_GZIP_HEADER).decompress(head, size)
            if head.startswith(_ZSTD):
                return bytes(_zstd_library(stream).decompressobj().decompress(head)[:size])
        except ToolMissing:
            raise
        except Exception:  # damaged from the start; each unpacker has its own type of error
            return b""
    return head


@cache
def unpacked(path: Path) -> Path:
    """A plain file with the content of ``path``: the file itself if it is not compressed."""
    if not is_packed(path):
        return path
    from rocm_perf_lab.trace.files.temporary import temporary_folder

    opened = contextlib.ExitStack()
    target = opened.enter_context(temporary_folder("unpacked"))
    atexit.register(opened.close)
    plain = target / plain_name(path.name)
    try:
        with open_plain(path) as source, open(plain, "xb") as copy:
            shutil.copyfileobj(source, copy, _PIECE)
    except DamagedPacking as error:
        raise RecordingError(f"{path} {error}", "copy or compress the recording again") from error
    return plain


def _zstd_library(stream: BinaryIO) -> Any:
    try:
        import zstandard
    except ImportError as error:
        raise ToolMissing(
            f"{stream.name} is compressed with Zstandard, and the Python package zstandard is "
            "not installed",
            "pip install 'rocm-perf-lab[zstd]', or unpack the file with: zstd -d FILE",
        ) from error
    return zstandard.ZstdDecompressor()


class _Zstd:
    """The library's own reader takes the end of a cut file for the end of the data."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._new_frame = _zstd_library(stream).decompressobj
        self._frame = self._new_frame()
        self._plain = b""

    def read(self, size: int = -1) -> bytes:
        pieces, have = [self._plain], len(self._plain)
        while (size < 0 or have < size) and (piece := self._more()):
            pieces.append(piece)
            have += len(piece)
        everything = b"".join(pieces)
        cut = len(everything) if size < 0 else size
        self._plain = everything[cut:]
        return everything[:cut]

    def _more(self) -> bytes:
        """Some more plain bytes, none at the end of the file."""
        while True:
            packed = self._stream.read(_PIECE)
            if self._frame.eof:
                packed = self._frame.unused_data + packed
                if not packed:
                    return b""
                self._frame = self._new_frame()
            elif not packed:
                raise EOFError("it ends in the middle of a frame")
            plain = bytes(self._frame.decompress(packed))
            if plain:
                return plain

    def close(self) -> None:
        self._stream.close()


class _Guarded:
    """What all unpackers raise becomes one error, and closing closes the file below too."""

    def __init__(self, unpacker: BinaryIO, below: BinaryIO) -> None:
        self._unpacker = unpacker
        self._below = below

    def read(self, size: int = -1) -> bytes:
        try:
            return self._unpacker.read(size)
        except Exception as error:  # zstandard has an error type of its own, known if installed
            raise DamagedPacking(f"is compressed, but cut or damaged: {error}") from error

    def read1(self, size: int = -1) -> bytes:
        return self.read(_PIECE if size < 0 else size)

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return False

    @property
    def closed(self) -> bool:
        return self._below.closed

    def flush(self) -> None:
        """Asked for when a text wrapper closes; nothing is ever written."""

    def close(self) -> None:
        self._unpacker.close()
        self._below.close()

    def __enter__(self) -> _Guarded:
        return self

    def __exit__(self, *_: Optional[object]) -> None:
        self.close()
