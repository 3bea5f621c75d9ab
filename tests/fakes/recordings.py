"""Where recordings of real GPUs are, for the tests that check known answers."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_DEFAULT = Path(__file__).resolve().parents[3] / "shared" / "data"


def recording(name: str) -> Path:
    """A recording by its path below the folder of recordings; skips where it is absent."""
    folder = Path(os.environ.get("ROCM_PERF_RECORDINGS", _DEFAULT))
    path = folder / name
    if not path.exists():
        pytest.skip(f"no recording {name}: set ROCM_PERF_RECORDINGS to the folder that holds it")
    return path
