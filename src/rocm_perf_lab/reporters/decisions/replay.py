"""Captures and replays on a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Optional

from rocm_perf_lab.prove.compare.versions_schema import VersionsDocument
from rocm_perf_lab.replay.capture_schema import Unsupported
from rocm_perf_lab.replay.export import Exported
from rocm_perf_lab.replay.replay_schema import (
    CheckDocument,
    IsolateDocument,
    ListDocument,
    RaceDocument,
    ReplayDocument,
    Timing,
)
from rocm_perf_lab.replay.verify import Verification
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.kernel_names import short_names

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def render_isolate(document: IsolateDocument) -> str:
    lines = [
        tt.field("Kernel:", document.kernel, 10),
        tt.field(
            "Dispatch:",
            f"{document.dispatch_index}, grid {_triple(document.grid)}, "
            f"block {_triple(document.block)}",
            10,
        ),
        tt.field(
            "Memory:",
            f"{document.regions} regions, {_bytes(document.memory_bytes)}; stored "
            f"{_bytes(document.stored_bytes)}, changed {_bytes(document.changed_bytes)}",
            10,
        ),
        *_kept(document),
        *_notes(document.unsupported, document.warnings),
        *_ending(document.application),
        tt.closing(f"Result: captured in {document.folder}"),
    ]
    return "\n".join(lines) + "\n"


def render_list(document: ListDocument) -> str:
    columns = (
        tt.Column("kernel", align_left=True, shorten=short_names),
        tt.Column("dispatches"),
        tt.Column("regions"),
        tt.Column("memory"),
    )
    rows = [
        (
            tt.ascii_only(kernel.demangled_name),
            str(kernel.dispatches),
            str(kernel.regions),
            _bytes(kernel.bytes),
        )
        for kernel in document.kernels
    ]
    result = tt.closing(f"Result: {len(document.kernels)} kernel(s) can be captured")
    return f"{tt.render(columns, rows)}\n{result}\n"


def render_check(document: CheckDocument) -> str:
    lines = [
        tt.wrap(
            f"Region 0x{place.base:x} size {place.size} -> {place.status}"
            + (f" ({place.detail})" if place.detail else "")
        )
        for place in document.places
    ]
    wrong = sum(place.status != "OK" for place in document.places)
    answer = "all addresses are free" if not wrong else f"{wrong} addresses are not available"
    lines += _notes(document.unsupported, document.warnings)
    lines.append(tt.closing(f"Result: the capture of {document.kernel} is whole; {answer}"))
    return "\n".join(lines) + "\n"


def render_replay(document: ReplayDocument) -> str:
    device = document.environment
    kind = " (virtual)" if device.rocm_kind == "virtual" else ""
    lines = [
        tt.field("Kernel:", document.kernel.name, 9),
        tt.field("Device:", f"{device.gpu_product or device.gpu_agent}, {device.isa}{kind}", 9),
        tt.field("Runs:", f"{document.execution.iterations}, {document.execution.mode}", 9),
        tt.field("Time:", _times(document.timing), 9),
        *_notes(document.unsupported, document.warnings),
        tt.closing(f"Result: {_verdict(document.verification)}"),
    ]
    return "\n".join(lines) + "\n"


def render_race(document: RaceDocument) -> str:
    lines = [tt.wrap(f"Race: {line}") for line in document.reported]
    answer = "the same memory every time"
    if not document.deterministic:
        answer = f"not deterministic; up to {document.racing_bytes} bytes differ"
    lines.append(tt.closing(f"Result: {document.replays} replays of {document.kernel}: {answer}"))
    return "\n".join(lines) + "\n"


def render_compare(document: VersionsDocument) -> str:
    lines = [
        f"{name}: {variant.hsaco_path}\n"
        + tt.wrap(f"{_times(variant.timing)}; {_verdict(variant.verification)}", "   ", "   ")
        for name, variant in zip("AB", document.variants)
    ]
    judgement = document.judgement
    if document.verdict in ("different", "unverified"):
        lines.append(tt.closing(f"Result: {document.verdict}: {document.reason}"))
        return "\n".join(lines) + "\n"
    result = (
        f"Result: B is {judgement.verdict.replace('_', ' ')}: {judgement.speedup:.3f}x "
        f"[{_bound(judgement.low)}, {_bound(judgement.high)}] over {judgement.rounds} rounds; "
        f"{judgement.reason}" + (f"; needed: {judgement.needed}" if judgement.needed else "")
    )
    return "\n".join([*lines, tt.closing(result)]) + "\n"


def _bound(ratio: Optional[float]) -> str:
    return "?" if ratio is None else f"{ratio:.3f}"


def render_export(exported: Exported) -> str:
    lines = [
        *_notes((), exported.notes),
        "Build and run it with:",
        f"  cmake -S {exported.folder} -B {exported.folder}/build",
        f"  cmake --build {exported.folder}/build",
        f"  {exported.folder}/build/replay_kernel",
        tt.closing(f"Result: {exported.kernel} is in {exported.folder}"),
    ]
    return "\n".join(lines) + "\n"


def _verdict(verification: Verification) -> str:
    return f"{verification.verdict.replace('_', ' ')}: {verification.reason}"


def _times(timing: Timing) -> str:
    return (
        f"median {timing.median:.3f} us, MAD {timing.mad:.3f}, "
        f"min {timing.min:.3f}, max {timing.max:.3f}"
    )


def _kept(document: IsolateDocument) -> list[str]:
    """What the capture tells whoever gets it, besides the memory."""
    variables = [f"{name}={shlex.quote(v)}" for name, v in document.environment.items()]
    return [
        tt.field("Kept:", shlex.join(document.command), 10),
        tt.field("", " ".join(variables) or "no variables", 10),
    ]


def _ending(application: str) -> list[str]:
    if application == "exit code 0":
        return []
    return [tt.wrap(f"Note: the application itself failed afterwards: {application}")]


def _notes(unsupported: Sequence[Unsupported], warnings: Sequence[str]) -> list[str]:
    missing = [tt.wrap(f"Missing: {one.kind}: {one.detail}") for one in unsupported]
    return [*missing, *(tt.wrap(f"Note: {text}") for text in warnings)]


def _triple(sizes: Sequence[int]) -> str:
    return " x ".join(str(size) for size in sizes)


def _bytes(count: float) -> str:
    for unit in _UNITS:
        if count < 1024 or unit == _UNITS[-1]:
            break
        count /= 1024
    return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
