"""Recording an application with rocprofv3: N runs give N recordings, each proven not empty."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.collect.process import ProcessResult, Stdout
from rocm_perf_lab.collect.rocprof.application import check_application
from rocm_perf_lab.collect.rocprof.failures import (
    not_written,
    nothing_recorded,
    rocpd_writer_failed,
    run_failure,
)
from rocm_perf_lab.collect.rocprof.options import (
    SILENT,
    TRACE_OPTIONS,
    CollectOptions,
    Progress,
    Step,
)
from rocm_perf_lab.collect.rocprof.profiler import Profiler, probe_profiler
from rocm_perf_lab.collect.rocprof.proof import missing_counters, missing_traces
from rocm_perf_lab.collect.rocprof.space import fresh_directory, publish
from rocm_perf_lab.errors import ToolMissing
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.model import Trace

_RECORDING_PATTERNS = {"rocpd": "**/*_results.db", "csv": "**/*.csv"}


@dataclass(frozen=True)
class Run:
    """One recorded run of the application."""

    index: int  # from 1
    recordings: tuple[Path, ...]  # one per process; they live as long as the recording space
    trace: Trace
    wall_ns: int  # of the whole process, with the profiler inside
    log: str  # the end of what application and profiler wrote to stderr
    notes: tuple[str, ...] = ()  # for people: what was asked for and is not there


def collect_runs(
    prefix: Prefix,
    argv: Sequence[str],
    options: CollectOptions,
    space: Path,
    progress: Progress = SILENT,
) -> tuple[Run, ...]:
    """Trace ``options.runs`` runs. ``space`` comes from ``recording_space``."""
    return tuple(iter_runs(prefix, argv, options, space, progress))


def iter_runs(
    prefix: Prefix,
    argv: Sequence[str],
    options: CollectOptions,
    space: Path,
    progress: Progress = SILENT,
) -> Iterator[Run]:
    """As ``collect_runs``, one by one: the caller keeps the good runs when a later one fails."""
    recorder = Recorder(prefix, argv, options, space, progress)
    for position in range(1, options.warmup + 1):
        recorder.warm_up(Step("warm-up", position, options.warmup))
    for position in range(1, options.runs + 1):
        yield recorder.record_traces(Step("run", position, options.runs))


def collect_counters(
    prefix: Prefix,
    argv: Sequence[str],
    options: CollectOptions,
    space: Path,
    progress: Progress = SILENT,
) -> tuple[Run, ...]:
    """One run per pass of ``options.pmc``. Counting serialises kernels: durations do not count."""
    recorder = Recorder(prefix, argv, options, space, progress)
    runs = []
    for position, counters in enumerate(options.pmc, start=1):
        what = ["--pmc", *counters]
        if options.kernel_regex is not None:
            what.append(f"--kernel-include-regex={options.kernel_regex}")
        step = Step("counters", position, len(options.pmc))
        runs.append(recorder.record_counters(what, step, counters))
    return tuple(runs)


def profiler_command(
    profiler: Profiler,
    what: Sequence[str],
    directory: Path,
    output_format: str,
    argv: Sequence[str],
) -> tuple[str, ...]:
    """The command line. No ``-o``: the default name has host and process id, so that
    the processes of one application never overwrite each other."""
    for option in (word.partition("=")[0] for word in what if word.startswith("--")):
        if option not in profiler.options:
            raise ToolMissing(
                f"{profiler.path} (version {profiler.version_text}) has no option {option}",
                "use ROCm 7.0 or later; name it with --rocm PREFIX",
            )
    output = ("--output-format", output_format, "-d", str(directory))
    return (str(profiler.path), *what, *output, "--", *argv)


def profiler_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The caller's environment without ROCPROF_*: rocprofv3 adds to those instead of replacing."""
    return {name: value for name, value in environment.items() if not name.startswith("ROCPROF_")}


class Recorder:
    """Runs the application under the profiler, each time in a directory of its own in ``space``.

    The profiler is asked once what it can do; a recorder is for any number of runs.
    """

    def __init__(
        self,
        prefix: Prefix,
        argv: Sequence[str],
        options: CollectOptions,
        space: Path,
        progress: Progress = SILENT,
    ) -> None:
        check_application(argv)
        self._profiler = probe_profiler(prefix)
        self._argv = tuple(argv)
        self._options = options
        self._space = space
        self._progress = progress
        self._format = "rocpd" if self._profiler.has_rocpd else "csv"
        traced = options.trace | {"kernel"}
        self._traces = [option for name, option in TRACE_OPTIONS.items() if name in traced]

    def with_environment(self, added: Mapping[str, str], progress: Progress) -> Recorder:
        """The same with more variables; the profiler is not asked again."""
        other = copy(self)
        environment = {**self._options.environment, **added}
        other._options = replace(self._options, environment=environment)
        other._progress = progress
        return other

    def warm_up(self, step: Step) -> None:
        with fresh_directory(self._space, step.label) as directory:
            self._run(self._traces, directory, step)

    def record_traces(self, step: Step) -> Run:
        run = self._record(self._traces, step, "kernels")
        if not run.trace.dispatches:
            raise nothing_recorded("kernels", run.log, self._options, run.trace.warnings)
        return replace(run, notes=missing_traces(run.trace, self._options.trace))

    def record_counters(self, what: Sequence[str], step: Step, counters: Sequence[str]) -> Run:
        run = self._record(what, step, "counters")
        if not run.trace.counters:
            raise nothing_recorded("counters", run.log, self._options)
        return replace(run, notes=missing_counters(run.trace, counters))

    def _record(self, what: Sequence[str], step: Step, wanted: str) -> Run:
        name = f"{step.label}_{step.position}"
        with fresh_directory(self._space, name) as directory:
            result = self._run(what, directory, step)
            if not self._recordings(directory):
                full = not_written(result, Stdout.DISCARD, self._space)
                if full is not None:
                    raise full
                raise nothing_recorded(wanted, result.stderr_tail, self._options)
            recordings = self._recordings(publish(directory, self._space, name))
        return Run(
            index=step.position,
            recordings=recordings,
            trace=load(recordings),
            wall_ns=result.wall_ns,
            log=result.stderr_tail,
        )

    def _run(self, what: Sequence[str], directory: Path, step: Step) -> ProcessResult:
        result = self._start(what, directory, step)
        if self._format == "rocpd" and rocpd_writer_failed(result):
            self._format = "csv"  # for the later runs too: the command line stays the same
            result = self._start(what, directory, step)
        if not result.ok:
            raise run_failure(self._argv, result, self._options, self._space)
        return result

    def _start(self, what: Sequence[str], directory: Path, step: Step) -> ProcessResult:
        command = profiler_command(self._profiler, what, directory, self._format, self._argv)
        self._progress.started(step, command)
        try:
            result = self._options.start(
                command,
                env=profiler_environment({**os.environ, **self._options.environment}),
                cwd=self._options.cwd,
                timeout_s=self._options.timeout_s,
                stdout=self._options.app_stdout,
                echo_stderr=self._options.echo_stderr,
            )
        except OSError as error:
            raise ToolMissing(
                f"{command[0]} cannot be started: {error.strerror}", "rocm-perf doctor"
            ) from error
        self._progress.finished(step, result.wall_ns)
        return result

    def _recordings(self, directory: Path) -> tuple[Path, ...]:
        return tuple(sorted(directory.glob(_RECORDING_PATTERNS[self._format])))
