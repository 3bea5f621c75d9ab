"""The profiler with an application that records what it was told to."""

from __future__ import annotations

from pathlib import Path

import pytest
from profiler_support import Bench, make_bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return make_bench(tmp_path)
