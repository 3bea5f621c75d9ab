"""What ``rocm-perf replay`` and ``rocm-perf isolate`` print with ``--json``, version 1.0.

Every field of the original's replay document is there under its old name.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, Optional

from rocm_perf_lab.replay.capture_schema import Unsupported
from rocm_perf_lab.replay.isolate import Isolated, ListedKernel
from rocm_perf_lab.replay.verify import Verification
from rocm_perf_lab.strict_json import Strict, says

SCHEMA_VERSION: Final = "1.0"


class ReplayedKernel(Strict):
    name: str
    symbol: str
    hsaco_path: str
    code: Annotated[
        Literal["in_place", "loaded"],
        says("run where the application had loaded it, or loaded again elsewhere"),
    ]
    grid: tuple[int, int, int]
    block: tuple[int, int, int]


class Execution(Strict):
    iterations: int
    warmup: int
    mode: Annotated[
        Literal["stateless", "stateful"],
        says("stateless: the captured memory was put back before every iteration"),
    ]
    attempts: Annotated[int, says("processes until all addresses were free")]


class Timing(Strict):
    unit: Literal["microseconds"]
    average: float
    min: float
    max: float
    median: float
    mad: Annotated[float, says("median absolute deviation from the median")]
    raw_ns: tuple[float, ...]


class ReplayEnvironment(Strict):
    gpu_agent: str
    gpu_product: str
    isa: str
    rocm_version: Optional[str]
    rocm_kind: Annotated[str, says("rocm, or virtual for a device that does not exist")]
    pid: int


class ReplayDocument(Strict):
    schema_version: Literal["1.0"]
    kernel: ReplayedKernel
    execution: Execution
    timing: Timing
    environment: ReplayEnvironment
    verification: Verification
    unsupported: tuple[Unsupported, ...]
    warnings: tuple[str, ...]


class RaceDocument(Strict):
    schema_version: Literal["1.0"]
    kernel: str
    replays: int
    deterministic: bool
    orders: Annotated[tuple[str, ...], says("how the waves of each replay were ordered")]
    verdicts: tuple[str, ...]
    racing_bytes: Annotated[int, says("bytes that were not the same in all replays, at most")]
    reported: Annotated[tuple[str, ...], says("races that the virtual device saw")]


class CheckedRegion(Strict):
    base: int
    size: int
    status: Literal["OK", "FAIL", "RELOCATED"]
    detail: str


class CheckDocument(Strict):
    schema_version: Literal["1.0"]
    kernel: str
    regions: int
    memory_bytes: int
    stored_bytes: int
    places: Annotated[tuple[CheckedRegion, ...], says("touching regions are one place")]
    unsupported: tuple[Unsupported, ...]
    warnings: tuple[str, ...]


class IsolateDocument(Strict):
    schema_version: Literal["1.0"]
    folder: str
    kernel: str
    symbol: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    dispatch_index: int
    regions: int
    memory_bytes: int
    stored_bytes: int
    changed_bytes: int
    application: Annotated[str, says("how the application ended")]
    command: Annotated[tuple[str, ...], says("as it is kept: without what looks secret")]
    environment: Annotated[dict[str, str], says("the variables that are kept")]
    unsupported: tuple[Unsupported, ...]
    warnings: tuple[str, ...]


def isolate_document(isolated: Isolated) -> IsolateDocument:
    capture = isolated.capture
    dispatch = capture.dispatch
    return IsolateDocument(
        schema_version=SCHEMA_VERSION,
        folder=str(capture.folder),
        kernel=dispatch.demangled_name,
        symbol=dispatch.mangled_name,
        grid=dispatch.grid,
        block=dispatch.block,
        dispatch_index=dispatch.dispatch_index,
        regions=len(capture.regions),
        memory_bytes=capture.memory_bytes,
        stored_bytes=capture.stored_bytes,
        changed_bytes=sum(changed.stored_bytes for changed in capture.changes or ()),
        application=isolated.application,
        command=() if capture.manifest is None else capture.manifest.command,
        environment={} if capture.manifest is None else capture.manifest.environment,
        unsupported=dispatch.unsupported,
        warnings=capture.warnings,
    )


class ListDocument(Strict):
    schema_version: Literal["1.0"]
    kernels: tuple[ListedKernel, ...]
