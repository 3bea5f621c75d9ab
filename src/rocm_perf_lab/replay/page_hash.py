"""Hashes of a capture's files. Memory is mostly zeros and sparse: only the rest is read."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from rocm_perf_lab.replay.capture_schema import PAGE_BYTES, FileRecord

_CHUNK = 8 << 20  # a multiple of the page


def file_record(path: Path, *, sparse: bool) -> FileRecord:
    """Size and hash of a file; ``sparse``: by its pages that are not all zero."""
    with path.open("rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        digest = _page_digest(file.fileno(), size) if sparse else _plain_digest(file.fileno())
    return FileRecord(size=size, sha256=digest)


def _plain_digest(descriptor: int) -> str:
    digest = hashlib.sha256()
    for chunk in iter(lambda: os.read(descriptor, _CHUNK), b""):
        digest.update(chunk)
    return digest.hexdigest()


def _page_digest(descriptor: int, size: int) -> str:
    digest = hashlib.sha256()
    numbers = []
    for offset in _chunks_with_data(descriptor, size):
        content = np.frombuffer(os.pread(descriptor, _CHUNK, offset), dtype=np.uint8)
        whole = content.size // PAGE_BYTES
        pages = content[: whole * PAGE_BYTES].reshape(whole, PAGE_BYTES)
        used = np.flatnonzero(pages.view(np.uint64).any(axis=1))
        digest.update(pages[used].tobytes())
        numbers.append(used.astype("<u8") + offset // PAGE_BYTES)
        rest = content[whole * PAGE_BYTES :]
        if rest.any():
            digest.update(rest.tobytes())
            numbers.append(np.array([offset // PAGE_BYTES + whole], dtype="<u8"))
    for part in numbers:
        digest.update(part.tobytes())
    return digest.hexdigest()


def _chunks_with_data(descriptor: int, size: int) -> Iterator[int]:
    """Offsets, multiples of the chunk, of all parts that are not holes."""
    offset = 0
    while offset < size:
        try:
            data = os.lseek(descriptor, offset, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:  # nothing but a hole follows
                return
            raise
        offset = data // _CHUNK * _CHUNK if data >= offset + _CHUNK else offset
        yield offset
        offset += _CHUNK
