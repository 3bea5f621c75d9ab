"""The dependency graph as a document, version 1.0: ``dag.json``.

Times are ns after ``first_begin_ns``. A node is named by its ``id``, which edges and gaps use.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, Optional

from rocm_perf_lab.analysis.documents.schemas.critical_path import CauseName, IdleKind, IdleModel
from rocm_perf_lab.strict_json import Strict, says

SCHEMA_VERSION: Final = "1.0"


NodeKindName = Literal["dispatch", "copy", "host_wait", "event_wait"]


class NodeModel(Strict):
    id: int
    kind: NodeKindName
    kernel: Annotated[Optional[int], says("of a dispatch: index into kernels")]
    what: Annotated[Optional[str], says("of a copy its direction, of a wait the API call")]
    device: Annotated[Optional[str], says("GPU and its number in the process")]
    stream: Annotated[Optional[int], says("as the recording numbers it")]
    begin_ns: Annotated[int, says("of a host wait: when what it waited for had ended")]
    end_ns: int
    slack_ns: Annotated[
        Optional[int],
        says(
            "how much longer it may take before the last work ends later; "
            "null when no later GPU work depends on it"
        ),
    ]
    on_path: bool


class EdgeModel(Strict):
    source: int
    target: int
    cause: CauseName
    confidence: float
    lag_ns: Annotated[int, says("from the end of the source until the target could begin")]
    binding: Annotated[bool, says("no other dependency of the target was met later")]


class DagGapModel(Strict):
    before: Annotated[int, says("the node that ended the gap")]
    begin_ns: int
    end_ns: int
    kind: Annotated[IdleKind, says("the largest part")]
    parts: IdleModel


class DagDocument(Strict):
    schema_version: Literal["1.0"]
    tool_version: str
    virtual: bool
    run: Annotated[int, says("from 0; the run with the median span")]
    pid: Optional[int]
    first_begin_ns: Annotated[int, says("on the clock of the recording")]
    span_ns: int
    critical_path_ns: int
    kernels: list[str]
    path: Annotated[list[int], says("nodes of the critical path that are listed, in order")]
    node_count: Annotated[int, says("of the whole graph")]
    edge_count: int
    left_out: Annotated[
        Optional[str], says("which nodes are listed when the graph is too large; null: all of them")
    ]
    nodes: list[NodeModel]
    edges: list[EdgeModel]
    gaps: list[DagGapModel]
