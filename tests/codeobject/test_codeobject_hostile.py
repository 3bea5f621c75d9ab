"""Whatever bytes come in: an answer or a CodeObjectError, never another exception."""

from __future__ import annotations

import contextlib
import struct
from typing import Any

import msgpack
import pytest
from codeobject_builder import (
    code_object,
    descriptor,
    hip_bundle,
    host_program,
    kernel_metadata,
    metadata,
    note,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from rocm_perf_lab.codeobject import read_code_objects
from rocm_perf_lab.errors import CodeObjectError

GOOD = code_object()
WHOLE = host_program(hip_bundle(GOOD))
FUZZ = settings(max_examples=400, deadline=None, derandomize=True)


def read_or_refuse(data: bytes) -> None:
    with contextlib.suppress(CodeObjectError):
        read_code_objects(data)


@FUZZ
@given(st.binary(max_size=400))
def test_random_bytes(data: bytes) -> None:
    read_or_refuse(data)
    read_or_refuse(b"\x7fELF" + data)
    read_or_refuse(GOOD[:64] + data)
    read_or_refuse(b"__CLANG_OFFLOAD_BUNDLE__" + data)
    read_or_refuse(b"CCOB" + data)


@pytest.mark.parametrize("whole", [GOOD, WHOLE], ids=["code object", "host program"])
def test_every_truncation(whole: bytes) -> None:
    for length in range(len(whole)):
        read_or_refuse(whole[:length])


@FUZZ
@given(
    st.sampled_from([GOOD, WHOLE]),
    st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.binary(min_size=1, max_size=8)),
             min_size=1, max_size=6),
)  # fmt: skip
def test_overwritten_places(whole: bytes, changes: list[tuple[float, bytes]]) -> None:
    data = bytearray(whole)
    for place, value in changes:
        start = int(place * len(data))
        data[start : start + len(value)] = value
    read_or_refuse(bytes(data))


def test_every_header_field_at_its_largest() -> None:
    for offset in range(16, 64 + 2 * 56):
        for width in (1, 2, 4, 8):
            data = bytearray(GOOD)
            data[offset : offset + width] = b"\xff" * width
            read_or_refuse(bytes(data))


anything = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(max_size=8)
    | st.binary(max_size=8) | st.floats(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)  # fmt: skip


@FUZZ
@given(st.sampled_from(sorted(kernel_metadata())), anything)
def test_metadata_of_any_type(key: str, value: Any) -> None:
    read_or_refuse(code_object(metadata({**kernel_metadata(), key: value})))
    read_or_refuse(code_object(metadata(value)))
    read_or_refuse(code_object(raw_note=note(msgpack.packb(value))))


@FUZZ
@given(st.sampled_from([".offset", ".size", ".value_kind", ".name", ".is_const"]), anything)
def test_arguments_of_any_type(key: str, value: Any) -> None:
    argument = {".offset": 0, ".size": 8, ".value_kind": "by_value", key: value}
    read_or_refuse(code_object(metadata(kernel_metadata(**{".args": [argument]}))))


@FUZZ
@given(st.binary(min_size=64, max_size=64))
def test_descriptors_of_any_bits(data: bytes) -> None:
    read_or_refuse(code_object(descriptors={"scale": data}))


@pytest.mark.parametrize(
    ("raw_note", "part"),
    [
        (note(b"\xc1"), "damaged"),  # a byte that msgpack never uses
        (note(b"\xdd\xff\xff\xff\xff"), "damaged"),  # an array of 4 G entries
        (note(b"\x91" * 5000), "damaged"),  # nested 5000 deep
        (note(b"\x81\x90\x01"), "damaged"),  # a map with a list as key
        (note(b"\x81\xaeamdhsa.version" + b"\x91" * 500 + b"\xa0"), "amdhsa.version"),
        (note(b"\x01"), "not a map"),
        (struct.pack("<III", 7, 0xFFFFFFF0, 32) + b"AMDGPU\0\0", "longer than its section"),
    ],
)
def test_notes_that_lie(raw_note: bytes, part: str) -> None:
    with pytest.raises(CodeObjectError, match=part):
        read_code_objects(code_object(raw_note=raw_note))


def test_foreign_notes_are_passed_over() -> None:
    foreign = note(b"build id", owner=b"GNU\0", kind=3)
    own = note(msgpack.packb(metadata(kernel_metadata())))
    (read,) = read_code_objects(code_object(raw_note=foreign + own))
    assert len(read.kernels) == 1


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({".vgpr_count": None}, "kernel scale has no .vgpr_count"),
        ({".vgpr_count": -1}, ".vgpr_count is -1"),
        ({".name": None}, "a kernel has no .name"),
        ({".args": [{".offset": 0}]}, "an argument of scale has no .size"),
        ({".wavefront_size": "64"}, ".wavefront_size of kernel scale is a str"),
    ],
)
def test_what_is_wrong_is_named(changes: dict[str, Any], part: str) -> None:
    with pytest.raises(CodeObjectError) as caught:
        read_code_objects(code_object(metadata(kernel_metadata(**changes))))
    assert part in caught.value.cause


def test_unknown_machine() -> None:
    document = metadata(**{"amdhsa.target": None})
    with pytest.raises(CodeObjectError, match="unknown AMD GPU in the ELF flags: 0xff"):
        read_code_objects(code_object(document, {}, flags=0xFF))


def test_an_entry_outside_the_file() -> None:
    with pytest.raises(CodeObjectError, match="in no loaded segment"):
        read_code_objects(code_object(descriptors={"scale": descriptor(entry=1 << 40)}))


@pytest.mark.parametrize("position", [4, 5])
def test_other_kinds_of_elf(position: int) -> None:
    data = bytearray(GOOD)
    data[position] = 3 - data[position]  # 32-bit, big-endian
    with pytest.raises(CodeObjectError, match="64-bit little-endian"):
        read_code_objects(bytes(data))
