"""Bundles: several targets, several translation units, compressed or not."""

from __future__ import annotations

import struct
import zlib

import pytest
from codeobject_builder import HOST, bundle, code_object, hip_bundle, host_program

from rocm_perf_lab.codeobject import compression, read_code_objects
from rocm_perf_lab.errors import CodeObjectError

CODE = code_object()
PAGE = 4096


def compressed(plain: bytes, version: int = 2, method: int = 0, claim: int | None = None) -> bytes:
    packed = zlib.compress(plain)
    size = len(plain) if claim is None else claim
    layout, header = {1: ("<IQ", 20), 2: ("<IIQ", 24), 3: ("<QQQ", 32)}[version]
    numbers = [size, 0] if version == 1 else [header + len(packed), size, 0]
    return b"CCOB" + struct.pack("<HH", version, method) + struct.pack(layout, *numbers) + packed


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % PAGE)


def test_host_entries_are_passed_over() -> None:
    assert len(read_code_objects(hip_bundle(CODE, CODE))) == 2


def test_bundles_of_several_translation_units() -> None:
    section = padded(hip_bundle(CODE)) + padded(hip_bundle(CODE, CODE)) + hip_bundle(CODE)
    assert len(read_code_objects(host_program(section))) == 4
    assert len(read_code_objects(section)) == 4


@pytest.mark.parametrize("version", [1, 2, 3])
def test_compressed_bundles(version: int) -> None:
    section = padded(compressed(hip_bundle(CODE), version)) + compressed(hip_bundle(CODE), version)
    objects = read_code_objects(section)
    assert len(objects) == 2
    assert objects[0].data == CODE
    mixed = padded(hip_bundle(CODE)) + compressed(hip_bundle(CODE), version)
    assert len(read_code_objects(mixed)) == 2


@pytest.mark.parametrize(
    ("blob", "part"),
    [
        (compressed(hip_bundle(CODE), method=7), "unknown method 7"),
        (b"CCOB" + struct.pack("<HH", 9, 0) + bytes(40), "unknown version 9"),
        (b"CCOB\x02", "truncated"),
        (compressed(hip_bundle(CODE))[:20], "truncated"),
        (compressed(hip_bundle(CODE))[:-5], "truncated"),
        (compressed(hip_bundle(CODE), claim=10), "its size is wrong"),
        (compressed(hip_bundle(CODE), version=3, claim=1 << 60), "cannot hold"),
        (compressed(b"something else"), "not an offload bundle"),
        (compressed(hip_bundle(CODE))[:24] + bytes(3000), "damaged|truncated|size"),
    ],
)
def test_damaged_compressed_bundles(blob: bytes, part: str) -> None:
    with pytest.raises(CodeObjectError, match=part):
        read_code_objects(blob)


def test_zstandard_without_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compression, "_zstd_library", lambda: None)
    with pytest.raises(CodeObjectError, match="libzstd") as caught:
        read_code_objects(compressed(hip_bundle(CODE), method=1))
    assert "--no-offload-compress" in (caught.value.next_step or "")


def test_zstandard_of_damaged_data() -> None:
    with pytest.raises(CodeObjectError, match=r"damaged|libzstd"):
        read_code_objects(compressed(hip_bundle(CODE), method=1))


def test_bundle_without_linked_code() -> None:
    blob = bundle({HOST: b"", "hip-amdgcn-amd-amdhsa--gfx942": b"BC\xc0\xde"})
    with pytest.raises(CodeObjectError, match=r"no linked GPU code \(only hip-amdgcn"):
        read_code_objects(blob)
    with pytest.raises(CodeObjectError, match="no linked GPU code"):
        read_code_objects(bundle({HOST: b""}))


def test_host_code_in_a_device_entry_is_refused() -> None:
    with pytest.raises(CodeObjectError, match="not of an AMD GPU"):
        read_code_objects(hip_bundle(host_program(None)))


def test_a_section_without_bundles() -> None:
    with pytest.raises(CodeObjectError, match="no offload bundle"):
        read_code_objects(host_program(bytes(100)))


@pytest.mark.parametrize("count", [1 << 20, 1 << 63])
def test_absurd_entry_counts(count: int) -> None:
    blob = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", count) + bytes(1000)
    with pytest.raises(CodeObjectError, match="does not fit"):
        read_code_objects(blob)


def test_entries_that_share_bytes_are_refused() -> None:
    """A hundred entries over one range would make a hundred copies of it."""
    entry = struct.pack("<QQQ", 0, 3000, 1) + b"d"
    blob = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", 100) + entry * 100 + bytes(500)
    with pytest.raises(CodeObjectError, match="overlap"):
        read_code_objects(blob)
