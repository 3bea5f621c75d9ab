"""A program and what times its processes: started through the profiler, recording thrown away."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.collect.process import Stdout, run_process
from rocm_perf_lab.collect.rocprof.options import SILENT, CollectOptions, Progress, Starter, Step
from rocm_perf_lab.collect.rocprof.run import Recorder
from rocm_perf_lab.measure.process_times import ProcessTimes, process_times

# Copies are GPU work, so that the end-to-end time needs them; calls of the host are not needed.
_TRACED = frozenset(("memory-copy",))


@dataclass(frozen=True)
class Command:
    """A program to run: argument by argument, never through a shell."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)  # in addition to ours
    cwd: Optional[Path] = None

    @property
    def words(self) -> tuple[str, ...]:
        """Started from ``cwd``, a relative path of the program is relative to it."""
        if self.cwd is None or not self.argv or os.sep not in self.argv[0]:
            return self.argv
        return (str(Path(os.path.abspath(self.cwd)) / self.argv[0]), *self.argv[1:])


@dataclass(frozen=True)
class MeterOptions:
    timeout_s: Optional[float] = None  # per process
    stdout: Stdout = Stdout.DISCARD
    echo_stderr: bool = False  # what a failed process wrote is in the error anyway
    progress: Progress = SILENT
    start: Starter = run_process  # what starts it: a box does it otherwise


class Meter:
    """Times one process after the other. ``space`` is a folder for recordings of the moment."""

    def __init__(
        self, command: Command, prefix: Prefix, space: Path, options: MeterOptions
    ) -> None:
        collect = CollectOptions(
            timeout_s=options.timeout_s,
            trace=_TRACED,
            app_stdout=options.stdout,
            echo_stderr=options.echo_stderr,
            environment=command.env,
            cwd=command.cwd,
            start=options.start,
        )
        self._recorder = Recorder(prefix, command.words, collect, space, options.progress)

    def measure(self, step: Step) -> ProcessTimes:
        run = self._recorder.record_traces(step)
        times = process_times(run.trace)
        for folder in {path.parent for path in run.recordings}:
            shutil.rmtree(folder, ignore_errors=True)
        return times
