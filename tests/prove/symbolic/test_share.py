"""How many changes of the rules are proven, on the examples: ``benchmarks.symbolic`` prints all."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from benchmarks.symbolic import Task, proved, sources, tasks

from rocm_perf_lab.collect.prefix import Prefix

pytest.importorskip("z3")

# The table of benchmarks/README.md: what loses a proof is seen here.
LEAST_PROVEN = {
    "unroll": 89,
    "unroll-pragma": 18,
    "launch-bounds": 47,
    "bounds-check": 2,
    "hoist": 1,
}
QUICK = (
    "matmul_tiled matmul unroll 2",
    "untuned/bounds_check_inner_loop moving_average bounds-check 1",
    "vector_add vector_add launch-bounds 0",
)


@pytest.fixture(scope="module")
def rocm(virtual_rocm: Path) -> Prefix:
    return Prefix(path=virtual_rocm, kind="virtual", found_by="test")


def changes(rocm: Prefix, *stems: str) -> dict[str, Task]:
    found = (file for file in sources() if not stems or file.stem in stems)
    return {task.name: task for file in found for task in tasks(file, rocm)}


@pytest.mark.native
@pytest.mark.parametrize("name", QUICK)
def test_changes_of_examples_are_proven(rocm: Prefix, name: str) -> None:
    task = changes(rocm, Path(name.split()[0]).name)[name]
    outcome = proved(task, rocm)
    assert outcome.proven, outcome.reason


@pytest.mark.native
@pytest.mark.weekly
@pytest.mark.timeout(3600)  # of processor time it takes a third of that
def test_no_proof_is_lost(rocm: Prefix) -> None:
    outcomes = [proved(task, rocm) for task in changes(rocm).values()]
    proven = Counter(one.rule for one in outcomes if one.proven)
    lost = {rule: proven[rule] for rule, least in LEAST_PROVEN.items() if proven[rule] < least}
    assert not lost, [f"{one.name}: {one.reason}" for one in outcomes if not one.proven]
