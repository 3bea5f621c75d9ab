"""A capture on disk: read it and check everything about it before anybody acts on it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional, TypeVar

from rocm_perf_lab.codeobject.elf import ElfFile
from rocm_perf_lab.codeobject.model import CodeObjectFile, KernelInfo
from rocm_perf_lab.codeobject.reader import read_code_objects
from rocm_perf_lab.errors import (
    CaptureAltered,
    CaptureDamaged,
    CaptureForeign,
    CaptureIncomplete,
    CaptureOverlaps,
    CaptureTruncated,
    CodeObjectError,
)
from rocm_perf_lab.replay.capture_schema import (
    HOST_KINDS,
    PAGE_BYTES,
    ChangedRegion,
    ChangesFile,
    DispatchFile,
    ManifestFile,
    RegionEntry,
    RegionsFile,
)
from rocm_perf_lab.replay.files.packing import plain_name, unpacked
from rocm_perf_lab.replay.files.page_hash import file_record
from rocm_perf_lab.strict_json import NotStrict, Strict, filled_in, read_strict

_STT_OBJECT = 1
_DESCRIPTOR_SUFFIX = ".kd"
_AGAIN = "capture it again: rocm-perf isolate"
_Model = TypeVar("_Model", bound=Strict)


@dataclass(frozen=True)
class Variable:
    """A ``__device__`` or ``__constant__`` variable of the captured code object."""

    name: str
    address: int  # in the captured process
    size: int


@dataclass(frozen=True)
class Capture:
    """A whole and consistent capture."""

    folder: Path
    dispatch: DispatchFile
    regions: tuple[RegionEntry, ...]  # by address
    changes: Optional[tuple[ChangedRegion, ...]]  # None: the original layout has no after/
    manifest: Optional[ManifestFile]
    code: CodeObjectFile
    kernel: KernelInfo
    kernarg: bytes = field(repr=False)
    warnings: tuple[str, ...] = ()
    unpacked: Optional[Path] = None  # where the memory of a compressed capture lies meanwhile

    def memory_file(self, name: str) -> Path:
        return (self.unpacked or self.folder) / name

    @property
    def memory_bytes(self) -> int:
        return sum(region.size for region in self.regions)

    @property
    def stored_bytes(self) -> int:
        """On disk, as far as the capture says so."""
        before = sum(
            region.size if region.stored_bytes is None else region.stored_bytes
            for region in self.regions
        )
        return before + sum(changed.stored_bytes for changed in self.changes or ())

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Those that lie in captured memory, which is where their values are."""
        delta = self.dispatch.code_delta
        if delta is None:
            return ()
        found = (
            Variable(symbol.name, symbol.value + delta, symbol.size)
            for symbol in ElfFile(self.code.data).symbols
            if symbol.type == _STT_OBJECT and symbol.section and symbol.size
            if not symbol.name.endswith(_DESCRIPTOR_SUFFIX)
        )
        return tuple(v for v in found if _holds(self.regions, v.address, v.size))


@contextlib.contextmanager
def opened_capture(folder: Path) -> Iterator[Capture]:
    """As ``load_capture``; memory that is compressed is unpacked as long as this is open."""
    manifest = _optional(folder, "manifest.json", ManifestFile)
    sizes = {} if manifest is None else {n: record.size for n, record in manifest.files.items()}
    with unpacked(folder, sizes) as memory:
        yield load_capture(folder, memory=memory)


def load_capture(
    folder: Path, *, check_hashes: bool = True, memory: Optional[Path] = None
) -> Capture:
    """Read and check a capture. Raises ``CaptureDamaged`` with what is wrong, and where.

    Only who is about to write the hashes, or just has, need not check them. ``memory`` is where the
    memory of a compressed capture was unpacked.
    """
    if not (folder / "dispatch.json").is_file():
        raise CaptureDamaged(
            f"{folder} is not a capture: it holds no dispatch.json", "rocm-perf isolate makes one"
        )
    manifest = _optional(folder, "manifest.json", ManifestFile)
    if manifest is not None and check_hashes:
        _check_files(folder, memory, manifest)
    dispatch = _required(folder, "dispatch.json", DispatchFile)
    listed = _required(folder, "memory_regions.json", RegionsFile)
    changes = _optional(folder, "after/regions.json", ChangesFile)
    regions = tuple(sorted(listed.regions, key=lambda region: region.base))
    if manifest is None and check_hashes and not _is_original(dispatch, *regions, changes):
        raise CaptureIncomplete(
            f"manifest.json is missing in {folder}: nothing says that its files are what was "
            "captured",
            _AGAIN,
        )
    _check_regions(memory or folder, regions)
    if changes is not None:
        _check_changes(memory or folder, regions, changes.regions)
    kernarg = _bytes(folder, "kernarg.bin")
    if len(kernarg) < dispatch.kernarg_size:
        raise _truncated("kernarg.bin", len(kernarg), dispatch.kernarg_size)
    code, kernel = _kernel_of(folder, dispatch)
    _check_packet(dispatch)
    _check_addresses(dispatch, code, kernel, regions)
    return Capture(
        folder=folder,
        dispatch=dispatch,
        regions=regions,
        changes=None if changes is None else changes.regions,
        manifest=manifest,
        code=code,
        kernel=kernel,
        kernarg=kernarg,
        warnings=tuple(_pointers_to_nowhere(kernel, kernarg, regions)),
        unpacked=memory,
    )


def _is_original(*parts: Optional[Strict]) -> bool:
    """Only the original wrote no manifest: its files have no field that was added since."""
    return not any(part is not None and filled_in(part) for part in parts) and not any(
        isinstance(part, ChangesFile) for part in parts
    )


def hashed_files(folder: Path) -> tuple[str, ...]:
    """Every file that a manifest describes, by name."""
    names = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return tuple(sorted(name for name in names if name != "manifest.json"))


def is_sparse(name: str) -> bool:
    """Memory, which may be large and full of zeros."""
    return name.startswith(("memory/", "after/")) and name.endswith(".bin")


def _required(folder: Path, name: str, model: type[_Model]) -> _Model:
    found = _optional(folder, name, model)
    if found is None:
        raise CaptureIncomplete(f"{name} is missing in {folder}", _AGAIN)
    return found


def _optional(folder: Path, name: str, model: type[_Model]) -> Optional[_Model]:
    path = folder / name
    if not path.is_file():
        return None
    try:
        return read_strict(model, path.read_bytes())
    except NotStrict as error:
        raise CaptureDamaged(f"{name}: {error}", _AGAIN) from error


def _bytes(folder: Path, name: str) -> bytes:
    try:
        return (folder / name).read_bytes()
    except OSError as error:
        raise CaptureDamaged(f"{name} cannot be read: {error.strerror}", _AGAIN) from error


def _check_files(folder: Path, memory: Optional[Path], manifest: ManifestFile) -> None:
    there = {plain_name(name) for name in hashed_files(folder)}
    for name, record in manifest.files.items():
        if name not in there:
            raise CaptureIncomplete(f"{name} is missing in {folder}", _AGAIN)
        sparse = is_sparse(name)
        place = memory if memory is not None and sparse else folder
        found = file_record(place / name, sparse=sparse)
        if found.size != record.size:
            raise _truncated(name, found.size, record.size)
        if found.sha256 != record.sha256:
            raise CaptureAltered(f"{name} was changed: its hash is not the manifest's", _AGAIN)
    extra = sorted(there - set(manifest.files))
    if extra:
        raise CaptureDamaged(f"{extra[0]} does not belong to the capture", _AGAIN)


def _truncated(name: str, found: int, expected: int) -> CaptureTruncated:
    return CaptureTruncated(f"{name} has {found} bytes instead of {expected}", _AGAIN)


def _check_regions(folder: Path, regions: tuple[RegionEntry, ...]) -> None:
    for region in regions:
        path = folder / region.file
        if not path.is_file():
            raise CaptureIncomplete(f"{region.file} is missing: its region has no content", _AGAIN)
        if path.stat().st_size != region.size:
            raise _truncated(region.file, path.stat().st_size, region.size)
        if region.end > 1 << 64:
            raise CaptureDamaged(f"region 0x{region.base:x} ends beyond all addresses", _AGAIN)
    for before, after in zip(regions, regions[1:]):
        if after.base < before.end:
            raise CaptureOverlaps(
                f"regions 0x{before.base:x} ({before.size} bytes) and 0x{after.base:x} overlap",
                _AGAIN,
            )
        shares_page = after.base // PAGE_BYTES == (before.end - 1) // PAGE_BYTES
        if shares_page and (before.kind in HOST_KINDS) != (after.kind in HOST_KINDS):
            raise CaptureDamaged(
                f"regions 0x{before.base:x} and 0x{after.base:x} share a page, but one is host "
                "and the other device memory",
                _AGAIN,
            )


def _check_changes(
    folder: Path, regions: tuple[RegionEntry, ...], changes: tuple[ChangedRegion, ...]
) -> None:
    by_base = {region.base: region for region in regions}
    for changed in changes:
        region = by_base.get(changed.base)
        if region is None:
            raise CaptureDamaged(f"after/ has changes of 0x{changed.base:x}, no region", _AGAIN)
        pages = 0
        stored = 0
        for first, count in changed.runs:
            end = min((first + count) * PAGE_BYTES, region.size)
            if first < pages or end <= first * PAGE_BYTES:
                raise CaptureDamaged(f"after/: pages of 0x{changed.base:x} out of order", _AGAIN)
            pages = first + count
            stored += end - first * PAGE_BYTES
        path = folder / changed.file
        if not path.is_file():
            raise CaptureIncomplete(f"{changed.file} is missing", _AGAIN)
        if stored != changed.stored_bytes or path.stat().st_size != stored:
            raise _truncated(changed.file, path.stat().st_size, stored)


def _kernel_of(folder: Path, dispatch: DispatchFile) -> tuple[CodeObjectFile, KernelInfo]:
    try:
        (code,) = read_code_objects(_bytes(folder, "kernel.hsaco"), "kernel.hsaco")
    except (CodeObjectError, ValueError) as error:
        raise CaptureDamaged(f"kernel.hsaco is not a code object: {error}", _AGAIN) from error
    kernel = code.kernel(dispatch.mangled_name)
    if kernel is None:
        raise CaptureDamaged(f"kernel.hsaco has no kernel {dispatch.mangled_name}", _AGAIN)
    if code.target_name not in dispatch.isa_name:
        raise CaptureForeign(
            f"kernel.hsaco is for {code.target}, but the dispatch ran on {dispatch.isa_name}",
            _AGAIN,
        )
    if dispatch.group_segment_size < kernel.lds_bytes:
        raise CaptureDamaged(
            f"the dispatch has {dispatch.group_segment_size} bytes of LDS, its kernel needs "
            f"{kernel.lds_bytes}",
            _AGAIN,
        )
    if dispatch.kernarg_size < kernel.kernarg_size:
        raise _truncated("kernarg.bin", dispatch.kernarg_size, kernel.kernarg_size)
    return code, kernel


def _check_packet(dispatch: DispatchFile) -> None:
    limits = {"grid": (dispatch.grid, 1 << 32), "block": (dispatch.block, 1 << 16)}
    for name, (sizes, limit) in limits.items():
        if max(sizes) >= limit:
            raise CaptureDamaged(f"dispatch.json: {name} {list(sizes)} fits no packet", _AGAIN)
    for name in ("packet_header", "packet_setup"):
        value = getattr(dispatch, name)
        if value is not None and value >= 1 << 16:
            raise CaptureDamaged(f"dispatch.json: {name} {value} fits no packet", _AGAIN)


def _holds(regions: tuple[RegionEntry, ...], address: int, size: int) -> bool:
    return any(r.base <= address and address + size <= r.end for r in regions)


def _check_addresses(
    dispatch: DispatchFile,
    code: CodeObjectFile,
    kernel: KernelInfo,
    regions: tuple[RegionEntry, ...],
) -> None:
    """What a replay uses without asking: arguments, the kernel object, hidden arguments."""
    kernarg = dispatch.kernarg_address
    inside = kernarg is not None and _holds(regions, kernarg, 1)
    if kernarg is not None and inside and not _holds(regions, kernarg, dispatch.kernarg_size):
        raise CaptureDamaged(f"the arguments at 0x{kernarg:x} reach beyond their region", _AGAIN)
    for argument in kernel.arguments:
        if argument.offset + argument.size > dispatch.kernarg_size:
            raise CaptureDamaged(
                f"argument {argument.value_kind} lies beyond the {dispatch.kernarg_size} bytes of "
                "arguments",
                _AGAIN,
            )
    if dispatch.code_delta is None:
        return
    expected = {
        symbol.value + dispatch.code_delta
        for symbol in ElfFile(code.data).symbols
        if symbol.name == kernel.symbol
    }
    if dispatch.kernel_object not in expected:
        raise CaptureDamaged(
            f"kernel object 0x{dispatch.kernel_object:x} is not where kernel.hsaco has "
            f"{kernel.symbol}",
            _AGAIN,
        )


def _pointers_to_nowhere(
    kernel: KernelInfo, kernarg: bytes, regions: tuple[RegionEntry, ...]
) -> list[str]:
    """Pointer arguments that lead to no captured memory; a kernel may never follow them."""
    found = []
    for number, argument in enumerate(kernel.visible_arguments):
        if argument.value_kind != "global_buffer" or argument.size != 8:
            continue
        value = int.from_bytes(kernarg[argument.offset : argument.offset + 8], "little")
        if value and not any(region.base <= value <= region.end for region in regions):
            name = argument.name or f"number {number}"
            found.append(f"argument {name} points to 0x{value:x}, which was not captured")
    return found
