"""XCDs that are simulated side by side: the same record for any number of host threads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from benchmarks.random_kernels import random_programs
from hip_support import PROGRAMS, compiled, needs_hip, prefix, shared_folder, trace_records

pytestmark = needs_hip

MODES: dict[str, dict[str, str]] = {
    "sampled": {},
    "whole": {"VROCM_TIMING": "full"},
    "counted": {"VROCM_COUNTERS": "1"},
}


def told(
    program: Path, parent: Path, threads: int, how: dict[str, str], *arguments: object
) -> list[dict[str, Any]]:
    """What the records of its dispatches say but for the host that ran them."""
    environment = {**how, "VROCM_THREADS": str(threads)}
    records = trace_records(program, parent, *arguments, environment=environment)
    return [{k: v for k, v in r.items() if k not in ("pid", "tid", "real_ns")} for r in records]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(shared_folder(tmp_path_factory), PROGRAMS / "side_by_side.hip")


@pytest.mark.parametrize("mode", MODES)
def test_xcds_side_by_side_take_as_long_as_one_by_one(
    program: Path, tmp_path: Path, mode: str
) -> None:
    alone, *others = (told(program, tmp_path, threads, MODES[mode]) for threads in (1, 2, 3))
    assert len(alone) == 10
    assert others == [alone, alone]


@pytest.mark.weekly
def test_random_kernels_take_as_long_on_any_number_of_threads(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    hipcc = prefix(shared_folder(tmp_path_factory)) / "bin" / "hipcc"
    for _, (path, *arguments) in random_programs(20, hipcc, tmp_path, range(12)):
        for mode in ("sampled", "whole"):
            alone, *others = (
                told(Path(path), tmp_path, threads, MODES[mode], *arguments)
                for threads in (1, 2, 3)
            )
            assert others == [alone, alone], arguments
