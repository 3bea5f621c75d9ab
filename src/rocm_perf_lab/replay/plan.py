"""What the replayer is to do, as the lines that it reads. Only a checked capture gets this far."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.capture_schema import HOST_KINDS, PAGE_BYTES
from rocm_perf_lab.replay.variant import VariantCode

# Of captures that do not say: a kernel dispatch with the barrier bit and system-wide fences, 3-D.
_DEFAULT_HEADER = 2 | 1 << 8 | 2 << 9 | 2 << 11
_DEFAULT_SETUP = 3
_QUEUE_POINTER = "hidden_queue_ptr"


@dataclass(frozen=True)
class ReplayOptions:
    iterations: int = 1
    warmup: int = 0
    recopy: bool = True  # put the captured memory back before every iteration
    device: int = 0
    steering: bool = True
    timeout_s: float = 600.0
    shuffle_seed: Optional[int] = None  # of another order of the versions in every iteration


def plan_lines(
    capture: Capture,
    options: ReplayOptions,
    *,
    runtime: Path,
    result: Path,
    code: Sequence[Optional[VariantCode]],
    check_only: bool = False,
    dump: Optional[Path] = None,
) -> Iterator[str]:
    """``code``: what to run, one after the other; ``None`` is the captured code."""
    yield f"runtime {_path(runtime)}"
    yield f"result {_path(result)}"
    if dump is not None:
        yield f"dump {_path(dump)}"
    yield f"target {capture.code.target}"
    yield f"device {options.device}"
    yield f"iterations {options.iterations}"
    yield f"warmup {options.warmup}"
    yield f"timeout {options.timeout_s:g}"
    if options.shuffle_seed is not None:
        yield f"shuffle {options.shuffle_seed}"
    if check_only:
        yield "check-only"
    if not options.steering:
        yield "no-steering"
    if not options.recopy:
        yield "no-recopy"
    yield _packet(capture)
    yield from _rest_of_packet(capture)
    yield from _kernarg(capture)
    yield from _regions(capture)
    for variable in capture.variables:
        yield f"variable {variable.address} {variable.size} {variable.name}"
    for one in code:
        yield _variant(capture, one)


def _path(path: Path) -> str:
    text = str(path.absolute())
    if "\n" in text:
        raise UsageError("a path with a line break in it cannot be replayed", "rename the folder")
    return text


def _packet(capture: Capture) -> str:
    dispatch = capture.dispatch
    header = _DEFAULT_HEADER if dispatch.packet_header is None else dispatch.packet_header
    setup = _DEFAULT_SETUP if dispatch.packet_setup is None else dispatch.packet_setup
    sizes = " ".join(str(size) for size in (*dispatch.block, *dispatch.grid))
    return f"packet {header} {setup} {sizes}"


def _rest_of_packet(capture: Capture) -> Iterator[str]:
    """What else a kernel can read there: reserved words, and its place in the queue."""
    dispatch = capture.dispatch
    if dispatch.packet is not None:
        raw = bytes.fromhex(dispatch.packet)
        (reserved0,) = struct.unpack_from("<H", raw, 10)
        (reserved2,) = struct.unpack_from("<Q", raw, 48)
        yield f"reserved {reserved0} {reserved2}"
    size, index = dispatch.queue_size, dispatch.queue_index
    if size is not None and index is not None:
        yield f"queue {size} {dispatch.queue_type or 0} {index}"


def _kernarg(capture: Capture) -> Iterator[str]:
    address = capture.dispatch.kernarg_address
    inside = address is not None and any(r.base <= address < r.end for r in capture.regions)
    if inside:
        yield f"kernarg {address}"
    else:
        yield f"kernarg-file {_path(capture.folder / 'kernarg.bin')}"
    for argument in capture.kernel.arguments:
        if argument.value_kind == _QUEUE_POINTER:
            yield f"queue-pointer {argument.offset}"


def _regions(capture: Capture) -> Iterator[str]:
    changes = {changed.base: changed for changed in capture.changes or ()}
    for region in capture.regions:
        kind = "host" if region.kind in HOST_KINDS else region.kind
        file = _path(capture.memory_file(region.file))
        yield f"region {region.base} {region.size} {kind} {file}"
        changed = changes.get(region.base)
        if changed is None:
            continue
        yield f"changes {_path(capture.memory_file(changed.file))}"
        offset = 0
        for first, count in changed.runs:
            yield f"run {first} {count} {offset}"
            offset += min((first + count) * PAGE_BYTES, region.size) - first * PAGE_BYTES


def runs_in_place(capture: Capture) -> bool:
    """Whether the captured code can run where it was loaded; the original did not store it."""
    dispatch = capture.dispatch
    return dispatch.code_base is not None and any(
        region.kind == "code" and region.base <= dispatch.kernel_object < region.end
        for region in capture.regions
    )


def _variant(capture: Capture, code: Optional[VariantCode]) -> str:
    dispatch = capture.dispatch
    sizes = f"{dispatch.private_segment_size} {dispatch.group_segment_size}"
    if code is not None:
        sizes = f"{code.private_bytes} {code.group_bytes}"
        return f"loaded {code.symbol} {sizes} {_path(code.file)}"
    if runs_in_place(capture):
        return f"in-place {dispatch.kernel_object} {sizes}"
    return f"loaded {dispatch.mangled_name} {sizes} {_path(capture.folder / 'kernel.hsaco')}"
