"""Recording a thread trace of one kernel: the right kernel, its launch, and a CU that has waves.

Whether a wave comes to the traced CU is known only afterwards. A small launch may leave it empty;
then the application runs once more with another CU of all shader engines.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Optional

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.collect.process import ProcessResult
from rocm_perf_lab.collect.rocprof.application import check_application
from rocm_perf_lab.collect.rocprof.failures import run_failure
from rocm_perf_lab.collect.rocprof.options import SILENT, CollectOptions, Progress, Step
from rocm_perf_lab.collect.rocprof.profiler import Profiler, has_own_decoder, probe_profiler
from rocm_perf_lab.collect.rocprof.run import profiler_command, profiler_environment
from rocm_perf_lab.collect.rocprof.space import fresh_directory, publish
from rocm_perf_lab.errors import NothingRecorded, PerfLabError, ToolMissing
from rocm_perf_lab.trace.thread_trace.detect import find_thread_traces
from rocm_perf_lab.trace.thread_trace.model import ThreadTrace
from rocm_perf_lab.trace.thread_trace.reader import read_thread_trace

DECODER = "librocprof-trace-decoder.so"
DECODER_VARIABLE = "ROCPROF_ATT_LIBRARY_PATH"
LABEL = "thread trace"
HOW_TO_DECODE = (
    f"ROCm 7.13 and later bring {DECODER}; for earlier ones install rocprof-trace-decoder and set "
    f"{DECODER_VARIABLE} to the folder that holds it"
)

_NO_DECODER = re.compile(r"rocprof-trace-decoder|Decoder library not found|Error loading decoder")
_SPECIAL = re.compile(r"([\\^$.|?*+()\[\]{}])")  # of ECMAScript, which std::regex speaks


@dataclass(frozen=True)
class TracedKernel:
    """Which launch to trace."""

    name: str  # demangled, as recordings of dispatches have it
    symbol: Optional[str]  # mangled; proves that the right kernel was traced
    iteration: int = 1  # of the launches of this kernel; the first one has cold caches


@dataclass(frozen=True)
class _Place:
    cu: int
    engines: int  # one bit per shader engine


_PLACES = (_Place(1, 0x1), _Place(0, 0xFFFFFFFF))


def collect_thread_trace(
    prefix: Prefix,
    argv: Sequence[str],
    kernel: TracedKernel,
    options: CollectOptions,
    space: Path,
    progress: Progress = SILENT,
) -> ThreadTrace:
    """Runs the application up to twice. Raises ``PerfLabError`` with the next step when that gives
    no instruction of the kernel. ``space`` comes from ``recording_space``; the source of the trace
    is named as seen from there."""
    check_application(argv)
    profiler = probe_profiler(prefix)
    for position, place in enumerate(_PLACES, start=1):
        step = Step(LABEL, position, len(_PLACES))
        with fresh_directory(space, "thread_trace") as directory:
            what = _options(kernel, place, os.environ)
            command = profiler_command(profiler, what, directory, _format(profiler), argv)
            result = _run(command, argv, options, progress, step)
            found = [read_thread_trace(folder) for folder in find_thread_traces(directory)]
            chosen = _of_kernel(found, kernel)
            if chosen is not None:
                kept = publish(directory, space, f"thread_trace_{position}")
                inside = Path(chosen.source).relative_to(directory)
                return replace(chosen, source=str(kept.name / inside))
    raise _nothing(kernel, result)


def decodes_thread_traces(prefix: Prefix, environment: Mapping[str, str]) -> bool:
    """Whether the profiler has a decoder available. Those without their own search the whole disk
    for it up to ROCm 7.2, which is not wanted here."""
    profiler = probe_profiler(prefix)
    if "--att" not in profiler.options or has_own_decoder(profiler):
        return has_own_decoder(profiler)
    folders = [prefix.path / "lib", *map(Path, filter(None, [environment.get(DECODER_VARIABLE)]))]
    return any(Path(folder, DECODER).is_file() for folder in folders)


def _options(kernel: TracedKernel, place: _Place, environment: Mapping[str, str]) -> list[str]:
    name = _SPECIAL.sub(r"\\\1", kernel.name)
    options = [
        "--att",
        f"--kernel-include-regex=^{name}$",
        f"--kernel-iteration-range={kernel.iteration}",
        f"--att-target-cu={place.cu}",
        f"--att-shader-engine-mask={place.engines:#x}",
    ]
    # rocprofv3 looks into its own prefix by itself; its variable does not reach it, because
    # ROCPROF_* is taken out of the environment, and up to ROCm 7.2 it searches the whole disk.
    named = environment.get(DECODER_VARIABLE)
    if named and Path(named, DECODER).is_file():
        options.append(f"--att-library-path={os.path.abspath(named)}")
    return options


def _format(profiler: Profiler) -> str:
    return "rocpd" if profiler.has_rocpd else "csv"


def _run(
    command: Sequence[str],
    argv: Sequence[str],
    options: CollectOptions,
    progress: Progress,
    step: Step,
) -> ProcessResult:
    progress.started(step, tuple(command))
    try:
        result = options.start(
            command,
            env=profiler_environment({**os.environ, **options.environment}),
            cwd=options.cwd,
            timeout_s=options.timeout_s,
            stdout=options.app_stdout,
            echo_stderr=options.echo_stderr,
        )
    except OSError as error:
        raise ToolMissing(
            f"{command[0]} cannot be started: {error.strerror}", "rocm-perf doctor"
        ) from error
    progress.finished(step, result.wall_ns)
    if not result.ok:
        raise _decoder_missing(result) or run_failure(argv, result, options)
    return result


def _decoder_missing(result: ProcessResult) -> Optional[PerfLabError]:
    if not _NO_DECODER.search(result.stderr_tail):
        return None
    return ToolMissing("rocprofv3 has no decoder for thread traces", HOW_TO_DECODE)


def _of_kernel(found: Sequence[ThreadTrace], kernel: TracedKernel) -> Optional[ThreadTrace]:
    """The trace with executed instructions of this kernel. Without a known symbol the filter of
    the profiler is trusted."""
    symbol = None if kernel.symbol is None else kernel.symbol.removesuffix(".kd")
    for trace in found:
        if any(line.hits for line in trace.code) and (symbol is None or symbol in trace.kernels):
            return trace
    return None


def _nothing(kernel: TracedKernel, result: ProcessResult) -> NothingRecorded:
    lost = "DATA_LOST" in result.stderr_tail or "STITCH_INCOMPLETE" in result.stderr_tail
    if lost:
        return NothingRecorded(
            f"the thread trace of {kernel.name} lost its data: the buffer was too small",
            "trace a smaller problem, in which a wave executes fewer instructions",
        )
    return NothingRecorded(
        f"no thread trace of {kernel.name}: its launch number {kernel.iteration} does not exist, "
        "or no wave came to the traced compute units",
        "trace a launch with more workgroups, or an earlier one",
    )
