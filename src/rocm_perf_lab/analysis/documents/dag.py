"""The dependency graph and its critical path as a document."""

from __future__ import annotations

from typing import Optional, cast

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.analysis.documents.critical_path import (
    cause_name,
    idle_model,
    idle_name,
)
from rocm_perf_lab.analysis.documents.schemas import dag as schema
from rocm_perf_lab.analysis.graph.dag import NONE, Cause, Dag, NodeKind
from rocm_perf_lab.analysis.path.critical_path import CriticalPath
from rocm_perf_lab.analysis.path.gaps import Idle, IdleTime
from rocm_perf_lab.analysis.path.run_path import RunPath
from rocm_perf_lab.analysis.path.slack import UNBOUNDED
from rocm_perf_lab.trace.model import IntColumn

MOST_NODES = 20_000


def dag_document(
    found: RunPath, tool_version: str, most_nodes: int = MOST_NODES
) -> schema.DagDocument:
    """A graph with more nodes is cut down to those that matter most for the end."""
    path = found.path
    dag = path.dag
    listed = _listed(path, most_nodes)
    edges = _all_edges(dag)
    pid = dag.trace.processes[dag.process].pid
    return schema.DagDocument(
        schema_version=schema.SCHEMA_VERSION,
        tool_version=tool_version,
        virtual=dag.trace.is_virtual,
        run=found.run,
        pid=pid if pid >= 0 else None,
        first_begin_ns=dag.first_begin,
        span_ns=path.span_ns,
        critical_path_ns=path.critical_path_ns,
        kernels=[kernel.name for kernel in dag.trace.kernels],
        path=path.nodes[listed[path.nodes]].tolist(),
        node_count=len(dag),
        edge_count=len(edges),
        left_out=_left_out(dag, most_nodes),
        nodes=_nodes(path, np.flatnonzero(listed)),
        edges=_edges(edges[listed[edges["source"]] & listed[edges["target"]]]),
        gaps=_gaps(path, listed),
    )


def _left_out(dag: Dag, most_nodes: int) -> Optional[str]:
    if len(dag) <= most_nodes:
        return None
    return (
        f"{most_nodes} of {len(dag)} nodes are listed: those of the critical path, then those with "
        "the least slack, of equal ones the longest; and the edges and gaps between them"
    )


def _listed(path: CriticalPath, most_nodes: int) -> npt.NDArray[np.bool_]:
    dag = path.dag
    listed = np.ones(len(dag), dtype=bool)
    if len(dag) > most_nodes:
        off_path = np.ones(len(dag), dtype=bool)
        off_path[path.nodes] = False
        order = np.lexsort((-dag.duration, path.slack, off_path))
        listed[order[most_nodes:]] = False
    return listed


def _nodes(path: CriticalPath, nodes: IntColumn) -> list[schema.NodeModel]:
    dag = path.dag
    on_path = np.zeros(len(dag), dtype=bool)
    on_path[path.nodes] = True
    places = _places(dag)
    kernel = dag.kernel
    models = []
    for node in nodes.tolist():
        slack = int(path.slack[node])
        device, stream = places.get(int(dag.chain[node]), (None, None))
        models.append(
            schema.NodeModel(
                id=node,
                kind=_kind_name(dag, node),
                kernel=int(kernel[node]) if kernel[node] != NONE else None,
                what=_what(dag, node),
                device=device,
                stream=stream,
                begin_ns=int(dag.begin[node]) - dag.first_begin,
                end_ns=int(dag.end[node]) - dag.first_begin,
                slack_ns=slack if slack < UNBOUNDED else None,
                on_path=bool(on_path[node]),
            )
        )
    return models


def _kind_name(dag: Dag, node: int) -> schema.NodeKindName:
    return cast(schema.NodeKindName, NodeKind(int(dag.kind[node])).name.lower())


def _what(dag: Dag, node: int) -> Optional[str]:
    trace, row = dag.trace, int(dag.row[node])
    if dag.kind[node] == NodeKind.DISPATCH:
        return None
    if dag.kind[node] == NodeKind.COPY:
        return trace.strings[int(trace.copies.direction[row])]
    return trace.strings[int(trace.api_calls.name[row])]


def _places(dag: Dag) -> dict[int, tuple[Optional[str], Optional[int]]]:
    """Device and stream of every chain that ran work."""
    trace = dag.trace
    chains, first = np.unique(dag.chain[dag.is_work], return_index=True)
    found: dict[int, tuple[Optional[str], Optional[int]]] = {}
    for chain, node in zip(chains.tolist(), np.flatnonzero(dag.is_work)[first].tolist()):
        row = int(dag.row[node])
        if dag.kind[node] == NodeKind.DISPATCH:
            agent, stream = trace.dispatches.agent[row], trace.dispatches.stream[row]
        else:
            agent, stream = trace.copies.target_agent[row], trace.copies.stream[row]
            if agent == NONE or trace.agents[agent].kind != "GPU":
                agent = trace.copies.source_agent[row]
        device = None if agent == NONE else trace.agents[agent]
        found[chain] = (
            None if device is None else f"{device.name}:{device.type_index}",
            None if stream == NONE else trace.streams[stream].id,
        )
    return found


_EDGE = np.dtype(
    [
        ("source", np.int64),
        ("target", np.int64),
        ("cause", np.int8),
        ("confidence", np.float64),
        ("lag", np.int64),
        ("binding", np.bool_),
    ]
)


def _all_edges(dag: Dag) -> npt.NDArray[np.void]:
    """Chain order and host order written out too, by target."""
    chained = np.flatnonzero(dag.follows_previous)
    hosted = np.flatnonzero(dag.host_wait != NONE)
    edges = np.zeros(len(chained) + len(hosted) + len(dag.edges), dtype=_EDGE)
    chain, host, other = np.split(edges, [len(chained), len(chained) + len(hosted)])
    chain["source"], chain["target"] = chained - 1, chained
    chain["cause"], chain["confidence"] = dag.chain_cause[chained], dag.chain_confidence[chained]
    chain["lag"] = dag.chain_lag[chained]
    host["source"], host["target"] = dag.host_wait[hosted], hosted
    host["cause"], host["confidence"], host["lag"] = Cause.HOST_ORDER, 1.0, dag.host_lag[hosted]
    other["source"], other["target"] = dag.edges.source, dag.edges.target
    other["cause"], other["confidence"] = dag.edges.cause, dag.edges.confidence
    other["lag"] = dag.edge_lag
    edges["binding"] = dag.end[edges["source"]] + edges["lag"] == dag.ready[edges["target"]]
    return edges[np.argsort(edges["target"], kind="stable")]


def _edges(edges: npt.NDArray[np.void]) -> list[schema.EdgeModel]:
    return [
        schema.EdgeModel(
            source=source,
            target=target,
            cause=cause_name(cause),
            confidence=confidence,
            lag_ns=lag,
            binding=binding,
        )
        for source, target, cause, confidence, lag, binding in edges.tolist()
    ]


def _gaps(path: CriticalPath, listed: npt.NDArray[np.bool_]) -> list[schema.DagGapModel]:
    gaps, first = path.gaps, path.dag.first_begin
    models = []
    for place in np.flatnonzero(listed[gaps.node]).tolist():
        parts = gaps.parts[place].tolist()
        models.append(
            schema.DagGapModel(
                before=int(gaps.node[place]),
                begin_ns=int(gaps.begin[place]) - first,
                end_ns=int(gaps.end[place]) - first,
                kind=idle_name(Idle(int(np.argmax(parts)))),
                parts=idle_model(IdleTime(*parts)),
            )
        )
    return models
