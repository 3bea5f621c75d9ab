"""The documents of the critical path: what they say of large graphs, processes and copies."""

from __future__ import annotations

from task_executor import Machine, random_program

from fakes.task_recordings import Recording
from rocm_perf_lab.analysis.documents.dag import dag_document
from rocm_perf_lab.analysis.path.run_path import RunPath, path_of_runs
from rocm_perf_lab.strict_json import plain
from rocm_perf_lab.trace.merge import merge
from rocm_perf_lab.trace.model import Trace

VERSION = "0"


def found(*traces: Trace) -> RunPath:
    path = path_of_runs(traces)
    assert path is not None
    return path


def test_a_graph_that_is_too_large_keeps_what_decides_the_end() -> None:
    run = found(Machine(random_program(7)).run().trace())
    whole = dag_document(run, VERSION)
    assert whole.left_out is None
    assert len(whole.nodes) == whole.node_count
    most = len(whole.path) + 3
    cut = dag_document(run, VERSION, most_nodes=most)
    assert cut.left_out is not None
    assert cut.left_out.startswith(f"{most} of {whole.node_count} nodes are listed")
    assert cut.path == whole.path
    listed = {node.id for node in cut.nodes}
    assert listed >= set(whole.path)
    assert len(listed) == most
    assert (cut.node_count, cut.edge_count) == (whole.node_count, len(whole.edges))
    assert cut.edges == [e for e in whole.edges if {e.source, e.target} <= listed]
    others = [node for node in whole.nodes if node.id not in set(whole.path)]
    by_slack = sorted(node.slack_ns for node in others if node.slack_ns is not None)
    kept = sorted(
        node.slack_ns for node in cut.nodes if not node.on_path and node.slack_ns is not None
    )
    assert kept == by_slack[:3]


def test_edges_and_gaps_explain_every_begin_of_the_path() -> None:
    """Each node of the path begins when a binding dependency lets it, after its gap."""
    for seed in range(20):
        document = dag_document(found(Machine(random_program(seed)).run().trace()), VERSION)
        begin = {node.id: node.begin_ns for node in document.nodes}
        binding = {(edge.source, edge.target) for edge in document.edges if edge.binding}
        for before, node in zip(document.path, document.path[1:]):
            assert (before, node) in binding
        for gap in document.gaps:
            assert gap.end_ns == begin[gap.before]
            assert sum(plain(gap.parts).values()) == gap.end_ns - gap.begin_ns
        idle = sum(gap.end_ns - gap.begin_ns for gap in document.gaps)
        assert document.critical_path_ns + idle == document.span_ns


def test_the_longest_process_of_the_median_run_is_shown() -> None:
    def run(*lengths: int) -> Trace:
        traces = []
        for pid, length in enumerate(lengths, start=1):
            record = Recording(pid)
            record.kernel("k", 0, length)
            traces.append(record.trace())
        return merge(traces, "run")

    shown = found(run(10, 500), run(400, 20), run(30, 900))
    assert (shown.run, shown.runs) == (0, 3)
    assert [path.span_ns for path in shown.paths] == [500, 10]
    assert dag_document(shown, VERSION).pid == 2


def test_a_copy_is_placed_on_its_gpu_and_named_by_its_direction() -> None:
    document = dag_document(found(Machine(random_program(1)).run().trace()), VERSION)
    copies = [node for node in document.nodes if node.kind == "copy"]
    assert copies
    for copy in copies:
        assert (copy.kernel, copy.what, copy.device) == (None, "H2D", "gfx942:0")
        assert copy.stream is not None
