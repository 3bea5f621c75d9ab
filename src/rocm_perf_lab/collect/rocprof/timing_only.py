"""Timing without a profiler: the wall time of whole processes, for ``--no-rocprof``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rocm_perf_lab.collect.process import run_process
from rocm_perf_lab.collect.rocprof.application import (
    application_failure,
    cannot_start,
    check_application,
)
from rocm_perf_lab.collect.rocprof.failures import not_written
from rocm_perf_lab.collect.rocprof.options import SILENT, CollectOptions, Progress, Step


@dataclass(frozen=True)
class TimedRun:
    """One run: from the start of the process to its end."""

    index: int  # from 1
    wall_ns: int


def time_runs(
    argv: Sequence[str], options: CollectOptions, progress: Progress = SILENT
) -> tuple[TimedRun, ...]:
    """Run the application ``options.runs`` times in the caller's own environment."""
    return tuple(iter_timed_runs(argv, options, progress))


def iter_timed_runs(
    argv: Sequence[str], options: CollectOptions, progress: Progress = SILENT
) -> Iterator[TimedRun]:
    """As ``time_runs``, one by one: the caller keeps the good runs when a later one fails."""
    check_application(argv)
    for position in range(1, options.warmup + 1):
        _time_one(argv, options, progress, Step("warm-up", position, options.warmup))
    for position in range(1, options.runs + 1):
        step = Step("run", position, options.runs)
        yield TimedRun(position, _time_one(argv, options, progress, step))


def _time_one(argv: Sequence[str], options: CollectOptions, progress: Progress, step: Step) -> int:
    progress.started(step, tuple(argv))
    try:
        result = run_process(
            argv,
            timeout_s=options.timeout_s,
            stdout=options.app_stdout,
            echo_stderr=options.echo_stderr,
        )
    except OSError as error:
        raise cannot_start(argv, error) from error
    if not result.ok:
        unwritten = None if result.timed_out else not_written(result, options.app_stdout)
        raise unwritten or application_failure(argv, result, options.timeout_s)
    progress.finished(step, result.wall_ns)
    return result.wall_ns
