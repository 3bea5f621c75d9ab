"""Writes a ``Trace`` as rocprofv3's ``_results.json``.

Arguments of calls are left out, as they are by rocprofv3.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

from rocm_perf_lab.trace.counter_info import CounterInfo, with_undescribed
from rocm_perf_lab.trace.files.beside import written_beside
from rocm_perf_lab.trace.model import UNKNOWN, Agent, Trace
from rocm_perf_lab.trace.selection import select_process
from rocm_perf_lab.trace.vocabulary import allocation_record

_ROOT = "rocprofiler-sdk-tool"
_AGENT_TYPES = {"CPU": 1, "GPU": 2}
_MARKER, _MARKER_NAME = "MARKER_CORE_RANGE_API", "roctxThreadRangeA"
# Where the calls of a category stand; the others have no place in the document.
_API_TABLES = (("HIP", "hip_api"), ("HSA", "hsa_api"), ("RCCL", "rccl_api"))

Record = Mapping[str, Any]


def write_json(
    trace: Trace,
    path: Path,
    *,
    kernel_trace: bool = True,
    counters: Sequence[CounterInfo] = (),
) -> None:
    """Write every process of the Trace, beside ``path`` first, then rename.

    Without a kernel trace, dispatches are only in the records of their counters. ``counters``
    describes the counters of the device; those that have values are listed anyhow.
    """
    document = {
        _ROOT: [
            _JsonProcess(select_process(trace, index), counters).document(kernel_trace)
            for index in range(len(trace.processes))
        ]
    }
    with written_beside(path) as beside, open(beside, "w", encoding="utf-8") as stream:
        stream.write(json.dumps(document, separators=(",", ":")))  # json.dump is much slower
        stream.write("\n")


class _Kinds:
    """Names of kinds and their operations; records hold the positions in these lists."""

    def __init__(self) -> None:
        self._kinds: dict[str, int] = {}
        self._operations: list[dict[str, int]] = []

    def __call__(self, kind: str, operation: str) -> dict[str, int]:
        if kind not in self._kinds:
            self._kinds[kind] = len(self._kinds)
            self._operations.append({})
        position = self._kinds[kind]
        operations = self._operations[position]
        return {"kind": position, "operation": operations.setdefault(operation, len(operations))}

    def listed(self) -> list[Record]:
        return [
            {"kind": kind, "operations": list(operations)}
            for kind, operations in zip(self._kinds, self._operations)
        ]


class _JsonProcess:
    """The element of the root list for a Trace of one process."""

    def __init__(self, trace: Trace, counters: Sequence[CounterInfo]) -> None:
        self._trace = trace
        used = sorted({trace.strings[index] for index in trace.counters.name})
        self._counter_infos = with_undescribed(counters, used)
        self._kinds = _Kinds()
        self._messages: list[Record] = []

    def document(self, kernel_trace: bool) -> dict[str, Any]:
        buffer = {
            "kernel_dispatch": list(self._dispatches()) if kernel_trace else [],
            "memory_copy": list(self._copies()),
            "memory_allocation": list(self._allocations(scratch=False)),
            "scratch_memory": list(self._allocations(scratch=True)),
            "marker_api": list(self._markers()),
            **{table: list(self._calls(family)) for family, table in _API_TABLES},
        }
        return {
            "metadata": self._metadata(),
            "agents": [_agent(i, agent) for i, agent in enumerate(self._trace.agents)],
            "counters": list(self._counter_definitions()),
            "strings": {
                "buffer_records": self._kinds.listed(),
                "marker_api": self._messages,
            },
            "code_objects": list(self._code_objects()),
            "kernel_symbols": list(self._kernels()),
            "callback_records": {"counter_collection": list(self._counters())},
            "buffer_records": buffer,
        }

    def _metadata(self) -> Record:
        process = self._trace.processes[0]
        return {
            "pid": process.pid,
            "node": {"hostname": process.hostname},
            "command": process.command.split(" ") if process.command else [],
        }

    def _code_objects(self) -> Iterator[Record]:
        for item in self._trace.code_objects:
            yield {
                "code_object_id": item.id,
                "rocp_agent": self._agent(item.agent),
                "uri": item.uri,
                "load_base": item.load_base,
                "load_size": item.load_size,
            }

    def _kernels(self) -> Iterator[Record]:
        for kernel in self._trace.kernels:
            yield {
                "kernel_id": kernel.id,
                "code_object_id": kernel.code_object,
                "kernel_name": kernel.symbol,
                "formatted_kernel_name": kernel.name,
                "arch_vgpr_count": kernel.arch_vgpr,
                "accum_vgpr_count": kernel.accum_vgpr,
                "sgpr_count": kernel.sgpr,
                "group_segment_size": kernel.static_lds,
                "private_segment_size": kernel.static_scratch,
                "kernarg_segment_size": kernel.kernarg_size,
            }

    def _dispatches(self) -> Iterator[Record]:
        rows = self._trace.dispatches
        bounds = self._bounds()
        for row in range(len(rows)):
            yield {
                **self._kinds("KERNEL_DISPATCH", "KERNEL_DISPATCH_COMPLETE"),
                **self._span(rows, row),
                **self._dispatch(row),
                **({"bound": bounds[row]} if row in bounds else {}),
            }

    def _bounds(self) -> dict[int, Record]:
        """Of dispatches of the virtual device whose time a bound decided."""
        bounds, strings = self._trace.bounds, self._trace.strings
        return {
            int(row): {"name": strings[name], "simulated_ns": int(simulated)}
            for row, name, simulated in zip(bounds.dispatch, bounds.name, bounds.simulated)
        }

    def _dispatch(self, row: int) -> dict[str, Any]:
        rows = self._trace.dispatches
        return {
            "thread_id": _number(rows.thread[row]),
            "correlation_id": _correlation(rows.stack_id[row]),
            "stream_id": _handle(_id(self._trace.streams, rows.stream[row])),
            "graph_exec_id": _number(rows.graph_exec[row]),
            "dispatch_info": {
                "agent_id": self._agent(rows.agent[row]),
                "queue_id": _handle(_id(self._trace.queues, rows.queue[row])),
                "kernel_id": self._trace.kernels[rows.kernel[row]].id,
                "dispatch_id": _number(rows.dispatch_id[row]),
                "private_segment_size": _number(rows.scratch[row]),
                "group_segment_size": _number(rows.lds[row]),
                "workgroup_size": _dim3(rows.block[row]),
                "grid_size": _dim3(rows.grid[row]),
            },
        }

    def _counter_definitions(self) -> Iterator[Record]:
        gpu = next((agent for agent in self._trace.agents if agent.kind == "GPU"), None)
        for number, info in enumerate(self._counter_infos, start=1):
            yield {
                "agent_id": _handle(gpu.id if gpu else None),
                "id": _handle(number),
                "is_constant": int(info.is_constant),
                "is_derived": int(info.is_derived),
                "name": info.name,
                "description": info.description,
                "block": info.block,
                "expression": info.expression,
            }

    def _counters(self) -> Iterator[Record]:
        handle = {info.name: number for number, info in enumerate(self._counter_infos, start=1)}
        counters = self._trace.counters
        values: dict[int, list[Record]] = {}
        for row, name, value in zip(counters.dispatch, counters.name, counters.value):
            counter = {"handle": handle[self._trace.strings[name]]}
            values.setdefault(int(row), []).append({"counter_id": counter, "value": float(value)})
        for row, records in values.items():
            dispatch = self._dispatch(row)
            data = ("correlation_id", "dispatch_info")
            yield {
                **{name: value for name, value in dispatch.items() if name not in data},
                "dispatch_data": {
                    **self._span(self._trace.dispatches, row),
                    **{name: dispatch[name] for name in data},
                },
                "records": records,
            }

    def _copies(self) -> Iterator[Record]:
        rows = self._trace.copies
        for row in range(len(rows)):
            yield {
                **self._kinds("MEMORY_COPY", self._trace.strings[rows.direction[row]]),
                **self._span(rows, row),
                "thread_id": _number(rows.thread[row]),
                "correlation_id": _correlation(rows.stack_id[row]),
                "stream_id": _handle(_id(self._trace.streams, rows.stream[row])),
                "src_agent_id": self._agent(rows.source_agent[row]),
                "dst_agent_id": self._agent(rows.target_agent[row]),
                "bytes": _number(rows.bytes[row]),
            }

    def _allocations(self, *, scratch: bool) -> Iterator[Record]:
        rows = self._trace.allocations
        for row in range(len(rows)):
            level = self._trace.strings[rows.level[row]]
            if (level == "SCRATCH") == scratch:
                operation = self._trace.strings[rows.operation[row]]
                yield {
                    **self._kinds(*allocation_record(operation, level)),
                    **self._span(rows, row),
                    "agent_id": self._agent(rows.agent[row]),
                    "address": _handle(_number(rows.address[row])),
                    "allocation_size": _number(rows.bytes[row]),
                }

    def _markers(self) -> Iterator[Record]:
        """Texts are found by correlation ids: markers get some that no call has."""
        rows = self._trace.markers
        first = int(self._trace.api_calls.stack_id.max(initial=0)) + 1
        for row in range(len(rows)):
            text = self._trace.strings[rows.message[row]]
            self._messages.append({"key": first + row, "value": text})
            yield {
                **self._kinds(_MARKER, _MARKER_NAME),
                **self._span(rows, row),
                "thread_id": _number(rows.thread[row]),
                "correlation_id": {"internal": first + row},
            }

    def _calls(self, family: str) -> Iterator[Record]:
        rows = self._trace.api_calls
        for row in range(len(rows)):
            category = self._trace.strings[rows.category[row]]
            if category.startswith(family):
                yield {
                    **self._kinds(category, self._trace.strings[rows.name[row]]),
                    **self._span(rows, row),
                    "thread_id": _number(rows.thread[row]),
                    "correlation_id": _correlation(rows.stack_id[row], rows.parent_stack_id[row]),
                }

    @staticmethod
    def _span(rows: Any, row: int) -> dict[str, int]:
        return {"start_timestamp": int(rows.start[row]), "end_timestamp": int(rows.end[row])}

    def _agent(self, index: int) -> Optional[Record]:
        return None if index == UNKNOWN else _handle(self._trace.agents[index].id)


def _agent(position: int, agent: Agent) -> Record:
    return {
        **agent.facts,
        "id": _handle(agent.id),
        "node_id": agent.id,
        "logical_node_id": position,
        "logical_node_type_id": agent.type_index,
        "type": _AGENT_TYPES.get(agent.kind, 0),
        "name": agent.name,
        "product_name": agent.product or "",
    }


def _number(value: int) -> Optional[int]:
    return None if value == UNKNOWN else int(value)


def _handle(value: Optional[int]) -> Optional[Record]:
    return None if value is None else {"handle": value}


def _id(records: Sequence[Any], index: int) -> Optional[int]:
    return None if index == UNKNOWN else int(records[index].id)


def _correlation(stack: int, parent: int = UNKNOWN) -> Record:
    return {"internal": _number(stack), "ancestor": _number(parent)}


def _dim3(sizes: Sequence[int]) -> Record:
    return {axis: _number(value) for axis, value in zip("xyz", sizes)}
