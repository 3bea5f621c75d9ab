"""From the events of a PyTorch trace to a Trace: kernels, copies, calls, operators, Python lines.

The recording also holds the environment of the process in its metadata, with secrets: nothing but
``deviceProperties`` and the names of the other members is looked at.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, Callable, Optional

from msgspec.structs import replace

from rocm_perf_lab.errors import RecordingError
from rocm_perf_lab.trace.builder import UNKNOWN_SIZE, Dim3, TraceBuilder
from rocm_perf_lab.trace.files.packed import DamagedPacking, open_plain
from rocm_perf_lab.trace.files.parts import Parts
from rocm_perf_lab.trace.kineto.clock import nanoseconds
from rocm_perf_lab.trace.kineto.gpus import Gpus
from rocm_perf_lab.trace.kineto.host import Host, Launch
from rocm_perf_lab.trace.kineto.stream import EVENTS, DamagedJson, members
from rocm_perf_lab.trace.model import UNKNOWN, Kernel, Process, Trace
from rocm_perf_lab.trace.records import THIS_PROCESS
from rocm_perf_lab.trace.vocabulary import NAME_NOT_RECORDED, readable_symbol

HOW_TO_RECORD = (
    "record with: torch.profiler.profile(activities=[ProfilerActivity.CPU, "
    "ProfilerActivity.CUDA], with_stack=True) on a ROCm build of PyTorch, "
    "then export_chrome_trace('trace.json.gz')"
)
_HIP_CALLS = "HIP_RUNTIME_API"
# These take the grid in work-items, all others in workgroups.
_GRID_OF_ITEMS = frozenset(("hipExtModuleLaunchKernel", "hipHccModuleLaunchKernel"))
_DIRECTIONS = {"H": "HOST", "D": "DEVICE", "P": "DEVICE", "A": "DEVICE"}
_LARGEST = (1 << 62) - 1
# Kineto translates between the clocks once per trace; kernels were seen to end 8 us after the
# return of the call that waited for them, in one recording, and this was set after seeing it.
_CLOCK_SKEW_NS = 20_000


def read_kineto(path: Path, parts: Parts = Parts.EVERYTHING) -> list[Trace]:
    """Raises ``RecordingError`` when the trace is cut, holds no kernel, or is of another GPU."""
    reader = _Reader(path, parts)
    try:
        with io.TextIOWrapper(open_plain(path), encoding="utf-8-sig", errors="replace") as stream:
            for name, value in members(stream):
                reader.add(name, value)
    except (DamagedJson, DamagedPacking) as error:
        raise RecordingError(
            f"{path} is a PyTorch trace that is cut or damaged: {error}. Its events are in no "
            "order of time, so that a part of them tells nothing",
            f"let the profiler write it to the end; {HOW_TO_RECORD}",
        ) from error
    return [reader.build()]


class _Reader:
    def __init__(self, path: Path, parts: Parts) -> None:
        self._path = path
        self._parts = parts
        self._builder = TraceBuilder(Process("", UNKNOWN, None, None, str(path)))
        self._gpus: Gpus = Gpus(None)
        self._host = Host(self._builder)
        self._launches: dict[int, Launch] = {}  # by correlation
        self._kernels: list[tuple[int, int, str, Any]] = []
        self._copies: list[tuple[int, int, str, Any]] = []
        self._kernel_ids: dict[str, int] = {}
        self._of_hip = self._of_cuda = self._bare_grids = False
        self._handlers: dict[str, Callable[[Any, int, int], None]] = {
            "kernel": self._keep_kernel,
            "gpu_memcpy": self._keep_copy,
            "gpu_memset": self._keep_copy,
            "cuda_runtime": self._add_call,
            "cuda_driver": self._add_call,
        }
        if Parts.MARKERS in parts:
            self._handlers["user_annotation"] = self._add_marker
        if Parts.OPERATORS in parts:
            self._handlers["cpu_op"] = self._add_operator
            self._handlers["python_function"] = self._add_function

    def add(self, name: str, value: Any) -> None:
        """A member of the document, or one of its events."""
        if name == EVENTS:
            self._add_event(value)
        elif name == "deviceProperties":
            self._gpus = Gpus(value)
        elif name == "distributedInfo":
            rank = _whole(value, "rank")
            if rank != UNKNOWN:
                self._builder.set_rank(rank)
        elif name.startswith(("hip_", "roctracer", "rocprofiler")):
            self._of_hip = True
        elif name.startswith(("cuda_", "cupti")):
            self._of_cuda = True

    def _add_event(self, event: Any) -> None:
        if not isinstance(event, dict):
            return
        category = event.get("cat")
        handler = self._handlers.get(category) if isinstance(category, str) else None
        if handler is None or event.get("ph") != "X":
            return
        start, length = nanoseconds(event.get("ts")), nanoseconds(event.get("dur"))
        known = start != UNKNOWN and length != UNKNOWN
        handler(event, start, start + length if known else UNKNOWN)

    def _keep_kernel(self, event: Any, start: int, end: int) -> None:
        name = readable_symbol(_name(event)) or _name(event)
        self._kernels.append((start, end, name, _arguments(event)))

    def _keep_copy(self, event: Any, start: int, end: int) -> None:
        self._copies.append((start, end, _name(event), _arguments(event)))

    def _add_call(self, event: Any, start: int, end: int) -> None:
        name, arguments = _name(event), _arguments(event)
        self._of_hip |= name.startswith("hip")
        self._of_cuda |= name.startswith("cu")
        thread, correlation = _whole(event, "tid"), _whole(arguments, "correlation")
        if correlation != UNKNOWN:
            self._launches[correlation] = Launch(
                start, thread, _whole(arguments, "External id"), name in _GRID_OF_ITEMS
            )
        if self._builder.process.pid == UNKNOWN:
            self._builder.set_pid(_whole(event, "pid"))
        if Parts.API_CALLS in self._parts:
            self._builder.add_api_call(
                start=start,
                end=end,
                name=name,
                category=_HIP_CALLS,
                thread=thread,
                stack_id=correlation,
            )

    def _add_marker(self, event: Any, start: int, end: int) -> None:
        self._builder.add_marker(
            start=start, end=end, message=_name(event), thread=_whole(event, "tid")
        )

    def _add_operator(self, event: Any, start: int, end: int) -> None:
        number = _whole(_arguments(event), "External id")
        self._host.add_operator(start, end, _whole(event, "tid"), _name(event), number)

    def _add_function(self, event: Any, start: int, end: int) -> None:
        self._host.add_function(start, end, _whole(event, "tid"), _name(event))

    def build(self) -> Trace:
        self._refuse_what_is_foreign()
        origins: list[tuple[int, Launch]] = []
        for number, (start, end, name, arguments) in enumerate(self._kernels):
            launch = self._launches.get(_whole(arguments, "correlation"))
            row = self._add_dispatch(number, start, end, name, arguments, launch)
            if row is not None and launch is not None:
                origins.append((row, launch))
        if Parts.COPIES in self._parts:
            for copy in self._copies:
                self._add_copy(*copy)
        self._host.link(origins)
        self._note_what_is_missing()
        return replace(self._builder.build(), clock_skew_ns=_CLOCK_SKEW_NS)

    def _add_dispatch(
        self, number: int, start: int, end: int, name: str, arguments: Any, launch: Optional[Launch]
    ) -> Optional[int]:
        kernel_id = self._kernel_ids.setdefault(name, len(self._kernel_ids))
        return self._builder.add_dispatch(
            start=start,
            end=end,
            kernel=self._builder.add_kernel(Kernel(THIS_PROCESS, kernel_id, name, None)),
            agent_id=self._device(arguments),
            dispatch_id=number,
            stream_id=self._stream(arguments),
            thread=launch.thread if launch else UNKNOWN,
            stack_id=_whole(arguments, "correlation"),
            grid=self._grid(arguments, launch),
            block=_sizes(arguments, "block"),
        )

    def _grid(self, arguments: Any, launch: Optional[Launch]) -> Dim3:
        grid, block = _sizes(arguments, "grid"), _sizes(arguments, "block")
        if UNKNOWN in grid or UNKNOWN in block:
            return UNKNOWN_SIZE
        if launch is None:  # in which unit the grid is, only the call tells
            self._bare_grids = True
            return UNKNOWN_SIZE
        if launch.grid_of_items:
            return grid
        return grid[0] * block[0], grid[1] * block[1], grid[2] * block[2]

    def _add_copy(self, start: int, end: int, name: str, arguments: Any) -> None:
        direction, of_host = _direction(name, arguments)
        device = self._device(arguments)
        self._builder.add_copy(
            start=start,
            end=end,
            direction=direction,
            size=_whole(arguments, "bytes"),
            source_agent_id=UNKNOWN if of_host == "source" else device,
            target_agent_id=UNKNOWN if of_host == "target" else device,
            stream_id=self._stream(arguments),
            stack_id=_whole(arguments, "correlation"),
        )

    def _device(self, arguments: Any) -> int:
        device = _whole(arguments, "device")
        if device != UNKNOWN and device not in self._gpus.known:
            self._builder.add_agent(self._gpus.agent(device))
        return device

    def _stream(self, arguments: Any) -> int:
        """PyTorch makes its streams so that they do not wait for the default stream."""
        stream = _whole(arguments, "stream")
        if stream != UNKNOWN:
            self._builder.add_stream(stream, independent=True)
        return stream

    def _refuse_what_is_foreign(self) -> None:
        if not (self._of_hip or self._gpus.are_amd) and (self._of_cuda or self._gpus.are_nvidia):
            raise RecordingError(
                f"{self._path} is a PyTorch trace of an NVIDIA GPU, not of an AMD GPU",
                HOW_TO_RECORD,
            )
        if not self._kernels:
            raise RecordingError(
                f"{self._path} is a PyTorch trace without a GPU kernel: either nothing ran on the "
                "GPU while the profiler was on, or only the CPU was recorded",
                HOW_TO_RECORD,
            )

    def _note_what_is_missing(self) -> None:
        warnings = self._builder.warnings
        if Parts.OPERATORS in self._parts and not self._host.has_operators:
            warnings.append(
                f"{self._path}: operators were not recorded, so that kernels have no origin; "
                "record with ProfilerActivity.CPU too"
            )
        if self._bare_grids:
            warnings.append(
                f"{self._path}: some kernels have no recorded launch: their grids are unknown"
            )


def _arguments(event: Any) -> Any:
    return event.get("args")


def _name(event: Any) -> str:
    name = event.get("name")
    return name if isinstance(name, str) and name else NAME_NOT_RECORDED


def _whole(values: Any, key: str) -> int:
    value = values.get(key) if isinstance(values, dict) else None
    if isinstance(value, bool) or not isinstance(value, int):
        return UNKNOWN
    return value if 0 <= value <= _LARGEST else UNKNOWN


def _sizes(arguments: Any, key: str) -> Dim3:
    sizes = arguments.get(key) if isinstance(arguments, dict) else None
    if not isinstance(sizes, list) or len(sizes) != 3:
        return UNKNOWN_SIZE
    plain = [isinstance(n, int) and not isinstance(n, bool) and 0 < n < 1 << 32 for n in sizes]
    return (sizes[0], sizes[1], sizes[2]) if all(plain) else UNKNOWN_SIZE


def _direction(name: str, arguments: Any) -> tuple[str, str]:
    """As rocprofv3 names it, and which side of the copy is the host."""
    kind = arguments.get("kind") if isinstance(arguments, dict) else None
    ends = kind.split("to") if isinstance(kind, str) else []
    if len(ends) != 2 or not all(end in _DIRECTIONS for end in ends):
        return name, ""
    source, target = (_DIRECTIONS[end] for end in ends)
    host = "source" if source == "HOST" else "target" if target == "HOST" else ""
    return f"MEMORY_COPY_{source}_TO_{target}", host
