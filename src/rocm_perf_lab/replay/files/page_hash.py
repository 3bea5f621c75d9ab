"""Hashes of a capture's files. Memory is large and mostly zeros: only the rest is read."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rocm_perf_lab.replay.capture_schema import PIECE_BYTES, FileRecord
from rocm_perf_lab.replay.files.sparse_file import data_extents

_PIECES_PER_TASK = 128
_THREADS = min(4, os.cpu_count() or 1)  # hashing and reading let other threads run
_ZEROS = bytes(PIECE_BYTES)


def file_record(path: Path, *, sparse: bool) -> FileRecord:
    """Size and hash of a file; ``sparse``: by its pieces that are not all zero."""
    with path.open("rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        if sparse:
            digest = _digest_of_pieces(file.fileno())
        else:
            digest = hashlib.sha256(file.readall())
    return FileRecord(size=size, sha256=digest.hexdigest())


def _digest_of_pieces(descriptor: int) -> hashlib._Hash:
    pieces = list(_pieces_with_data(descriptor))
    tasks = [
        (descriptor, pieces[first : first + _PIECES_PER_TASK])
        for first in range(0, len(pieces), _PIECES_PER_TASK)
    ]
    digest = hashlib.sha256()
    if len(tasks) < 2:
        for task in tasks:
            digest.update(_numbers_and_hashes(*task))
        return digest
    with ThreadPoolExecutor(_THREADS) as pool:
        for part in pool.map(lambda task: _numbers_and_hashes(*task), tasks):
            digest.update(part)
    return digest


def _numbers_and_hashes(descriptor: int, pieces: Sequence[int]) -> bytes:
    found = bytearray()
    buffer = bytearray(PIECE_BYTES)  # used again: new memory would cost as much as the reading
    for piece in pieces:
        size = os.preadv(descriptor, [buffer], piece * PIECE_BYTES)
        content = buffer if size == PIECE_BYTES else buffer[:size]
        if content != _ZEROS[:size]:
            found += piece.to_bytes(8, "little") + hashlib.sha256(content).digest()
    return bytes(found)


def _pieces_with_data(descriptor: int) -> Iterator[int]:
    """Numbers of all pieces that do not lie in a hole."""
    following = 0
    for begin, end in data_extents(descriptor):
        first, following = max(begin // PIECE_BYTES, following), -(-end // PIECE_BYTES)
        yield from range(first, following)
