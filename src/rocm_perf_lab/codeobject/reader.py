"""Code objects from whatever holds them: an ELF image, a bundle, a host program, a URI."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Optional, Union

from rocm_perf_lab.arch.target import Target, load_target
from rocm_perf_lab.codeobject import descriptor as kd
from rocm_perf_lab.codeobject.bundle import is_bundle, read_bundles
from rocm_perf_lab.codeobject.elf import EM_AMDGPU, ET_REL, MAGIC, STT_FUNC, ElfFile, Symbol
from rocm_perf_lab.codeobject.model import CodeObjectFile, KernelInfo
from rocm_perf_lab.codeobject.notes import KernelMetadata, Metadata, read_metadata
from rocm_perf_lab.codeobject.registers import allocated_registers
from rocm_perf_lab.codeobject.target_id import target_from_flags
from rocm_perf_lab.codeobject.uri import FileRange, parse_uri
from rocm_perf_lab.errors import ArchitectureUnknown, CodeObjectError

FAT_BINARY_SECTION = ".hip_fatbin"
_DESCRIPTOR_SUFFIX = ".kd"
_NO_METADATA = Metadata(version=(), target=None, kernels=())


def read_code_objects(
    source: Union[str, os.PathLike[str], bytes], name: Optional[str] = None
) -> tuple[CodeObjectFile, ...]:
    """Every code object in a file, in bytes, or at a ``file://...#offset=..&size=..`` URI.

    Accepts a code object, an offload bundle (plain or compressed) and a host program or library
    built by hipcc. ``name`` is what messages call the source. Raises
    :class:`~rocm_perf_lab.errors.CodeObjectError` for anything else, and when nothing is found.
    """
    if isinstance(source, bytes):
        data, where = source, name or "code object"
    else:
        text = os.fspath(source)
        place = parse_uri(text) if "://" in text else FileRange(Path(text))
        data, where = place.read(), name or text
    return tuple(_code_objects(data, where))


def _code_objects(data: bytes, where: str) -> Iterator[CodeObjectFile]:
    if is_bundle(data):
        yield from _bundled(data, where)
        return
    if not data.startswith(MAGIC):
        raise CodeObjectError(f"{where} is neither an ELF file nor an offload bundle")
    elf = ElfFile(data)
    if elf.machine == EM_AMDGPU:
        yield _code_object(elf, where)
        return
    section = elf.section(FAT_BINARY_SECTION)
    if section is None:
        raise CodeObjectError(
            f"{where} holds no GPU code (no section {FAT_BINARY_SECTION})",
            "name the program or library that hipcc built, not a script that starts it",
        )
    yield from _bundled(elf.contents(section), where)


def _bundled(data: bytes, where: str) -> Iterator[CodeObjectFile]:
    others = []
    found = False
    for entry in read_bundles(data):
        if entry.is_host:
            continue
        if entry.data.startswith(MAGIC):
            found = True
            yield _code_object(ElfFile(entry.data), f"{where} [{entry.id}]")
        else:
            others.append(entry.id)
    if not found:
        raise CodeObjectError(
            f"the offload bundle of {where} holds no linked GPU code"
            + (f" (only {', '.join(others[:5])})" if others else "")
        )


def _code_object(elf: ElfFile, where: str) -> CodeObjectFile:
    if elf.machine != EM_AMDGPU:
        raise CodeObjectError(f"{where} is an ELF file of machine {elf.machine}, not of an AMD GPU")
    metadata = read_metadata(elf) or _NO_METADATA
    target = metadata.target or target_from_flags(elf)
    descriptors = {kernel.symbol for kernel in metadata.kernels}
    functions = {symbol.removesuffix(_DESCRIPTOR_SUFFIX) for symbol in descriptors}
    wanted = descriptors | functions
    symbols = {symbol.name: symbol for symbol in elf.symbols if symbol.name in wanted}
    facts = _facts(target)
    return CodeObjectFile(
        source=where,
        target=target,
        abi_version=elf.abi_version,
        metadata_version=metadata.version,
        kernels=tuple(_kernel(elf, facts, symbols, kernel) for kernel in metadata.kernels),
        data=elf.data,
    )


def _facts(target: str) -> Optional[Target]:
    """Hardware facts where there are any: metadata can be read for other targets, too."""
    try:
        return load_target(target)
    except ArchitectureUnknown:
        return None


def _kernel(
    elf: ElfFile, facts: Optional[Target], symbols: dict[str, Symbol], kernel: KernelMetadata
) -> KernelInfo:
    descriptor, code_offset = _descriptor(elf, symbols.get(kernel.symbol))
    function = symbols.get(kernel.symbol.removesuffix(_DESCRIPTOR_SUFFIX))
    registers = allocated_registers(kernel, facts, descriptor)
    return KernelInfo(
        name=kernel.name,
        symbol=kernel.symbol,
        arch_vgpr=registers.arch_vgpr,
        accum_vgpr=registers.accum_vgpr,
        total_vgpr=registers.total_vgpr,
        sgpr=registers.sgpr,
        lds_bytes=kernel.group_segment_size,
        scratch_bytes=kernel.private_segment_size,
        sgpr_spills=kernel.sgpr_spills,
        vgpr_spills=kernel.vgpr_spills,
        kernarg_size=kernel.kernarg_size,
        kernarg_align=kernel.kernarg_align,
        max_workgroup_size=kernel.max_workgroup_size,
        required_workgroup_size=kernel.required_workgroup_size,
        wave_size=kernel.wave_size,
        wgp_mode=kernel.wgp_mode,
        uses_dynamic_stack=kernel.uses_dynamic_stack,
        language=kernel.language,
        arguments=kernel.arguments,
        descriptor=descriptor,
        code_offset=code_offset,
        code_size=function.size if function and function.type == STT_FUNC else None,
    )


def _descriptor(
    elf: ElfFile, symbol: Optional[Symbol]
) -> tuple[Optional[kd.KernelDescriptor], Optional[int]]:
    if symbol is None:
        return None, None
    offset = elf.symbol_offset(symbol)
    parsed = kd.parse_descriptor(elf.slice(offset, kd.SIZE))
    if elf.type == ET_REL:  # not linked yet: a relocation will supply the entry
        return parsed, None
    # The entry is stored relative to the descriptor in memory; in the file they may be apart.
    return parsed, elf.file_offset(symbol.value + parsed.entry_offset)
