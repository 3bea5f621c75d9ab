"""Recordings of real GPUs, and fixtures with their figures, for tests that check known answers."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from fakes.composed_run import compose

FIGURES = Path(__file__).resolve().parents[1] / "fixtures" / "recordings"
_DEFAULT = Path(__file__).resolve().parents[3] / "shared" / "data"
_COMPOSED = "mi300x-batched-gemm-trace"  # nothing but figures is kept of it


def recordings() -> Path:
    return Path(os.environ.get("ROCM_PERF_RECORDINGS", _DEFAULT))


def recording(name: str) -> Path:
    """A recording by its path below the folder of recordings; skips where it is absent."""
    path = recordings() / name
    if not path.exists():
        pytest.skip(f"no recording {name}: set ROCM_PERF_RECORDINGS to the folder that holds it")
    return path


@dataclass(frozen=True)
class Known:
    """Finds what has known answers: the fixture with the figures, or the recording itself."""

    source: str  # one of SOURCES
    scratch: Path

    def __call__(self, name: str) -> Path:
        return recording(name) if self.source == "recording" else self._fixture(name)

    def _fixture(self, name: str) -> Path:
        if name.split("/")[0] == _COMPOSED:
            if not (self.scratch / _COMPOSED).exists():
                compose(FIGURES / _COMPOSED, self.scratch / _COMPOSED)
            return self.scratch / name
        path = FIGURES / name
        return path if path.exists() else path.with_name(f"{path.name}.gz")


# Where there are no recordings, the figures are known all the same.
SOURCES = ("figures", "recording") if recordings().is_dir() else ("figures",)
