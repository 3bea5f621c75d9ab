"""What a measurement of an application is asked to run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.collect.process import Stdout
from rocm_perf_lab.collect.rocprof.options import SILENT, Progress


@dataclass(frozen=True)
class Application:
    """An application to run under the profiler, and how often."""

    argv: tuple[str, ...]
    rocm: Optional[Path] = None  # the prefix; if none is named it is looked for
    runs: int = 3
    warmup: int = 0  # runs before those, dropped
    timeout_s: Optional[float] = None  # per run
    keep: Optional[Path] = None  # where the recordings stay; else they are temporary
    stdout: Stdout = Stdout.TO_STDERR
    progress: Progress = SILENT
    debug: bool = False  # with what the profiler says of its own files
