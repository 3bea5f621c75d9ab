"""Agents in CSV files: rocprofv3 names them in one of three ways, told by ``--agent-index``.

``Agent 3`` counts all agents that the process can see, a bare ``3`` (older releases) is the node
of the kernel driver, ``GPU 0`` counts the agents of one type.
"""

from __future__ import annotations

import re
from typing import Optional

from rocm_perf_lab.trace.builder import TraceBuilder
from rocm_perf_lab.trace.csv.rows import CsvRow, parse_integer
from rocm_perf_lab.trace.model import UNKNOWN, Agent
from rocm_perf_lab.trace.records import THIS_PROCESS

_NAME = re.compile(r"(?:(Agent|GPU|CPU) )?(\d{1,9})")
_NOT_RECORDED = "unknown"


class CsvAgents:
    """Turns the agent names of rows into node ids."""

    def __init__(self, builder: TraceBuilder) -> None:
        self._builder = builder
        self._kinds: dict[int, str] = {}  # by node
        self._by_logical: dict[int, int] = {}
        self._asked: dict[tuple[Optional[str], bool], int] = {}  # all agents are known by then
        self._by_type: dict[tuple[str, int], int] = {}

    def add(self, row: CsvRow) -> None:
        """One line of ``agent_info.csv``; all its numbers become facts of the agent."""
        node = row.integer("Node_Id")
        if node == UNKNOWN:
            return
        kind = row.text("Agent_Type") or _NOT_RECORDED
        type_index = sum(1 for other in self._kinds.values() if other == kind)
        self._by_type[kind, type_index] = node
        self._by_logical.setdefault(row.integer("Logical_Node_Id"), node)
        self._kinds[node] = kind
        facts: dict[str, object] = {}
        for name in row.columns:
            text = row.text(name)
            if text is not None:
                number = parse_integer(text)
                facts[name.lower()] = text if number is None else number
        self._builder.add_agent(
            Agent(
                THIS_PROCESS,
                node,
                kind,
                row.text("Name") or _NOT_RECORDED,
                row.text("Product_Name"),
                type_index,
                facts,
            )
        )

    def node(self, name: Optional[str], *, runs_kernels: bool = False) -> int:
        """The node id of a named agent. What runs kernels is a GPU, even if not described."""
        key = name, runs_kernels
        if key not in self._asked:
            self._asked[key] = self._node(name, runs_kernels)
        return self._asked[key]

    def _node(self, name: Optional[str], runs_kernels: bool) -> int:
        match = _NAME.fullmatch((name or "").strip())
        if match is None:
            return UNKNOWN
        kind, number = match[1], int(match[2])
        node = self._described(kind, number, runs_kernels)
        if node is not None:
            return node
        if number not in self._kinds:
            self._add_undescribed(number, runs_kernels)
        return number

    def _described(self, kind: Optional[str], number: int, runs_kernels: bool) -> Optional[int]:
        if kind in ("GPU", "CPU"):
            return self._by_type.get((kind, number))
        by_node = number if number in self._kinds else None
        if kind is None:
            return by_node
        by_logical = self._by_logical.get(number)
        if runs_kernels and by_logical is not None and self._kinds[by_logical] != "GPU":
            return by_node  # recorded with --agent-index=absolute
        return by_logical

    def _add_undescribed(self, number: int, runs_kernels: bool) -> None:
        kind = "GPU" if runs_kernels else _NOT_RECORDED
        self._kinds[number] = kind
        self._builder.add_agent(Agent(THIS_PROCESS, number, kind, _NOT_RECORDED, None, UNKNOWN))
        self._builder.warnings.append(
            f"{self._builder.process.source}: agent {number} is not described "
            "(no agent_info.csv): its hardware is unknown"
        )
