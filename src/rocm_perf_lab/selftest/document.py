"""What ``rocm-perf selftest --json`` prints, version 1.0."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Optional

from rocm_perf_lab import __version__
from rocm_perf_lab.selftest.result import Selftest, StepResult
from rocm_perf_lab.strict_json import Strict, says

SCHEMA_VERSION: Final = "1.0"


class SelftestDocument(Strict):
    schema_version: Literal["1.0"]
    tool_version: str
    prefix: str
    rocm_kind: Annotated[str, says("rocm, or virtual for a device that does not exist")]
    device: str
    target: Annotated[str, says("of LLVM, for example gfx942")]
    holds: Annotated[bool, says("no step fails, and at least one was looked at")]
    folder: Annotated[Optional[str], says("of work, where it was kept: --keep, or a step fails")]
    steps: tuple[StepResult, ...]


def selftest_document(found: Selftest) -> SelftestDocument:
    return SelftestDocument(
        schema_version=SCHEMA_VERSION,
        tool_version=__version__,
        prefix=found.prefix,
        rocm_kind=found.rocm_kind,
        device=found.device,
        target=found.target,
        holds=found.holds,
        folder=found.folder,
        steps=found.steps,
    )
