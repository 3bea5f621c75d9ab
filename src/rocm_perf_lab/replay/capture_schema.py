"""The JSON files of a capture, version 1.0. Fields of the original layout keep their names.

Captures of the original have only its fields: what was added since has a default there.
"""

from __future__ import annotations

from typing import Final, Literal, Optional

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, PositiveInt

PAGE_BYTES: Final = 4096
PIECE_BYTES: Final = 256 << 10  # of memory, for hashing

Kind = Literal["device", "host", "vmem", "locked", "svm", "ipc", "code"]
HOST_KINDS: Final = ("host", "locked", "svm")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Unsupported(_Strict):
    """Something that the kernel may reach and that a capture does not hold."""

    kind: str = Field(description="images, hostcall, peer_memory")
    detail: str


class DispatchFile(_Strict):
    """``dispatch.json``: what was launched, and how."""

    mangled_name: str = Field(description="the symbol of the kernel descriptor: ends with .kd")
    demangled_name: str
    agent_name: str
    isa_name: str
    wavefront_size: PositiveInt
    kernel_object: NonNegativeInt
    grid: tuple[PositiveInt, PositiveInt, PositiveInt] = Field(description="work-items")
    block: tuple[PositiveInt, PositiveInt, PositiveInt]
    group_segment_size: NonNegativeInt = Field(description="LDS, dynamic LDS included")
    private_segment_size: NonNegativeInt
    kernarg_size: NonNegativeInt
    dispatch_index: NonNegativeInt
    agent_product: Optional[str] = None
    agent_index: Optional[int] = None
    kernarg_address: Optional[NonNegativeInt] = None
    packet_header: Optional[NonNegativeInt] = Field(None, description="type, barrier bit, fences")
    packet_setup: Optional[NonNegativeInt] = None
    code_base: Optional[NonNegativeInt] = Field(None, description="where the code was loaded")
    code_size: Optional[NonNegativeInt] = None
    code_delta: Optional[int] = Field(None, description="loaded address - address in kernel.hsaco")
    pid: Optional[int] = None
    drain_seconds: Optional[float] = Field(None, description="waiting for earlier work")
    unsupported: tuple[Unsupported, ...] = ()
    host_written: tuple[tuple[NonNegativeInt, PositiveInt], ...] = Field(
        (),
        description="address and size of arguments that the host wrote for other dispatches "
        "meanwhile; no output, after/ has them as they were before",
    )


class RegionEntry(_Strict):
    base: NonNegativeInt
    size: PositiveInt
    is_pool: bool
    is_vmem: bool
    contains_kernarg: bool
    handle: NonNegativeInt
    access: NonNegativeInt
    kind: Kind = "device"
    agent_index: Optional[int] = Field(None, description="the GPU that owns it; -1: the host")
    pool_flags: Optional[NonNegativeInt] = None
    alloc_flags: Optional[NonNegativeInt] = None
    stored_bytes: Optional[NonNegativeInt] = Field(None, description="without pages of zeros")

    @property
    def end(self) -> int:
        return self.base + self.size

    @property
    def file(self) -> str:
        return f"memory/region_{self.base:x}.bin"


class RegionsFile(_Strict):
    """``memory_regions.json``: all memory that the kernel could reach, before it ran."""

    regions: tuple[RegionEntry, ...]


class ChangedRegion(_Strict):
    base: NonNegativeInt
    stored_bytes: PositiveInt
    runs: tuple[tuple[NonNegativeInt, PositiveInt], ...] = Field(
        description="first page and number of pages, counted from the start of the region"
    )

    @property
    def file(self) -> str:
        return f"after/region_{self.base:x}.bin"


class ChangesFile(_Strict):
    """``after/regions.json``: the pages that the dispatch changed, one behind the other."""

    page_bytes: Literal[4096]
    regions: tuple[ChangedRegion, ...]


class FileRecord(_Strict):
    size: NonNegativeInt
    sha256: str = Field(
        pattern="^[0-9a-f]{64}$",
        description="of the content; of memory/*.bin and after/*.bin: of number (64-bit, "
        "little-endian) and SHA-256 of every piece of 256 KiB that is not all zero",
    )


class ManifestFile(_Strict):
    """``manifest.json``: where the capture comes from, and the hash of every other file."""

    schema_version: Literal["1.0"]
    tool_version: str
    rocm_version: Optional[str]
    rocm_kind: Literal["rocm", "virtual"]
    command: tuple[str, ...]
    environment: dict[str, str] = Field(description="variables of a list of exact names")
    files: dict[str, FileRecord]
