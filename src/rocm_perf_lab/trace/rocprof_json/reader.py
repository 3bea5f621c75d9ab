"""Reader of rocprofv3's ``_results.json``: one Trace for each process in it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Optional

from rocm_perf_lab.errors import RecordingError
from rocm_perf_lab.trace.builder import Dim3, TraceBuilder
from rocm_perf_lab.trace.files.foreign import HOW_TO_RECORD
from rocm_perf_lab.trace.files.packed import open_plain
from rocm_perf_lab.trace.files.parts import Parts
from rocm_perf_lab.trace.model import UNKNOWN, Agent, Kernel, Process, Trace
from rocm_perf_lab.trace.records import THIS_PROCESS
from rocm_perf_lab.trace.vocabulary import (
    NAME_NOT_RECORDED,
    allocation_names,
    is_marker,
    readable_symbol,
    unnamed_kernel,
)

_ROOT = "rocprofiler-sdk-tool"
_AGENT_KINDS = {1: "CPU", 2: "GPU"}
_API_TABLES = ("hip_api", "hsa_api", "marker_api", "rccl_api", "rocdecode_api", "rocjpeg_api")
_LARGEST = (1 << 63) - 1


def read_json(path: Path, parts: Parts = Parts.EVERYTHING) -> list[Trace]:
    """Raises ``RecordingError`` when the file is not a complete document of rocprofv3."""
    try:
        with TextIOWrapper(open_plain(path), encoding="utf-8", errors="replace") as stream:
            document = json.load(stream)
    except (ValueError, RecursionError, OSError) as error:
        raise RecordingError(
            f"{path} is not complete JSON: {error}; the recording was not finished",
            f"let the application end by itself and record again; {HOW_TO_RECORD}",
        ) from error
    root = _get(document, _ROOT)
    processes = [item for item in (root if isinstance(root, list) else [root]) if _is_map(item)]
    if not processes:
        raise RecordingError(f"{path} is JSON, but not a rocprofv3 recording", HOW_TO_RECORD)
    return [_JsonProcess(path, item, parts).read() for item in processes]


class _JsonProcess:
    """One element of the root list. Values of an unexpected type count as not recorded."""

    def __init__(self, path: Path, data: Mapping[str, Any], parts: Parts) -> None:
        self._data = data
        self._parts = parts
        command = _get(data, "metadata", "command")
        process = Process(
            guid="",
            pid=_integer(data, "metadata", "pid"),
            command=" ".join(map(str, command)) if isinstance(command, list) else _text(command),
            hostname=_text(_get(data, "metadata", "node", "hostname")),
            source=str(path),
        )
        self._builder = TraceBuilder(process)
        self._node_of_handle: dict[int, int] = {}

    def read(self) -> Trace:
        self._read_agents()
        self._read_code()
        for record in self._records("buffer_records", "kernel_dispatch"):
            row = self._add_dispatch(record, record)
            self._add_bound(record, row)
        # Without a kernel trace, counter records are where the dispatches are.
        self._read_counters()
        if Parts.COPIES in self._parts:
            self._read_copies()
        if Parts.ALLOCATIONS in self._parts:
            self._read_allocations()
        if self._parts & (Parts.API_CALLS | Parts.MARKERS):
            self._read_calls()
        return self._builder.build()

    def _read_agents(self) -> None:
        for record in self._records("agents"):
            node = _integer(record, "node_id")
            handle = _integer(record, "id", "handle")
            node = handle if node == UNKNOWN else node
            self._node_of_handle[handle] = node
            kind = record.get("type")
            kind = _AGENT_KINDS.get(kind, "unknown") if isinstance(kind, int) else _text(kind)
            self._builder.add_agent(
                Agent(
                    THIS_PROCESS,
                    node,
                    kind or "unknown",
                    _text(record.get("name")) or "unknown",
                    _text(record.get("product_name")),
                    _integer(record, "logical_node_type_id"),
                    record,
                )
            )

    def _read_code(self) -> None:
        for record in self._records("code_objects"):
            handle = _integer(record, "rocp_agent", "handle")
            handle = _integer(record, "agent_id", "handle") if handle == UNKNOWN else handle
            self._builder.add_code_object(
                _integer(record, "code_object_id"),
                self._node_of_handle.get(handle, UNKNOWN),
                _text(record.get("uri")),
                _optional(record, "load_base"),
                _optional(record, "load_size"),
            )
        for record in self._records("kernel_symbols"):
            symbol = _text(record.get("kernel_name"))
            kernel_id = _integer(record, "kernel_id")
            name = readable_symbol(_text(record.get("formatted_kernel_name")) or symbol)
            if name is None and symbol is None:
                continue  # the list is indexed by id and has empty places
            self._builder.add_kernel(
                Kernel(
                    THIS_PROCESS,
                    kernel_id,
                    name or unnamed_kernel(kernel_id),
                    symbol,
                    _optional(record, "code_object_id"),
                    _optional(record, "arch_vgpr_count"),
                    _optional(record, "accum_vgpr_count"),
                    _optional(record, "sgpr_count"),
                    _optional(record, "group_segment_size"),
                    _optional(record, "private_segment_size"),
                    _optional(record, "kernarg_segment_size"),
                )
            )

    def _add_dispatch(self, record: Mapping[str, Any], outer: Mapping[str, Any]) -> Optional[int]:
        """``record`` holds times and dispatch info, ``outer`` the thread."""
        info = _get(record, "dispatch_info")
        return self._builder.add_dispatch(
            start=_integer(record, "start_timestamp"),
            end=_integer(record, "end_timestamp"),
            kernel=self._builder.kernel_of_id(_integer(info, "kernel_id")),
            agent_id=self._node(_get(info, "agent_id")),
            queue_id=_integer(info, "queue_id", "handle"),
            stream_id=_integer(outer, "stream_id", "handle"),
            thread=_integer(outer, "thread_id"),
            dispatch_id=_integer(info, "dispatch_id"),
            stack_id=_integer(record, "correlation_id", "internal"),
            grid=_dim3(_get(info, "grid_size")),
            block=_dim3(_get(info, "workgroup_size")),
            lds=_integer(info, "group_segment_size"),
            scratch=_integer(info, "private_segment_size"),
            graph_exec=_integer(outer, "graph_exec_id"),
        )

    def _add_bound(self, record: Mapping[str, Any], row: Optional[int]) -> None:
        name = _text(_get(record, "bound", "name"))
        if row is not None and name:
            self._builder.add_bound(row, name, _integer(record, "bound", "simulated_ns"))

    def _read_counters(self) -> None:
        names = {
            _integer(record, "id", "handle"): _text(record.get("name"))
            for record in self._records("counters")
        }
        for record in self._records("callback_records", "counter_collection"):
            data = _get(record, "dispatch_data")
            dispatch_id = _integer(data, "dispatch_info", "dispatch_id")
            row = self._builder.dispatch_row(dispatch_id)
            if row is None and _is_map(data):
                row = self._add_dispatch(data, record)
            wanted = Parts.COUNTERS in self._parts and row is not None
            for value in _maps(record.get("records") if wanted else None):
                name = names.get(_integer(value, "counter_id", "handle"))
                number = value.get("value")
                if row is not None and name and isinstance(number, (int, float)):
                    self._builder.add_counter(row, name, float(number))

    def _read_copies(self) -> None:
        for record in self._records("buffer_records", "memory_copy"):
            self._builder.add_copy(
                start=_integer(record, "start_timestamp"),
                end=_integer(record, "end_timestamp"),
                direction=self._operation(record)[1],
                size=_integer(record, "bytes"),
                source_agent_id=self._node(record.get("src_agent_id")),
                target_agent_id=self._node(record.get("dst_agent_id")),
                stream_id=_integer(record, "stream_id", "handle"),
                thread=_integer(record, "thread_id"),
                stack_id=_integer(record, "correlation_id", "internal"),
            )

    def _read_allocations(self) -> None:
        for table in ("memory_allocation", "scratch_memory"):
            for record in self._records("buffer_records", table):
                operation, level = allocation_names(self._operation(record)[1])
                self._builder.add_allocation(
                    start=_integer(record, "start_timestamp"),
                    end=_integer(record, "end_timestamp"),
                    operation=operation,
                    level=level,
                    size=_integer(record, "allocation_size"),
                    address=_integer(record, "address", "handle"),
                    agent_id=self._node(record.get("agent_id")),
                )

    def _read_calls(self) -> None:
        messages = {
            _integer(pair, "key"): _text(pair.get("value"))
            for pair in _maps(_get(self._data, "strings", "marker_api"))
        }
        for table in _API_TABLES:
            for record in self._records("buffer_records", table):
                self._add_call(record, messages)

    def _add_call(self, record: Mapping[str, Any], messages: Mapping[int, Optional[str]]) -> None:
        category, name = self._operation(record)
        start, end = _integer(record, "start_timestamp"), _integer(record, "end_timestamp")
        thread = _integer(record, "thread_id")
        stack_id = _integer(record, "correlation_id", "internal")
        if is_marker(category) and Parts.MARKERS in self._parts:
            self._builder.add_marker(
                start=start, end=end, message=messages.get(stack_id) or name, thread=thread
            )
        elif not is_marker(category) and Parts.API_CALLS in self._parts:
            self._builder.add_api_call(
                start=start,
                end=end,
                name=name,
                category=category,
                thread=thread,
                stack_id=stack_id,
                parent_stack_id=_integer(record, "correlation_id", "ancestor"),
            )

    def _operation(self, record: Mapping[str, Any]) -> tuple[str, str]:
        """Names of kind and operation; records hold positions in the list of names."""
        names = _get(self._data, "strings", "buffer_records")
        kind = _at(names, record.get("kind"))
        operation = _at(_get(kind, "operations"), record.get("operation"))
        return _text(_get(kind, "kind")) or NAME_NOT_RECORDED, _text(operation) or NAME_NOT_RECORDED

    def _node(self, agent: Any) -> int:
        return self._node_of_handle.get(_integer(agent, "handle"), UNKNOWN)

    def _records(self, *path: str) -> Iterator[Mapping[str, Any]]:
        return _maps(_get(self._data, *path))


def _is_map(value: Any) -> bool:
    return isinstance(value, dict)


def _maps(value: Any) -> Iterator[Mapping[str, Any]]:
    return (item for item in value if _is_map(item)) if isinstance(value, list) else iter(())


def _get(value: Any, *path: str) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _at(values: Any, position: Any) -> Any:
    if isinstance(values, list) and isinstance(position, int) and 0 <= position < len(values):
        return values[position]
    return None


def _text(value: Any) -> Optional[str]:
    return value if isinstance(value, str) and value else None


def _optional(value: Any, *path: str) -> Optional[int]:
    number = _get(value, *path)
    is_integer = isinstance(number, int) and not isinstance(number, bool)
    return number if is_integer and abs(number) <= _LARGEST else None


def _integer(value: Any, *path: str) -> int:
    number = _optional(value, *path)
    return UNKNOWN if number is None else number


def _dim3(value: Any) -> Dim3:
    return _integer(value, "x"), _integer(value, "y"), _integer(value, "z")
