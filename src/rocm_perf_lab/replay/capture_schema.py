"""The JSON files of a capture, version 1.0. Fields of the original layout keep their names.

Captures of the original have only its fields: what was added since has a default there.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, Optional

from msgspec import Meta

from rocm_perf_lab.strict_json import Strict, says

PAGE_BYTES: Final = 4096
PIECE_BYTES: Final = 256 << 10  # of memory, for hashing

Kind = Literal["device", "host", "vmem", "locked", "svm", "ipc", "code"]
Count = Annotated[int, Meta(ge=0)]
Size = Annotated[int, Meta(gt=0)]
HOST_KINDS: Final = ("host", "locked", "svm")


class Unsupported(Strict):
    """Something that the kernel may reach and that a capture does not hold."""

    kind: Annotated[str, says("images, hostcall, peer_memory")]
    detail: str


class DispatchFile(Strict):
    """``dispatch.json``: what was launched, and how."""

    mangled_name: Annotated[str, says("the symbol of the kernel descriptor: ends with .kd")]
    demangled_name: str
    agent_name: str
    isa_name: str
    wavefront_size: Size
    kernel_object: Count
    grid: Annotated[tuple[Size, Size, Size], says("work-items")]
    block: tuple[Size, Size, Size]
    group_segment_size: Annotated[Count, says("LDS, dynamic LDS included")]
    private_segment_size: Count
    kernarg_size: Count
    dispatch_index: Count
    agent_product: Optional[str] = None
    agent_index: Optional[int] = None
    kernarg_address: Optional[Count] = None
    packet_header: Annotated[Optional[Count], says("type, barrier bit, fences")] = None
    packet_setup: Optional[Count] = None
    packet: Annotated[
        Optional[Annotated[str, Meta(pattern="^[0-9a-f]{128}$")]],
        says("all 64 bytes of the packet as the application wrote them"),
    ] = None
    queue_index: Annotated[
        Optional[Annotated[int, Meta(ge=0, lt=1 << 62)]],
        says("of the packet, from the queue's first on"),
    ] = None
    queue_size: Annotated[Optional[Annotated[int, Meta(gt=0, lt=1 << 32)]], says("packets")] = None
    queue_type: Annotated[
        Optional[Annotated[int, Meta(ge=0, le=2)]],
        says("HSA's number: 0 many producers, 1 a single one, 2 cooperative"),
    ] = None
    code_base: Annotated[Optional[Count], says("where the code was loaded")] = None
    code_size: Optional[Count] = None
    code_delta: Annotated[Optional[int], says("loaded address - address in kernel.hsaco")] = None
    pid: Optional[int] = None
    drain_seconds: Annotated[Optional[float], says("waiting for earlier work")] = None
    unsupported: tuple[Unsupported, ...] = ()
    host_written: Annotated[
        tuple[tuple[Count, Size], ...],
        says(
            "address and size of arguments that the host wrote for other dispatches "
            "meanwhile; no output, after/ has them as they were before"
        ),
    ] = ()


class RegionEntry(Strict):
    base: Count
    size: Size
    is_pool: bool
    is_vmem: bool
    contains_kernarg: bool
    handle: Count
    access: Count
    kind: Kind = "device"
    agent_index: Annotated[Optional[int], says("the GPU that owns it; -1: the host")] = None
    pool_flags: Optional[Count] = None
    alloc_flags: Optional[Count] = None
    stored_bytes: Annotated[Optional[Count], says("without pages of zeros")] = None

    @property
    def end(self) -> int:
        return self.base + self.size

    @property
    def file(self) -> str:
        return f"memory/region_{self.base:x}.bin"


class RegionsFile(Strict):
    """``memory_regions.json``: all memory that the kernel could reach, before it ran."""

    regions: tuple[RegionEntry, ...]


class ChangedRegion(Strict):
    base: Count
    stored_bytes: Size
    runs: Annotated[
        tuple[tuple[Count, Size], ...],
        says("first page and number of pages, counted from the start of the region"),
    ]

    @property
    def file(self) -> str:
        return f"after/region_{self.base:x}.bin"


class ChangesFile(Strict):
    """``after/regions.json``: the pages that the dispatch changed, concatenated."""

    page_bytes: Literal[4096]
    regions: tuple[ChangedRegion, ...]


class FileRecord(Strict):
    size: Count
    sha256: Annotated[
        str,
        Meta(
            pattern="^[0-9a-f]{64}$",
            description="of the content; of memory/*.bin and after/*.bin: of number (64-bit, "
            "little-endian) and SHA-256 of every piece of 256 KiB that is not all zero",
        ),
    ]


class ManifestFile(Strict):
    """``manifest.json``: where the capture comes from, and the hash of every other file."""

    schema_version: Literal["1.0"]
    tool_version: str
    rocm_version: Optional[str]
    rocm_kind: Literal["rocm", "virtual"]
    command: tuple[str, ...]
    environment: Annotated[dict[str, str], says("variables of a list of exact names")]
    files: dict[str, FileRecord]
