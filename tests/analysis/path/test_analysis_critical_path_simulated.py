"""1,000 random programs, executed by an independent machine, analysed from their recordings."""

from __future__ import annotations

import random

import numpy as np
import pytest
from task_executor import Machine, random_program

from rocm_perf_lab.analysis.graph.dag import NodeKind
from rocm_perf_lab.analysis.path.critical_path import CriticalPath, critical_paths
from rocm_perf_lab.analysis.path.schedule import Schedule
from rocm_perf_lab.analysis.path.slack import UNBOUNDED
from rocm_perf_lab.analysis.path.what_if import what_if

BATCHES, PROGRAMS_PER_BATCH = 20, 50
DELAYED_PER_PROGRAM = 4


@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_programs(batch: int) -> None:
    unambiguous = 0
    for seed in range(batch * PROGRAMS_PER_BATCH, (batch + 1) * PROGRAMS_PER_BATCH):
        machine = Machine(random_program(seed)).run()
        (path,) = critical_paths(machine.trace())
        unambiguous += machine.ties == 0
        _check_that_the_graph_reproduces_the_recording(path)
        _check_the_path(machine, path)
        _check_slack(machine, path, random.Random(seed))
        _check_what_if(machine, path, kernel=seed % 5)
    assert unambiguous > 0.9 * PROGRAMS_PER_BATCH


def _check_that_the_graph_reproduces_the_recording(path: CriticalPath) -> None:
    dag = path.dag
    assert np.array_equal(Schedule(dag).ends(dag.duration), dag.end)
    assert (dag.delay >= 0).all()
    assert (dag.duration >= 0).all()
    assert (dag.rank[dag.edges.source] < dag.rank[dag.edges.target]).all()


def _check_the_path(machine: Machine, path: CriticalPath) -> None:
    """The path is the one that was executed; of two that end together, either is right."""
    assert path.span_ns == machine.span
    assert path.critical_path_ns <= path.span_ns
    assert path.critical_path_ns + path.idle.total_ns == path.span_ns
    if machine.ties == 0:
        true = machine.true_path()
        piece = _pieces(machine, path)
        assert [piece[node] for node in path.nodes.tolist() if piece[node] >= 0] == true
        work = sum(machine.pieces[i].end - machine.pieces[i].start for i in true)
        assert path.critical_path_ns == work


def _check_slack(machine: Machine, path: CriticalPath, chance: random.Random) -> None:
    """A delay by the slack keeps the end, and one nanosecond more does not."""
    pieces = _pieces(machine, path)
    nodes = [node for node, piece in enumerate(pieces) if piece >= 0]
    for node in chance.sample(nodes, min(DELAYED_PER_PROGRAM, len(nodes))):
        slack, piece = int(path.slack[node]), pieces[node]
        assert 0 <= slack < UNBOUNDED
        late = Machine(machine.program, extra={piece: slack}).run()
        assert late.last_end == machine.last_end
        later = Machine(machine.program, extra={piece: slack + 1}).run()
        assert later.last_end == machine.last_end + 1


def _check_what_if(machine: Machine, path: CriticalPath, kernel: int) -> None:
    """The answer agrees with executing the program again on faster (or slower) kernels."""
    for chosen, factor in ((0, 2.0), (kernel, 10.0), (kernel, 0.5)):
        answer = what_if(Schedule(path.dag), {f"k{chosen}": factor})
        again = Machine(machine.program, factor={chosen: factor}).run().span
        assert answer.before_ns == machine.span
        assert answer.after_ns == pytest.approx(again, rel=0.01)


def _pieces(machine: Machine, path: CriticalPath) -> list[int]:
    """For each node of the graph the executed piece of work, -1 for waits."""
    dispatches = [i for i, piece in enumerate(machine.pieces) if piece.kernel is not None]
    copies = [i for i, piece in enumerate(machine.pieces) if piece.kernel is None]
    of = {NodeKind.DISPATCH: dispatches, NodeKind.COPY: copies}
    kinds, rows = path.dag.kind.tolist(), path.dag.row.tolist()
    return [of[NodeKind(k)][row] if k in of else -1 for k, row in zip(kinds, rows)]
