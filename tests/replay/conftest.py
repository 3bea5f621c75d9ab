from __future__ import annotations

from pathlib import Path

import pytest
from replay_support import BUILD, SOURCES, Bench, compiled, make_bench


@pytest.fixture
def bench(
    tmp_path_factory: pytest.TempPathFactory,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Bench:
    monkeypatch.setenv("ROCM_PERF_NATIVE_BUILD", str(BUILD))
    return make_bench(tmp_path_factory, capfd)


@pytest.fixture
def in_place(bench: Bench, tmp_path: Path) -> Path:
    """A small capture: one buffer that is updated in place."""
    bench.isolate("in_place", "update", tmp_path / "capture", dispatch=2)
    return tmp_path / "capture"


@pytest.fixture
def shapes(bench: Bench) -> Bench:
    """The same with the cases of shapes_and_sizes.hip."""
    bench.program = compiled(bench.folder, SOURCES / "shapes_and_sizes.hip")
    return bench
