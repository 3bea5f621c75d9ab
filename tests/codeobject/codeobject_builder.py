"""Code objects, bundles and host programs put together byte by byte, without a compiler."""

from __future__ import annotations

import struct
from typing import Any, Optional

import msgpack

EM_AMDGPU, EM_X86_64 = 224, 62
GFX942 = 0x4C
ABI_V5 = 3
ET_REL, ET_DYN = 1, 3
HEADER_SIZE = 64


def kernel_metadata(name: str = "scale", **changes: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {
        ".name": name,
        ".symbol": f"{name}.kd",
        ".vgpr_count": 131,
        ".agpr_count": 31,
        ".sgpr_count": 36,
        ".group_segment_fixed_size": 4096,
        ".private_segment_fixed_size": 16,
        ".kernarg_segment_size": 280,
        ".kernarg_segment_align": 8,
        ".wavefront_size": 64,
        ".max_flat_workgroup_size": 256,
        ".sgpr_spill_count": 1,
        ".vgpr_spill_count": 2,
        ".args": [
            {".name": "x", ".offset": 0, ".size": 8, ".value_kind": "global_buffer",
             ".address_space": "global", ".is_const": True},
            {".offset": 8, ".size": 4, ".value_kind": "by_value"},
            {".offset": 16, ".size": 4, ".value_kind": "hidden_block_count_x"},
        ],
    }  # fmt: skip
    fields.update(changes)
    return {key: value for key, value in fields.items() if value is not None}


def metadata(*kernels: dict[str, Any], **changes: Any) -> dict[str, Any]:
    document: dict[str, Any] = {
        "amdhsa.version": [1, 2],
        "amdhsa.target": "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-",
        "amdhsa.kernels": list(kernels),
    }
    document.update(changes)
    return {key: value for key, value in document.items() if value is not None}


def descriptor(
    *, rsrc1: int = 16 | 4 << 6, rsrc2: int = 0, rsrc3: int = 24, properties: int = 8,
    preload: int = 0, group: int = 4096, private: int = 16, kernarg: int = 280, entry: int = 64,
) -> bytes:  # fmt: skip
    """Defaults: 136 registers of which 100 arch, 48 SGPRs."""
    head = struct.pack("<IIIIq", group, private, kernarg, 0, entry)
    return head + bytes(20) + struct.pack("<IIIHHI", rsrc3, rsrc1, rsrc2, properties, preload, 0)


def note(content: bytes, owner: bytes = b"AMDGPU\0", kind: int = 32) -> bytes:
    padded_owner = owner + bytes(-len(owner) % 4)
    head = struct.pack("<III", len(owner), len(content), kind)
    return head + padded_owner + content + bytes(-len(content) % 4)


def code_object(
    document: Optional[dict[str, Any]] = None,
    descriptors: Optional[dict[str, bytes]] = None,
    *,
    flags: int = GFX942 | 0x200 | 0xC00,  # xnack off, sramecc on
    abi_version: int = ABI_V5,
    elf_type: int = ET_DYN,
    raw_note: Optional[bytes] = None,
) -> bytes:
    """A code object whose whole file is one segment, loaded at 0x1000."""
    if document is None:
        document = metadata(kernel_metadata())
    if descriptors is None:
        descriptors = {"scale": descriptor()}
    base = 0x1000 if elf_type == ET_DYN else 0
    names, symbols, code = b"\0", bytes(24), b""
    code_at = HEADER_SIZE + 2 * 56
    for name, body in descriptors.items():
        for symbol_name, kind, size, at in (
            (name + ".kd", 1, 64, len(code)),
            (name, 2, 32, len(code) + 64),
        ):
            value = at if elf_type == ET_REL else base + code_at + at
            symbols += struct.pack("<IBBHQQ", len(names), 0x10 | kind, 0, 2, value, size)
            names += symbol_name.encode() + b"\0"
        code += body + bytes(32)
    note_bytes = note(msgpack.packb(document)) if raw_note is None else raw_note
    return elf_image(
        [
            (".note", 7, note_bytes, 0),
            (".text", 1, code, 0),
            (".dynsym", 11, symbols, 4),
            (".dynstr", 3, names, 0),
        ],
        flags=flags,
        abi_version=abi_version,
        elf_type=elf_type,
        base=base,
        first=".text",
    )


def elf_image(
    sections: list[tuple[str, int, bytes, int]],
    *,
    machine: int = EM_AMDGPU,
    flags: int = 0,
    abi_version: int = 0,
    elf_type: int = ET_DYN,
    base: int = 0x1000,
    first: Optional[str] = None,
) -> bytes:
    """``sections``: (name, type, contents, link). ``first`` is placed right behind the headers."""
    ordered = sorted(sections, key=lambda section: section[0] != first)
    names = b"\0"
    name_at = {}
    for name, *_ in [*sections, (".shstrtab",)]:
        name_at[name] = len(names)
        names += name.encode() + b"\0"
    body, place = b"", {}
    start = HEADER_SIZE + 2 * 56
    for name, _, contents, _ in [*ordered, (".shstrtab", 3, names, 0)]:
        place[name] = (start + len(body), len(contents))
        body += contents
    table_at = start + len(body)
    headers = bytes(64)
    for name, kind, _, link in [*sections, (".shstrtab", 3, names, 0)]:
        offset, size = place[name]
        headers += struct.pack(
            "<IIQQQQIIQQ", name_at[name], kind, 0, base + offset, offset, size, link, 0, 1, 0
        )
    total = table_at + len(headers)
    note_at = place.get(".note", (0, 0))
    segments = struct.pack("<IIQQQQQQ", 1, 5, 0, base, base, total, total, 4096)
    segments += struct.pack("<IIQQQQQQ", 4, 4, note_at[0], 0, 0, note_at[1], note_at[1], 4)
    ident = b"\x7fELF" + bytes([2, 1, 1, 64, abi_version]) + bytes(7)
    head = ident + struct.pack(
        "<HHIQQQIHHHHHH", elf_type, machine, 1, 0, HEADER_SIZE, table_at, flags, 64, 56, 2, 64,
        len(sections) + 2, len(sections) + 1,
    )  # fmt: skip
    return head + segments + body + headers


def bundle(entries: dict[str, bytes]) -> bytes:
    table_size = 32 + sum(24 + len(name) for name in entries)
    table, body = b"", b""
    for name, data in entries.items():
        table += struct.pack("<QQQ", table_size + len(body), len(data), len(name)) + name.encode()
        body += data
    return b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(entries)) + table + body


HOST = "host-x86_64-unknown-linux--"
DEVICE = "hipv4-amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-"


def hip_bundle(*device_code: bytes) -> bytes:
    entries = {HOST: b""}
    entries.update({f"{DEVICE}{'' if n == 0 else n}": code for n, code in enumerate(device_code)})
    return bundle(entries)


def host_program(fat_binary: Optional[bytes]) -> bytes:
    sections = [(".text", 1, b"\xc3", 0)]
    if fat_binary is not None:
        sections.append((".hip_fatbin", 1, fat_binary, 0))
    return elf_image(sections, machine=EM_X86_64)
