"""Captures of the kernels in hip/baselines.hip, and the code with their candidates."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Optional

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "native"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "replay"))

from hip_support import prefix, shared_folder
from replay_support import BUILD, compiled, needs_replay, sign

from rocm_perf_lab.collect.prefix import Prefix, find_prefix
from rocm_perf_lab.replay.isolate import IsolateOptions, isolate

__all__ = ["BUILD", "Workshop", "needs_replay", "sign"]

SOURCES = Path(__file__).parent / "hip"


class Workshop:
    """Compiles once, captures on demand."""

    def __init__(self, factory: pytest.TempPathFactory) -> None:
        shared = shared_folder(factory)
        self.rocm: Prefix = find_prefix(prefix(shared))
        self.program = compiled(shared, SOURCES / "baselines.hip")
        self.candidates = compiled(shared, SOURCES / "candidates.hip", "--genco")
        self._shared = shared
        self._folder = factory.mktemp("oracle")

    def built(self, source: str, *flags: str) -> Path:
        return compiled(self._shared, SOURCES / source, *flags)

    def capture(self, kernel: str, dispatch: int = 0, program: Optional[Path] = None) -> Path:
        folder = self._folder / f"{kernel}-{dispatch}"
        if not folder.exists():
            options = IsolateOptions(rf"^{kernel}(\(|$|\.)", dispatch, out=folder)
            isolate([str(program or self.program)], self.rocm, options)
        return folder
