"""``rocm-perf profile``: what ran on the GPU, for how long, and how well it filled the device."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_perf_lab import __version__
from rocm_perf_lab.cli.application import add_application_argument, application_unless_recorded
from rocm_perf_lab.cli.critical_path import (
    TRACED,
    add_critical_path_arguments,
    recorded_critical_path,
    wants_critical_path,
)
from rocm_perf_lab.cli.deep_analysis import (
    LiveRun,
    add_deep_analysis_arguments,
    live_analysis,
    recorded_analysis,
    show_traces_alone,
)
from rocm_perf_lab.cli.progress import RunProgress
from rocm_perf_lab.cli.recordings import common_command, runs_of
from rocm_perf_lab.cli.roofline import (
    add_roofline_arguments,
    check_ceilings,
    counted_roofline,
    recorded_roofline,
    with_recorded_counters,
)

if TYPE_CHECKING:
    from rocm_perf_lab.analysis.profile_schema import ProfileDocument
    from rocm_perf_lab.collect.options import CollectOptions
    from rocm_perf_lab.trace.model import Trace
    from rocm_perf_lab.trace.thread_trace_files import TraceFiles

EXAMPLES = """\
examples:
  rocm-perf profile -- ./app 100
  rocm-perf profile --runs 5 --json -- ./app 100
  rocm-perf profile --roofline -- ./app 100
  rocm-perf profile --critical-path --what-if 'gemm=2' -- ./app 100
  rocm-perf profile --full -- ./app 100
  rocm-perf profile --from out/1234_results.db
"""


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "profile",
        help="kernels, times, stability, registers and occupancy of an application",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_application_argument(parser)
    parser.add_argument(
        "--from",
        dest="recordings",
        nargs="+",
        type=Path,
        metavar="PATH",
        help="analyse recordings instead of running: a rocpd database, a CSV folder, a JSON "
        "file, a workload folder of rocprof-compute; each PATH is one run; with --deep-analysis "
        "also decoded thread traces (ui_output_agent_*)",
    )
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="runs to record (3)")
    parser.add_argument(
        "--warmup", type=int, default=0, metavar="N", help="runs before those, dropped (0)"
    )
    parser.add_argument(
        "--kernel", metavar="REGEX", help="only kernels whose demangled name matches"
    )
    parser.add_argument(
        "--timeout", type=float, metavar="S", help="stop the application after S seconds per run"
    )
    parser.add_argument("--rocm", type=Path, metavar="PREFIX", help="the ROCm installation to use")
    parser.add_argument(
        "--no-rocprof", action="store_true", help="wall time of the process only, no profiler"
    )
    parser.add_argument(
        "--keep-trace", type=Path, metavar="DIR", help="keep the recordings in DIR/run_N"
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="also write DIR/profile.json (and roofline.json, dag.json, analysis.json)",
    )
    add_roofline_arguments(parser)
    add_critical_path_arguments(parser)
    add_deep_analysis_arguments(parser)
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="one JSON document on stdout")
    output.add_argument("--quiet", action="store_true", help="one number on stdout: runtime in ms")
    parser.add_argument(
        "--debug", action="store_true", help="the profiler's command lines and log on stderr"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.trace.thread_trace_files import separate

    files = separate(arguments.recordings or ())
    if files.traces and not files.recordings:
        return show_traces_alone(arguments, files)
    profile = _make(arguments, files)
    from rocm_perf_lab.reporters.json_document import to_json, write_document
    from rocm_perf_lab.reporters.terminal import render_profile

    if arguments.out:
        write_document(arguments.out / "profile.json", to_json(profile))
        if profile.rooflines is not None:
            write_document(arguments.out / "roofline.json", to_json(profile.rooflines))
        if profile.analysis is not None:
            write_document(arguments.out / "analysis.json", to_json(profile.analysis))
    if arguments.json:
        sys.stdout.write(to_json(profile))
    elif arguments.quiet:
        print(f"{profile.runtime_ms:.6f}")
    else:
        sys.stdout.write(render_profile(profile))
    return 0


def _make(arguments: argparse.Namespace, files: TraceFiles) -> ProfileDocument:
    check_ceilings(arguments)
    application = application_unless_recorded(arguments, "profile", "analyses")
    if not application:
        return _from_recordings(arguments, files)
    if arguments.no_rocprof:
        return _timing_only(arguments, application)
    return _live(arguments, application)


def _from_recordings(arguments: argparse.Namespace, files: TraceFiles) -> ProfileDocument:
    from rocm_perf_lab.analysis.profile import Origin, RunInput, build_profile
    from rocm_perf_lab.trace.load import load
    from rocm_perf_lab.trace.parts import Parts

    parts = Parts.COUNTERS
    if wants_critical_path(arguments):
        parts |= Parts.LINKS | Parts.COPIES | Parts.API_CALLS
    runs = [RunInput(load([path], parts=parts)) for path in runs_of(files.recordings)]
    command = common_command(runs)
    origin = Origin("recorded", __version__, command, [str(p) for p in arguments.recordings])
    profile = build_profile(runs, origin, arguments.kernel)
    traces = [run.trace for run in runs]
    if wants_critical_path(arguments):
        profile = recorded_critical_path(arguments, profile, traces)
    if not (arguments.roofline or arguments.deep_analysis):
        return profile
    counted = with_recorded_counters(arguments, traces)
    if arguments.roofline:
        profile = recorded_roofline(arguments, profile, counted)
    if arguments.deep_analysis:
        profile = _judged(recorded_analysis(arguments, profile, traces, files), counted)
    return profile


def _judged(profile: ProfileDocument, trace: Trace) -> ProfileDocument:
    """With the bottleneck of every kernel; ``trace`` holds the counters, too."""
    from rocm_perf_lab.analysis.kernel_verdicts import judge_kernels, with_verdicts

    return with_verdicts(profile, judge_kernels(profile, trace))


def _options(arguments: argparse.Namespace) -> CollectOptions:
    from rocm_perf_lab.collect.options import CollectOptions
    from rocm_perf_lab.collect.process import Stdout

    machine_readable = arguments.json or arguments.quiet
    return CollectOptions(
        runs=arguments.runs,
        warmup=arguments.warmup,
        timeout_s=arguments.timeout,
        trace=TRACED if wants_critical_path(arguments) else frozenset(),
        app_stdout=Stdout.TO_STDERR if machine_readable else Stdout.INHERIT,
    )


def _timing_only(arguments: argparse.Namespace, application: list[str]) -> ProfileDocument:
    from rocm_perf_lab.analysis.analysis_document import without_analysis
    from rocm_perf_lab.analysis.critical_path_document import without_critical_path
    from rocm_perf_lab.analysis.profile import Origin, build_timing_only
    from rocm_perf_lab.collect.timing_only import time_runs

    timed = time_runs(application, _options(arguments), RunProgress(arguments.debug))
    why, cure = "the profiler was switched off with --no-rocprof", "run without --no-rocprof"
    origin = Origin("hardware", __version__, application)
    profile = build_timing_only([t.wall_ns for t in timed], origin, why, cure)
    if wants_critical_path(arguments):
        profile = without_critical_path(profile, why, cure)
    if arguments.deep_analysis:
        profile = without_analysis(profile, why, cure)
    return profile


def _live(arguments: argparse.Namespace, application: list[str]) -> ProfileDocument:
    from rocm_perf_lab.analysis.profile import Origin, RunInput, build_profile
    from rocm_perf_lab.collect.prefix import find_prefix
    from rocm_perf_lab.collect.rocprof import collect_counters, collect_runs
    from rocm_perf_lab.collect.space import recording_space
    from rocm_perf_lab.trace.merge import merge

    options = _options(arguments)
    prefix = find_prefix(arguments.rocm)
    progress = RunProgress(arguments.debug)
    with recording_space(arguments.keep_trace) as space:
        recorded = collect_runs(prefix, application, options, space, progress)
        runs = [RunInput(r.trace, r.wall_ns, r.notes) for r in recorded]
        origin = Origin("hardware", __version__, application)
        profile = build_profile(runs, origin, arguments.kernel)
        if wants_critical_path(arguments):
            profile = recorded_critical_path(arguments, profile, [r.trace for r in runs])
        traces = [r.trace for r in runs]
        counted: list[Trace] = []

        def count(wanted: CollectOptions) -> list[Trace]:
            passes = collect_counters(prefix, application, wanted, space, progress)
            counted.extend(run.trace for run in passes)
            return counted

        if arguments.roofline:
            profile = counted_roofline(arguments, profile, traces, options, count)
        if arguments.deep_analysis:
            live = LiveRun(prefix, application, options, space, progress)
            profile = live_analysis(profile, runs[profile.timing.run].trace, live)
            profile = _judged(profile, merge([*traces, *counted], "runs"))
        return profile
