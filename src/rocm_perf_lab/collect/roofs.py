"""Building and recording the roof benchmark on the device of a prefix."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.collect.process import Stdout, ask_program
from rocm_perf_lab.collect.rocprof.options import SILENT, CollectOptions, Progress
from rocm_perf_lab.collect.rocprof.run import collect_runs
from rocm_perf_lab.errors import RecordingError, ToolMissing
from rocm_perf_lab.trace.model import Trace

SOURCE = Path(__file__).parent / "data" / "roofs.hip"
_COMPILE_SECONDS = 300.0


def build_benchmark(prefix: Prefix, target: str, folder: Path, *, source: Path = SOURCE) -> Path:
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
    result = ask_program(command, env=dict(os.environ), timeout_s=_COMPILE_SECONDS)
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
    (run,) = collect_runs(prefix, [str(program), str(output), *arguments], options, space, progress)
    try:
        lines = output.read_text(encoding="ascii").splitlines()
        return [_launch(line) for line in lines], run.trace
    except (OSError, ValueError) as error:
        raise RecordingError(f"the roof benchmark left no readable list: {error}") from error


def _launch(line: str) -> tuple[str, float]:
    name, amount = line.split()
    return name, float(amount)
