"""What the tests of the corpus share."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rocm_perf_lab.collect.prefix import find_prefix

sys.path.insert(0, str(Path(__file__).parent))  # the corpus imports its own files by name

from source_gate import SourceGate


@pytest.fixture(scope="session")
def source_gate(virtual_rocm: Path) -> Iterator[SourceGate]:
    gate = SourceGate(find_prefix(virtual_rocm))
    yield gate
    gate.close()


@pytest.fixture(scope="session")
def baseline_program(virtual_rocm: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """programs/kernels.hip, built."""
    program = tmp_path_factory.mktemp("baseline") / "kernels"
    source = Path(__file__).parent / "programs" / "kernels.hip"
    command = [str(virtual_rocm / "bin" / "hipcc"), "-O3", str(source), "-o", str(program)]
    subprocess.run(command, check=True, capture_output=True)
    return program
