"""A reader of 64-bit little-endian ELF that trusts no offset, count or size of the file.

Code objects come out of recordings and other people's binaries, so every access is checked and a
damaged file ends in :class:`~rocm_perf_lab.errors.CodeObjectError`. Only what code objects and fat
binaries need is here: headers, sections, segments and symbols.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Optional

from rocm_perf_lab.errors import CodeObjectError

MAGIC = b"\x7fELF"
EM_AMDGPU = 224
ET_REL = 1
SHT_PROGBITS, SHT_SYMTAB, SHT_NOTE, SHT_NOBITS, SHT_DYNSYM = 1, 2, 7, 8, 11
PT_LOAD, PT_NOTE = 1, 4
STT_FUNC = 2

_ELFCLASS64, _LITTLE_ENDIAN = 2, 1
_HEADER = struct.Struct("<4xBB2xB7xHHIQQQIHHHHHH")  # class, byte order, ABI version first
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_SYMBOL = struct.Struct("<IBBHQQ")


@dataclass(frozen=True)
class Section:
    name: str
    type: int
    address: int
    offset: int
    size: int
    link: int


@dataclass(frozen=True)
class Segment:
    type: int
    offset: int
    address: int
    size: int  # bytes in the file


@dataclass(frozen=True)
class Symbol:
    name: str
    type: int
    section: int
    value: int
    size: int


class ElfFile:
    """The parts of one ELF image held in memory."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        if data[:4] != MAGIC:
            raise CodeObjectError("this is not an ELF file")
        (
            elf_class, byte_order, self.abi_version, self.type, self.machine, _, _, ph_offset,
            sh_offset, self.flags, _, ph_size, ph_count, sh_size, sh_count, self._names_index,
        ) = self._unpack(_HEADER, 0)  # fmt: skip
        if elf_class != _ELFCLASS64 or byte_order != _LITTLE_ENDIAN:
            raise CodeObjectError("only 64-bit little-endian ELF files hold AMD GPU code")
        self.segments = tuple(self._segments(ph_offset, ph_size, ph_count))
        self.sections = tuple(self._sections(sh_offset, sh_size, sh_count))

    def slice(self, offset: int, size: int) -> bytes:
        if offset < 0 or size < 0 or offset + size > len(self.data):
            raise CodeObjectError(
                f"the ELF file is truncated: {size} bytes at offset {offset} are outside its"
                f" {len(self.data)} bytes"
            )
        return self.data[offset : offset + size]

    def contents(self, section: Section) -> bytes:
        return b"" if section.type == SHT_NOBITS else self.slice(section.offset, section.size)

    def section(self, name: str) -> Optional[Section]:
        return next((section for section in self.sections if section.name == name), None)

    def loaded_program(self) -> bytes:
        """Code and constants: no names, notes or line tables, which tell where it was built."""
        loaded = [one for one in self.sections if one.type == SHT_PROGBITS and one.address]
        return b"".join(map(self.contents, loaded))

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """The full symbol table where the file has one, else the dynamic one."""
        for wanted in (SHT_SYMTAB, SHT_DYNSYM):
            for section in self.sections:
                if section.type == wanted:
                    return tuple(self._symbols(section))
        return ()

    def symbol_offset(self, symbol: Symbol) -> int:
        """Where in the file the symbol's bytes are."""
        if self.type == ET_REL:
            if symbol.section >= len(self.sections):
                raise CodeObjectError(f"symbol {symbol.name} is in no section of the file")
            return self.sections[symbol.section].offset + symbol.value
        return self.file_offset(symbol.value)

    def file_offset(self, address: int) -> int:
        """Where in the file the byte is that will be loaded at an address."""
        for segment in self.segments:
            if segment.type == PT_LOAD and 0 <= address - segment.address < segment.size:
                return segment.offset + address - segment.address
        raise CodeObjectError(f"address {address:#x} is in no loaded segment of the ELF file")

    def _unpack(self, layout: struct.Struct, offset: int) -> tuple[int, ...]:
        return layout.unpack(self.slice(offset, layout.size))

    def _table(self, layout: struct.Struct, offset: int, entry: int, count: int) -> bytes:
        if count and entry != layout.size:
            raise CodeObjectError(f"ELF table entries of {entry} bytes, expected {layout.size}")
        return self.slice(offset, layout.size * count)

    def _segments(self, offset: int, entry: int, count: int) -> Iterator[Segment]:
        table = self._table(_SEGMENT, offset, entry, count)
        for kind, _, file_offset, address, _, size, _, _ in _SEGMENT.iter_unpack(table):
            yield Segment(kind, file_offset, address, size)

    def _sections(self, offset: int, entry: int, count: int) -> Iterator[Section]:
        raw = list(_SECTION.iter_unpack(self._table(_SECTION, offset, entry, count)))
        names = b""
        if self._names_index < len(raw):
            names = self.slice(*raw[self._names_index][4:6])
        for name, kind, _, address, file_offset, size, link, *_ in raw:
            yield Section(_text(names, name), kind, address, file_offset, size, link)

    def _symbols(self, section: Section) -> Iterator[Symbol]:
        if section.link >= len(self.sections):
            raise CodeObjectError("the ELF symbol table has no string table")
        names = self.contents(self.sections[section.link])
        table = self.contents(section)
        whole = len(table) // _SYMBOL.size * _SYMBOL.size
        for name, info, _, index, value, size in _SYMBOL.iter_unpack(table[:whole]):
            yield Symbol(_text(names, name), info & 0xF, index, value, size)


def _text(names: bytes, offset: int) -> str:
    end = names.find(b"\0", offset)
    return names[offset : end if end >= 0 else None].decode("utf-8", "replace")
