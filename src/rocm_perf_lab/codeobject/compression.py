"""Compressed offload bundles (``CCOB``, ``--offload-compress``): header, zlib and Zstandard."""

from __future__ import annotations

import ctypes
import ctypes.util
import struct
import zlib
from functools import cache
from typing import Any, Optional

from rocm_perf_lab.errors import CodeObjectError

COMPRESSED_MAGIC = b"CCOB"
_PREFIX = struct.Struct("<4sHH")  # magic, version, method
# version -> (layout behind the prefix, position of the blob's size, position of the plain size)
_LAYOUTS: dict[int, tuple[struct.Struct, Optional[int], int]] = {
    1: (struct.Struct("<IQ"), None, 0),
    2: (struct.Struct("<IIQ"), 0, 1),
    3: (struct.Struct("<QQQ"), 0, 1),
}
_ZLIB, _ZSTD = 0, 1
_PAGE = 4096  # alignment of bundles behind one another

# A bundle repeats similar code for many targets; this leaves room for that, not for a bomb.
_LARGEST_RATIO = 1000
_ALWAYS_ALLOWED = 64 << 20


def decompress_bundle(data: bytes, start: int) -> tuple[bytes, int]:
    """The plain bundle of the compressed one at ``start``, and the position behind the latter."""
    if start + _PREFIX.size > len(data):
        raise CodeObjectError("the compressed offload bundle is truncated")
    _, version, method = _PREFIX.unpack_from(data, start)
    if version not in _LAYOUTS:
        raise CodeObjectError(f"compressed offload bundle of unknown version {version}")
    layout, total_at, plain_at = _LAYOUTS[version]
    body = start + _PREFIX.size + layout.size
    if body > len(data):
        raise CodeObjectError("the compressed offload bundle is truncated")
    numbers = layout.unpack_from(data, start + _PREFIX.size)
    end = _end_of_unsized(data, body) if total_at is None else start + numbers[total_at]
    plain_size = numbers[plain_at]
    if not body <= end <= len(data):
        raise CodeObjectError("the compressed offload bundle is truncated")
    if plain_size > max(_ALWAYS_ALLOWED, (end - body) * _LARGEST_RATIO):
        raise CodeObjectError(f"a bundle of {end - body} bytes cannot hold {plain_size} bytes")
    plain = _decompress(method, data[body:end], plain_size)
    if len(plain) != plain_size:
        raise CodeObjectError("the compressed offload bundle is damaged: its size is wrong")
    return plain, end


def _end_of_unsized(data: bytes, body: int) -> int:
    """Version 1 does not say how long it is: it ends where the next one starts."""
    found = data.find(COMPRESSED_MAGIC, body)
    while found >= 0 and found % _PAGE:
        found = data.find(COMPRESSED_MAGIC, found + 1)
    return len(data) if found < 0 else found


def _decompress(method: int, packed: bytes, plain_size: int) -> bytes:
    if method == _ZLIB:
        try:
            return zlib.decompressobj().decompress(packed, plain_size + 1)
        except zlib.error as error:
            raise CodeObjectError(f"the compressed bundle is damaged: {error}") from error
    if method == _ZSTD:
        return _decompress_zstd(packed, plain_size)
    raise CodeObjectError(f"offload bundle compressed by unknown method {method}")


@cache
def _zstd_library() -> Optional[Any]:
    """The system's libzstd: part of every Linux that ROCm runs on, so no package is needed."""
    for name in (ctypes.util.find_library("zstd"), "libzstd.so.1"):
        try:
            library = ctypes.CDLL(name) if name else None
        except OSError:
            continue
        if library is not None:
            library.ZSTD_decompress.restype = ctypes.c_size_t
            library.ZSTD_decompress.argtypes = [
                ctypes.c_void_p,
                ctypes.c_size_t,
                ctypes.c_char_p,
                ctypes.c_size_t,
            ]
            library.ZSTD_isError.argtypes = [ctypes.c_size_t]
            return library
    return None


def _decompress_zstd(packed: bytes, plain_size: int) -> bytes:
    library = _zstd_library()
    if library is None:
        raise CodeObjectError(
            "the GPU code is compressed with Zstandard and libzstd.so.1 is not installed",
            "install libzstd, or build the application with --no-offload-compress",
        )
    plain = ctypes.create_string_buffer(max(plain_size, 1))
    written = library.ZSTD_decompress(plain, plain_size, packed, len(packed))
    if library.ZSTD_isError(written):
        raise CodeObjectError("the compressed offload bundle is damaged")
    return plain.raw[:written]
