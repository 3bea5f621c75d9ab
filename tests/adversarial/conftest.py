"""What the tests of the corpus share."""

from __future__ import annotations

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
