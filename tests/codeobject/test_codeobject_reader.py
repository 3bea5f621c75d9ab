"""What is read from well-formed code objects, and what a user is told about other files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from codeobject_builder import (
    ET_REL,
    GFX942,
    code_object,
    descriptor,
    hip_bundle,
    host_program,
    kernel_metadata,
    metadata,
)

from rocm_perf_lab.arch import load_target
from rocm_perf_lab.codeobject import KernelInfo, read_code_objects
from rocm_perf_lab.codeobject.descriptor import parse_descriptor
from rocm_perf_lab.errors import CodeObjectError


def only_kernel(data: bytes) -> KernelInfo:
    (read,) = read_code_objects(data)
    (kernel,) = read.kernels
    return kernel


def test_a_code_object_tells_its_target_and_kernels() -> None:
    (read,) = read_code_objects(code_object(), name="app")
    assert (read.source, read.target, read.target_name) == (
        "app",
        "gfx942:sramecc+:xnack-",
        "gfx942",
    )
    assert (read.abi_version, read.metadata_version) == (3, (1, 2))
    kernel = read.kernel("scale")
    assert kernel is read.kernel("scale.kd") is read.kernels[0]
    assert read.kernel("other") is None


def test_a_kernel_is_described_completely() -> None:
    kernel = only_kernel(code_object())
    # .vgpr_count holds both kinds: 100 arch + 31 accumulation
    assert (kernel.arch_vgpr, kernel.accum_vgpr, kernel.total_vgpr) == (100, 31, 131)
    assert (kernel.sgpr, kernel.lds_bytes, kernel.scratch_bytes) == (36, 4096, 16)
    assert (kernel.sgpr_spills, kernel.vgpr_spills) == (1, 2)
    assert (kernel.kernarg_size, kernel.kernarg_align) == (280, 8)
    assert (kernel.max_workgroup_size, kernel.wave_size) == (256, 64)
    assert kernel.required_workgroup_size is None
    assert [a.value_kind for a in kernel.visible_arguments] == ["global_buffer", "by_value"]
    pointer, _, hidden = kernel.arguments
    assert (pointer.name, pointer.is_pointer, pointer.is_const) == ("x", True, True)
    assert hidden.is_hidden
    assert not kernel.uses_dynamic_lds
    assert kernel.code_size == 32


def test_the_entry_points_at_the_code_behind_the_descriptor() -> None:
    data = code_object()
    kernel = only_kernel(data)
    assert kernel.descriptor is not None
    assert kernel.code_offset is not None
    start = kernel.code_offset - 64
    assert parse_descriptor(data[start : start + 64]) == kernel.descriptor


@pytest.mark.parametrize(
    ("flags", "abi", "expected"),
    [
        (GFX942, 3, "gfx942"),
        (GFX942 | 0x100 | 0x400, 3, "gfx942"),  # any
        (GFX942 | 0x200, 2, "gfx942:xnack-"),
        (GFX942 | 0x300 | 0x800, 3, "gfx942:sramecc-:xnack+"),
        (0x3F | 0x300, 1, "gfx90a:sramecc+:xnack+"),  # code object V3: one bit each
        (0x4F, 4, "gfx950"),
        (0x4A, 3, "gfx1151"),
    ],
)
def test_target_from_the_elf_flags(flags: int, abi: int, expected: str) -> None:
    document = metadata(**{"amdhsa.target": None})
    (read,) = read_code_objects(code_object(document, {}, flags=flags, abi_version=abi))
    assert read.target == expected


def test_missing_accumulation_count_is_taken_from_the_descriptor() -> None:
    document = metadata(kernel_metadata(**{".agpr_count": None}))
    kernel = only_kernel(code_object(document))
    assert (kernel.arch_vgpr, kernel.accum_vgpr) == (100, 31)
    without = only_kernel(code_object(document, {}))
    assert (without.arch_vgpr, without.accum_vgpr, without.descriptor) == (131, 0, None)


def test_the_descriptor_wins_where_hand_written_metadata_contradicts_it() -> None:
    """Seen in published assembly kernels: .vgpr_count without the accumulation registers."""
    document = metadata(
        kernel_metadata(**{".vgpr_count": 252, ".agpr_count": 204, ".sgpr_count": 96})
    )
    body = descriptor(rsrc1=56 | 12 << 6, rsrc3=62)  # 456 registers, 252 of them arch; 112 SGPRs
    kernel = only_kernel(code_object(document, {"scale": body}))
    assert (kernel.arch_vgpr, kernel.accum_vgpr, kernel.total_vgpr) == (252, 204, 456)
    assert kernel.sgpr == 112


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("amdgcn-amd-amdhsa--gfx942", "gfx942"),
        ("amdgcn-amd-amdhsa-unknown-gfx942:sramecc+:xnack-", "gfx942:sramecc+:xnack-"),
        ("amdgpu9.42-amd-amdhsa-unknown-gfx942", "gfx942"),  # of Triton 3.9
        ("amdgcn-amd-amdhsa--gfx9-4-generic:xnack+", "gfx9-4-generic:xnack+"),
        ("gfx942", "gfx942"),
        ("something else", "gfx942:sramecc+:xnack-"),  # the flags of the ELF header
    ],
)
def test_the_triple_before_the_target_does_not_matter(target: str, expected: str) -> None:
    document = metadata(kernel_metadata(), **{"amdhsa.target": target})
    (read,) = read_code_objects(code_object(document))
    assert read.target == expected


def test_targets_without_hardware_facts_can_be_read() -> None:
    document = metadata(kernel_metadata(), **{"amdhsa.target": "amdgcn-amd-amdhsa--gfx906"})
    kernel = only_kernel(code_object(document))
    assert (kernel.arch_vgpr, kernel.accum_vgpr) == (131, 31)  # one file for each kind


def test_relocatable_objects_have_descriptors_but_no_entry_yet() -> None:
    kernel = only_kernel(code_object(elf_type=ET_REL))
    assert kernel.descriptor is not None
    assert kernel.descriptor.kernarg_size == 280
    assert kernel.code_offset is None


def test_a_library_without_kernels_is_a_code_object() -> None:
    (read,) = read_code_objects(code_object(metadata(), {}))
    assert read.kernels == ()
    (bare,) = read_code_objects(code_object(raw_note=b""))
    assert (bare.kernels, bare.target) == ((), "gfx942:sramecc+:xnack-")


def test_files_and_uris(tmp_path: Path) -> None:
    data = code_object()
    path = tmp_path / "my app"
    path.write_bytes(b"x" * 100 + data + b"tail")
    uri = f"file://{str(path).replace(' ', '%20')}#offset=100&size={len(data)}"
    (read,) = read_code_objects(uri)
    assert read.source == uri
    assert read.data == data
    plain = tmp_path / "kernel.co"
    plain.write_bytes(data)
    assert read_code_objects(plain)[0].kernels == read.kernels
    assert read_code_objects(str(plain))[0].kernels == read.kernels


@pytest.mark.parametrize(
    ("uri", "part"),
    [
        ("memory://123#offset=0x7f00&size=10", "memory"),
        ("http://host/file", "not the URI"),
        ("file:///app#offset=x&size=3", "offset"),
        ("file:///app#offset=-1", "offset"),
        ("file:///no/such/file#offset=0&size=3", "No such file"),
    ],
)
def test_uris_that_lead_nowhere(uri: str, part: str) -> None:
    with pytest.raises(CodeObjectError, match=part):
        read_code_objects(uri)


def test_a_file_that_became_shorter_is_named(tmp_path: Path) -> None:
    path = tmp_path / "app"
    path.write_bytes(b"short")
    with pytest.raises(CodeObjectError, match="ends before") as caught:
        read_code_objects(f"file://{path}#offset=0&size=100")
    assert "record again" in (caught.value.next_step or "")


def test_host_programs() -> None:
    objects = read_code_objects(host_program(hip_bundle(code_object())), name="app")
    assert [read.source for read in objects] == [
        "app [hipv4-amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-]"
    ]
    with pytest.raises(CodeObjectError, match="holds no GPU code") as caught:
        read_code_objects(host_program(None), name="script")
    assert "hipcc" in (caught.value.next_step or "")


@pytest.mark.parametrize("data", [b"", b"#!/bin/sh\n", b"\x7fEL", b"BC\xc0\xde"])
def test_other_files(data: bytes) -> None:
    with pytest.raises(CodeObjectError, match="neither an ELF file nor"):
        read_code_objects(data)


def test_directories_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CodeObjectError, match="cannot read"):
        read_code_objects(tmp_path)


# rsrc1 bits 5:0 count registers in encoding granules, bits 9:6 SGPRs
@pytest.mark.parametrize(
    ("target", "fields", "total", "arch", "accum", "sgprs"),
    [
        ("gfx942", {"rsrc1": 63 | 12 << 6, "rsrc3": 31}, 512, 128, 384, 112),
        ("gfx942", {"rsrc1": 0, "rsrc3": 0}, 8, 4, 4, 16),
        ("gfx90a", {"rsrc1": 15 | 9 << 6, "rsrc3": 30}, 128, 124, 4, 80),
        ("gfx1030", {"rsrc1": 11, "properties": 1 << 10}, 96, 96, 0, 128),
        ("gfx1030", {"rsrc1": 11}, 48, 48, 0, 128),  # wave64: steps of 4
        ("gfx1100", {"rsrc1": 31, "properties": 1 << 10}, 256, 256, 0, 128),
    ],
)
def test_descriptor_registers(
    target: str, fields: dict[str, Any], total: int, arch: int, accum: int, sgprs: int
) -> None:
    facts = load_target(target)
    parsed = parse_descriptor(descriptor(**fields))
    assert parsed.total_vgprs(facts) == total
    assert parsed.arch_vgprs(facts) == arch
    assert parsed.accum_vgprs(facts) == accum
    assert parsed.sgprs(facts) == sgprs


def test_descriptor_fields() -> None:
    parsed = parse_descriptor(
        descriptor(
            rsrc1=1 << 29,
            rsrc2=1 | 13 << 1 | 2 << 11,
            rsrc3=1 << 16,
            properties=1 << 10 | 1 << 11,
            preload=5 | 3 << 7,
            entry=-256,
        )
    )
    assert (parsed.wave_size, parsed.uses_dynamic_stack) == (32, True)
    assert (parsed.user_sgprs, parsed.uses_scratch, parsed.workitem_id_dimensions) == (13, True, 3)
    assert (parsed.wgp_mode, parsed.tg_split) == (True, True)
    assert (parsed.kernarg_preload_length, parsed.kernarg_preload_offset) == (5, 3)
    assert parsed.entry_offset == -256
    assert parsed.total_vgprs(load_target("gfx942")) is None  # no wave32 there


def test_descriptor_of_wrong_size() -> None:
    with pytest.raises(CodeObjectError, match="64 bytes"):
        parse_descriptor(bytes(63))
