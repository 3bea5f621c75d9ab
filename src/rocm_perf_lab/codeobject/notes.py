"""The metadata note of a code object: a msgpack map that describes its kernels and arguments."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Optional

import msgpack

from rocm_perf_lab.codeobject.elf import PT_NOTE, SHT_NOTE, ElfFile
from rocm_perf_lab.errors import CodeObjectError

_OWNER = b"AMDGPU"
_METADATA_TYPE = 32  # NT_AMDGPU_METADATA
_NOTE_HEADER = struct.Struct("<III")
# Behind the triple, whose parts compilers spell differently and may leave empty:
# "amdgcn-amd-amdhsa--gfx942:xnack-", "amdgpu9.42-amd-amdhsa-unknown-gfx942".
_PROCESSOR = re.compile(r"(?:^|-)(gfx.*)$")
HIDDEN_PREFIX = "hidden_"


@dataclass(frozen=True)
class KernelArgument:
    """One kernel argument; the compiler adds hidden ones (block counts, group sizes, ...)."""

    offset: int
    size: int
    value_kind: str  # by_value, global_buffer, dynamic_shared_pointer, hidden_block_count_x, ...
    name: Optional[str] = None
    type_name: Optional[str] = None
    address_space: Optional[str] = None
    access: Optional[str] = None
    actual_access: Optional[str] = None
    is_const: bool = False
    is_restrict: bool = False
    is_volatile: bool = False

    @property
    def is_hidden(self) -> bool:
        return self.value_kind.startswith(HIDDEN_PREFIX)

    @property
    def is_pointer(self) -> bool:
        return self.value_kind in ("global_buffer", "dynamic_shared_pointer")


@dataclass(frozen=True)
class KernelMetadata:
    """What the compiler wrote down about one kernel; ``None`` is what it did not write."""

    name: str
    symbol: str
    vgpr_count: int  # on gfx90a and later CDNA arch and accumulation registers together
    sgpr_count: int
    group_segment_size: int
    private_segment_size: int
    kernarg_size: int
    kernarg_align: int
    wave_size: int
    max_workgroup_size: int
    agpr_count: Optional[int] = None
    sgpr_spills: Optional[int] = None
    vgpr_spills: Optional[int] = None
    required_workgroup_size: Optional[tuple[int, ...]] = None
    wgp_mode: Optional[bool] = None
    uses_dynamic_stack: Optional[bool] = None
    language: Optional[str] = None
    arguments: tuple[KernelArgument, ...] = ()


@dataclass(frozen=True)
class Metadata:
    version: tuple[int, ...]
    target: Optional[str]  # "gfx942:sramecc+:xnack-", without the triple
    kernels: tuple[KernelMetadata, ...]


def read_metadata(elf: ElfFile) -> Optional[Metadata]:
    """The metadata of a code object, ``None`` when it has no such note."""
    for owner, kind, content in _notes(elf):
        if owner == _OWNER and kind == _METADATA_TYPE:
            return _metadata(_Fields(_unpack(content), "metadata"))
    return None


def _notes(elf: ElfFile) -> Iterator[tuple[bytes, int, bytes]]:
    for segment in elf.segments:
        if segment.type == PT_NOTE:
            yield from _notes_in(elf.slice(segment.offset, segment.size))
    for section in elf.sections:  # a relocatable object has no segments
        if section.type == SHT_NOTE:
            yield from _notes_in(elf.contents(section))


def _notes_in(data: bytes) -> Iterator[tuple[bytes, int, bytes]]:
    offset = 0
    while offset + _NOTE_HEADER.size <= len(data):
        name_size, size, kind = _NOTE_HEADER.unpack_from(data, offset)
        name_at = offset + _NOTE_HEADER.size
        content_at = name_at + _aligned(name_size)
        if content_at + size > len(data):
            raise CodeObjectError("a note of the ELF file is longer than its section")
        name = data[name_at : name_at + name_size].rstrip(b"\0")
        yield name, kind, data[content_at : content_at + size]
        offset = content_at + _aligned(size)


def _aligned(size: int) -> int:
    return (size + 3) & ~3


def _unpack(content: bytes) -> Any:
    try:
        return msgpack.unpackb(content, strict_map_key=False)
    except (ValueError, TypeError, msgpack.UnpackException) as error:
        raise CodeObjectError(f"the kernel metadata is damaged: {error}") from error


class _Fields:
    """A metadata map whose values are taken only when they have the expected type."""

    def __init__(self, raw: Any, what: str) -> None:
        if not isinstance(raw, Mapping):
            raise CodeObjectError(f"the kernel metadata is damaged: {what} is not a map")
        self._raw = raw
        self._what = what

    def _take(self, key: str, kind: type, default: Any) -> Any:
        value = self._raw.get(key, default)
        if value is default or isinstance(value, kind):
            return value
        raise CodeObjectError(
            f"the kernel metadata is damaged: {key} of {self._what} is a {type(value).__name__}"
        )

    def count(self, key: str, default: Optional[int] = None) -> int:
        value = self.optional_count(key)
        if value is not None:
            return value
        if default is None:
            raise CodeObjectError(f"the kernel metadata is damaged: {self._what} has no {key}")
        return default

    def optional_count(self, key: str) -> Optional[int]:
        value: Optional[int] = self._take(key, int, None)
        if value is not None and value < 0:
            raise CodeObjectError(f"the kernel metadata is damaged: {key} is {value}")
        return value

    def text(self, key: str) -> Optional[str]:
        value: Optional[str] = self._take(key, str, None)
        return value

    def required_text(self, key: str) -> str:
        value = self.text(key)
        if not value:
            raise CodeObjectError(f"the kernel metadata is damaged: {self._what} has no {key}")
        return value

    def flag(self, key: str) -> Optional[bool]:
        value: Optional[int] = self._take(key, int, None)  # written as 0/1 or false/true
        return None if value is None else bool(value)

    def list(self, key: str) -> list[Any]:
        value: list[Any] = self._take(key, list, None) or []
        return value

    def counts(self, key: str) -> tuple[int, ...]:
        values = self.list(key)
        if not all(isinstance(value, int) and value >= 0 for value in values):
            raise CodeObjectError(f"the kernel metadata is damaged: {key} is not a list of counts")
        return tuple(values)


def _metadata(fields: _Fields) -> Metadata:
    processor = _PROCESSOR.search(fields.text("amdhsa.target") or "")
    return Metadata(
        version=fields.counts("amdhsa.version"),
        target=processor[1] if processor else None,
        kernels=tuple(_kernel(entry) for entry in fields.list("amdhsa.kernels")),
    )


def _kernel(raw: Any) -> KernelMetadata:
    name = _Fields(raw, "a kernel").required_text(".name")
    fields = _Fields(raw, f"kernel {name}")
    return KernelMetadata(
        name=name,
        symbol=fields.required_text(".symbol"),
        vgpr_count=fields.count(".vgpr_count"),
        sgpr_count=fields.count(".sgpr_count"),
        group_segment_size=fields.count(".group_segment_fixed_size"),
        private_segment_size=fields.count(".private_segment_fixed_size"),
        kernarg_size=fields.count(".kernarg_segment_size"),
        kernarg_align=fields.count(".kernarg_segment_align"),
        wave_size=fields.count(".wavefront_size"),
        max_workgroup_size=fields.count(".max_flat_workgroup_size"),
        agpr_count=fields.optional_count(".agpr_count"),
        sgpr_spills=fields.optional_count(".sgpr_spill_count"),
        vgpr_spills=fields.optional_count(".vgpr_spill_count"),
        required_workgroup_size=fields.counts(".reqd_workgroup_size") or None,
        wgp_mode=fields.flag(".workgroup_processor_mode"),
        uses_dynamic_stack=fields.flag(".uses_dynamic_stack"),
        language=fields.text(".language"),
        arguments=tuple(_argument(entry, name) for entry in fields.list(".args")),
    )


def _argument(raw: Any, kernel: str) -> KernelArgument:
    fields = _Fields(raw, f"an argument of {kernel}")
    return KernelArgument(
        offset=fields.count(".offset"),
        size=fields.count(".size"),
        value_kind=fields.required_text(".value_kind"),
        name=fields.text(".name"),
        type_name=fields.text(".type_name"),
        address_space=fields.text(".address_space"),
        access=fields.text(".access"),
        actual_access=fields.text(".actual_access"),
        is_const=bool(fields.flag(".is_const")),
        is_restrict=bool(fields.flag(".is_restrict")),
        is_volatile=bool(fields.flag(".is_volatile")),
    )
