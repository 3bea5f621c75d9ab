from __future__ import annotations

from pathlib import Path

import pytest
from aiter_support import Job, prefix, shared_folder


@pytest.fixture
def job(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Job:
    """One that has no arrays yet."""
    return Job(prefix(shared_folder(tmp_path_factory)), tmp_path)
