"""Captures whose memory is compressed with Zstandard, for keeping and for travelling.

Only memory is packed: ``memory/*.bin`` and ``after/*.bin`` become ``*.bin.zst``. The manifest stays
as it was, with sizes and hashes of the plain files, which are unpacked before anybody reads them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Optional

from rocm_perf_lab.errors import CaptureDamaged, ToolMissing
from rocm_perf_lab.trace.files.temporary import temporary_folder

SUFFIX = ".zst"
_PIECE = 256 << 10
_AGAIN = "capture it again: rocm-perf isolate"


def plain_name(name: str) -> str:
    return name[: -len(SUFFIX)] if name.endswith(SUFFIX) else name


def zstandard() -> ModuleType:
    try:
        import zstandard as module
    except ImportError as error:
        raise ToolMissing(
            "compressed captures need the Python package zstandard", "pip install zstandard"
        ) from error
    return module


def pack(folder: Path, names: Iterable[str]) -> None:
    """Replace these files by compressed ones."""
    compressor = zstandard().ZstdCompressor(level=3, threads=-1)
    for name in names:
        plain = folder / name
        with plain.open("rb") as source, (folder / f"{name}{SUFFIX}").open("xb") as target:
            compressor.copy_stream(source, target, size=plain.stat().st_size)
        plain.unlink()


@contextlib.contextmanager
def unpacked(folder: Path, sizes: dict[str, int]) -> Iterator[Optional[Path]]:
    """A temporary folder with the plain files of a packed capture; None for one that is not.

    ``sizes`` of the plain files: no more than that is ever written.
    """
    packed = sorted(path for path in folder.rglob(f"*{SUFFIX}") if path.is_file())
    if not packed:
        yield None
        return
    with temporary_folder("unpacked") as temporary:
        for path in packed:
            name = plain_name(path.relative_to(folder).as_posix())
            if name not in sizes:
                raise CaptureDamaged(f"{name}{SUFFIX} does not belong to the capture", _AGAIN)
            target = Path(temporary) / name
            target.parent.mkdir(exist_ok=True)
            _unpack(path, target, sizes[name])
        yield Path(temporary)


def _unpack(packed: Path, target: Path, size: int) -> None:
    """Pieces of zeros become holes again."""
    module = zstandard()
    at = 0
    with packed.open("rb") as source, target.open("xb") as plain:
        try:
            reader = module.ZstdDecompressor().stream_reader(source)
            while at <= size and (piece := reader.read(_PIECE)):
                if piece.count(0) != len(piece):
                    plain.seek(at)
                    plain.write(piece[: size - at])
                at += len(piece)
        except module.ZstdError as error:
            raise CaptureDamaged(
                f"{packed.name} is no whole Zstandard file: {error}", _AGAIN
            ) from error
        plain.truncate(min(at, size))
    if at > size:
        raise CaptureDamaged(f"{packed.name} holds more than the manifest says", _AGAIN)
