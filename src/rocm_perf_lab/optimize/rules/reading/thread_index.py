"""Loops that a whole grid or workgroup shares: each thread starts at its own index and steps by the
number of threads, so that every element is visited by exactly one of them."""

from __future__ import annotations

from typing import Optional

from rocm_perf_lab.optimize.rules.reading.affine import Indices
from rocm_perf_lab.optimize.rules.reading.loop_shape import CountedLoop
from rocm_perf_lab.optimize.rules.reading.syntax import parents
from rocm_perf_lab.optimize.rules.reading.uniformity import GRID, GROUP
from rocm_perf_lab.optimize.rules.rule import Situation

_THREAD, _BLOCK = ("threadIdx.x",), ("blockDim.x", "blockIdx.x")
_STARTS_AND_STEPS = {
    GRID: ({_THREAD: 1, _BLOCK: 1}, {("blockDim.x", "gridDim.x"): 1}),
    GROUP: ({_THREAD: 1}, {("blockDim.x",): 1}),
}


def shared_by(situation: Situation, loop: CountedLoop) -> Optional[str]:
    """GRID or GROUP when all threads of it share the loop's iterations, else None."""
    if loop.start is None or loop.step_node is None or not loop.counts_up:
        return None
    indices = Indices(situation)
    found = (indices.polynomial(loop.start), indices.polynomial(loop.step_node))
    for sharing, wanted in _STARTS_AND_STEPS.items():
        if found == wanted:
            return sharing if _all_arrive(situation, loop) else None
    return None


def _all_arrive(situation: Situation, loop: CountedLoop) -> bool:
    """No thread left the kernel before, and the loop is behind no condition."""
    parent = parents(situation.kernel.tree)[id(loop.node)]
    return parent is situation.kernel.tree and not any(
        node.kind in ("ReturnStmt", "GotoStmt", "LabelStmt")
        for node in situation.kernel.tree.walk()
    )
