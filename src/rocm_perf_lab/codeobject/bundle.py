"""Clang offload bundles: several code objects in one blob, plain or compressed.

A plain bundle starts with ``__CLANG_OFFLOAD_BUNDLE__``, a compressed one with ``CCOB``; the linker
puts the bundles of all translation units behind one another, each aligned to a page.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.codeobject.compression import COMPRESSED_MAGIC, decompress_bundle
from rocm_perf_lab.errors import CodeObjectError

BUNDLE_MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
_COUNT = struct.Struct("<Q")
_ENTRY = struct.Struct("<QQQ")


@dataclass(frozen=True)
class BundleEntry:
    id: str  # "hipv4-amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-"
    data: bytes

    @property
    def is_host(self) -> bool:
        return self.id.startswith("host")


def is_bundle(data: bytes) -> bool:
    return data.startswith((BUNDLE_MAGIC, COMPRESSED_MAGIC))


def read_bundles(data: bytes) -> Iterator[BundleEntry]:
    """The entries of every bundle in a blob of one or more of them."""
    position = _next_bundle(data, 0)
    if position is None:
        raise CodeObjectError("there is no offload bundle in this data")
    while position is not None:
        if data.startswith(BUNDLE_MAGIC, position):
            entries, end = _read_plain(data, position)
        else:
            plain, end = decompress_bundle(data, position)
            entries, _ = _read_plain(plain, 0)
        yield from entries
        position = _next_bundle(data, end)


def _next_bundle(data: bytes, start: int) -> Optional[int]:
    """Only padding lies between two bundles, so the next magic is the next bundle."""
    found = [data.find(magic, start) for magic in (BUNDLE_MAGIC, COMPRESSED_MAGIC)]
    return min((position for position in found if position >= 0), default=None)


def _read_plain(data: bytes, start: int) -> tuple[list[BundleEntry], int]:
    """The entries of the bundle at ``start`` and the position behind its last byte."""
    if not data.startswith(BUNDLE_MAGIC, start):
        raise CodeObjectError("the decompressed data is not an offload bundle")
    position = start + len(BUNDLE_MAGIC)
    (count,) = _unpack(_COUNT, data, position)
    position += _COUNT.size
    if count > (len(data) - position) // _ENTRY.size:
        raise CodeObjectError(f"an offload bundle of {count} entries does not fit in its file")
    entries, end, total = [], position, 0
    for _ in range(count):
        offset, size, id_size = _unpack(_ENTRY, data, position)
        position += _ENTRY.size
        total += size
        stop = start + offset + size
        if position + id_size > len(data) or stop > len(data) or total > len(data):
            raise CodeObjectError("the offload bundle is truncated or its entries overlap")
        name = data[position : position + id_size].decode("utf-8", "replace")
        position += id_size
        entries.append(BundleEntry(name, data[start + offset : stop]))
        end = max(end, stop, position)
    return entries, end


def _unpack(layout: struct.Struct, data: bytes, offset: int) -> tuple[int, ...]:
    if offset + layout.size > len(data):
        raise CodeObjectError("the offload bundle is truncated")
    return layout.unpack_from(data, offset)
