"""The dependency graph as a document, version 1.0: ``dag.json``.

Times are ns after ``first_begin_ns``. A node is named by its ``id``, which edges and gaps use.
"""

from __future__ import annotations

from typing import Final, Literal, Optional

from pydantic import BaseModel, ConfigDict, Field

from rocm_perf_lab.analysis.documents.schemas.critical_path import CauseName, IdleKind, IdleModel

SCHEMA_VERSION: Final = "1.0"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


NodeKindName = Literal["dispatch", "copy", "host_wait", "event_wait"]


class NodeModel(_Strict):
    id: int
    kind: NodeKindName
    kernel: Optional[int] = Field(description="of a dispatch: index into kernels")
    what: Optional[str] = Field(description="of a copy its direction, of a wait the API call")
    device: Optional[str] = Field(description="GPU and its number in the process")
    stream: Optional[int] = Field(description="as the recording numbers it")
    begin_ns: int = Field(description="of a host wait: when what it waited for had ended")
    end_ns: int
    slack_ns: Optional[int] = Field(
        description="how much longer it may take before the last work ends later; "
        "null when no later GPU work depends on it"
    )
    on_path: bool


class EdgeModel(_Strict):
    source: int
    target: int
    cause: CauseName
    confidence: float
    lag_ns: int = Field(description="from the end of the source until the target could begin")
    binding: bool = Field(description="no other dependency of the target was met later")


class DagGapModel(_Strict):
    before: int = Field(description="the node that ended the gap")
    begin_ns: int
    end_ns: int
    kind: IdleKind = Field(description="the largest part")
    parts: IdleModel


class DagDocument(_Strict):
    schema_version: Literal["1.0"]
    tool_version: str
    virtual: bool
    run: int = Field(description="from 0; the run with the median span")
    pid: Optional[int]
    first_begin_ns: int = Field(description="on the clock of the recording")
    span_ns: int
    critical_path_ns: int
    kernels: list[str]
    path: list[int] = Field(description="nodes of the critical path that are listed, in order")
    node_count: int = Field(description="of the whole graph")
    edge_count: int
    left_out: Optional[str] = Field(
        description="which nodes are listed when the graph is too large; null: all of them"
    )
    nodes: list[NodeModel]
    edges: list[EdgeModel]
    gaps: list[DagGapModel]
