"""The small tables of a rocpd database: process, agents, kernels, queues, streams, code objects."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Optional

from rocm_perf_lab.trace.model import (
    UNKNOWN,
    Agent,
    CodeObject,
    Kernel,
    Process,
    Queue,
    Stream,
)
from rocm_perf_lab.trace.records import THIS_PROCESS
from rocm_perf_lab.trace.rocpd.process import RocpdProcess
from rocm_perf_lab.trace.vocabulary import readable_symbol, unnamed_kernel

_COUNTS = frozenset((int, type(None)))


def read_process(recorded: RocpdProcess) -> Process:
    """``environment`` and the tool configuration in ``extdata`` are deliberately not read."""
    rows = list(recorded.rows("rocpd_info_process", ("pid", "command")))
    hosts = list(recorded.rows("rocpd_info_node", ("hostname",)))
    pid, command = rows[0] if rows else (None, None)
    return Process(
        guid=recorded.tables.guid,
        pid=pid if isinstance(pid, int) else UNKNOWN,
        command=_text(command),
        hostname=_text(hosts[0][0]) if hosts else None,
        source=str(recorded.path),
    )


def read_agents(recorded: RocpdProcess) -> tuple[Agent, ...]:
    names = ("id", "type", "name", "product_name", "type_index", "extdata")
    return tuple(
        Agent(
            process=THIS_PROCESS,
            id=row_id,
            kind=_text(kind) or "unknown",
            name=_text(name) or "unknown",
            product=_text(product),
            type_index=type_index if isinstance(type_index, int) else UNKNOWN,
            facts=_json_object(facts),
        )
        for row_id, kind, name, product, type_index, facts in recorded.rows(
            "rocpd_info_agent", names
        )
        if isinstance(row_id, int)
    )


def read_kernels(recorded: RocpdProcess) -> list[Kernel]:
    names = (
        "id",
        "display_name",
        "kernel_name",
        "code_object_id",
        "arch_vgpr_count",
        "accum_vgpr_count",
        "sgpr_count",
        "group_segment_size",
        "private_segment_size",
        "kernarg_segment_size",
    )
    kernels = []
    for row_id, display, symbol, *numbers in recorded.rows("rocpd_info_kernel_symbol", names):
        if not isinstance(row_id, int):
            continue
        name = readable_symbol(_text(display) or _text(symbol)) or unnamed_kernel(row_id)
        counts = numbers if _COUNTS.issuperset(map(type, numbers)) else map(_count, numbers)
        kernels.append(Kernel(THIS_PROCESS, row_id, name, _text(symbol), *counts))
    return kernels


def read_queues(recorded: RocpdProcess) -> list[Queue]:
    return [
        Queue(THIS_PROCESS, row_id, _text(name) or f"Queue {row_id}")
        for row_id, name in recorded.rows("rocpd_info_queue", ("id", "name"))
        if isinstance(row_id, int)
    ]


def read_streams(recorded: RocpdProcess) -> list[Stream]:
    return [
        Stream(THIS_PROCESS, row_id, _text(name) or f"Stream {row_id}")
        for row_id, name in recorded.rows("rocpd_info_stream", ("id", "name"))
        if isinstance(row_id, int)
    ]


def read_code_objects(recorded: RocpdProcess, agents: tuple[Agent, ...]) -> tuple[CodeObject, ...]:
    index_of_agent = {agent.id: index for index, agent in enumerate(agents)}
    names = ("id", "agent_id", "uri", "load_base", "load_size")
    return tuple(
        CodeObject(
            process=THIS_PROCESS,
            id=row_id,
            agent=index_of_agent.get(agent_id, UNKNOWN),
            uri=_text(uri),
            load_base=_count(load_base),
            load_size=_count(load_size),
        )
        for row_id, agent_id, uri, load_base, load_size in recorded.rows(
            "rocpd_info_code_object", names
        )
        if isinstance(row_id, int)
    )


def _text(value: Any) -> Optional[str]:
    return value if isinstance(value, str) and value else None


def _count(value: Any) -> Optional[int]:
    return value if isinstance(value, int) else None


def _json_object(value: Any) -> Mapping[str, object]:
    try:
        parsed = json.loads(value)
    except (TypeError, ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}
