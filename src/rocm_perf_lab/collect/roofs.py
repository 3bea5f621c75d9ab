"""Building and recording the roof benchmark on the device of a prefix."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.collect.process import Stdout, ask_program
from rocm_perf_lab.collect.rocprof.options import SILENT, CollectOptions, Progress, Step
from rocm_perf_lab.collect.rocprof.run import collect_runs
from rocm_perf_lab.errors import RecordingError, ToolMissing
from rocm_perf_lab.trace.model import Trace

SOURCE = Path(__file__).parent / "data" / "roofs.hip"
_COMPILE_SECONDS = 300.0


def build_benchmark(
    prefix: Prefix,
    target: str,
    folder: Path,
    progress: Progress = SILENT,
    *,
    source: Path = SOURCE,
) -> Path:
    """Compiles the benchmark for ``target`` with the prefix's own compiler."""
    program = folder / source.stem
    command = [
        str(prefix.tool("hipcc")),
        "-O3",
        f"--offload-arch={target}",
        f"-Wl,-rpath,{prefix.path / 'lib'}",
        str(source),
        "-o",
        str(program),
    ]
    step = Step(f"compiling {source.name} for {target}", 1, 1)
    progress.started(step, tuple(command))
    result = ask_program(command, env=dict(os.environ), timeout_s=_COMPILE_SECONDS)
    progress.finished(step, result.wall_ns)
    if not result.ok:
        last = result.stderr_tail.strip().splitlines()[-1:] or [result.ending]
        raise ToolMissing(
            f"hipcc cannot compile {source.name} for {target}: {last[0]}",
            f"{prefix.path}/bin/hipcc --version, then rocm-perf doctor",
        )
    return program


def record_benchmark(
    prefix: Prefix,
    program: Path,
    arguments: Sequence[str],
    space: Path,
    progress: Progress = SILENT,
) -> tuple[list[tuple[str, float]], Trace]:
    """What each launch measured with its amount of work, and the recording of the launches."""
    output = space / "launches.txt"
    options = CollectOptions(runs=1, app_stdout=Stdout.DISCARD, echo_stderr=False)
    measuring = _Measuring(progress, output, len(arguments))
    argv = [str(program), str(output), *arguments]
    (run,) = collect_runs(prefix, argv, options, space, measuring)
    try:
        lines = output.read_text(encoding="ascii").splitlines()
        return [_launch(line) for line in lines], run.trace
    except (OSError, ValueError) as error:
        raise RecordingError(f"the roof benchmark left no readable list: {error}") from error


@dataclass(frozen=True)
class _Measuring:
    """Tells the one run of the benchmark by the roofs that are in its list already."""

    progress: Progress
    output: Path
    roofs: int

    def started(self, step: Step, command: tuple[str, ...]) -> None:
        self.progress.started(Step("measuring the roofs", 1, 1, self._share), command)

    def finished(self, step: Step, wall_ns: int) -> None:
        self.progress.finished(step, wall_ns)

    def _share(self) -> Optional[float]:
        try:
            names = {line.split()[0] for line in self.output.read_text("ascii").splitlines()}
        except (OSError, ValueError, IndexError):
            return None
        return (len(names) - 1) / self.roofs  # the last one may be under way


def _launch(line: str) -> tuple[str, float]:
    name, amount = line.split()
    return name, float(amount)
