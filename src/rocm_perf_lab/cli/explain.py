"""``rocm-perf explain``: what limits the application, why, and what to try first."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_perf_lab import __version__
from rocm_perf_lab.cli.application import add_application_argument, application_unless_recorded
from rocm_perf_lab.cli.critical_path import TRACED
from rocm_perf_lab.cli.progress import RunProgress
from rocm_perf_lab.cli.recordings import common_command, runs_of
from rocm_perf_lab.cli.roofline import (
    add_ceiling_arguments,
    check_ceilings,
    counted_roofline,
    recorded_roofline,
    with_recorded_counters,
)
from rocm_perf_lab.errors import UsageError

if TYPE_CHECKING:
    from rocm_perf_lab.analysis.explain_schema import ExplanationDocument
    from rocm_perf_lab.analysis.profile_schema import ProfileDocument
    from rocm_perf_lab.collect.options import CollectOptions
    from rocm_perf_lab.trace.model import Trace

EXAMPLES = """\
examples:
  rocm-perf explain -- ./app 100
  rocm-perf explain --json -- ./app 100
  rocm-perf explain --from traces
"""


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "explain",
        help="what limits an application, why, what it could gain, what to try first",
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
        help="explain recordings instead of running: what profile --from reads",
    )
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="runs for the times (3)")
    parser.add_argument(
        "--timeout", type=float, metavar="S", help="stop the application after S seconds per run"
    )
    parser.add_argument("--rocm", type=Path, metavar="PREFIX", help="the ROCm installation to use")
    parser.add_argument(
        "--keep-trace", type=Path, metavar="DIR", help="keep the recordings for --from"
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="also write DIR/explain.json")
    add_ceiling_arguments(parser)
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.add_argument(
        "--debug", action="store_true", help="the profiler's command lines and log on stderr"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    document = _make(arguments)
    from rocm_perf_lab.reporters.explain_text import render_explanation
    from rocm_perf_lab.reporters.json_document import to_json, write_document

    if arguments.out:
        write_document(arguments.out / "explain.json", to_json(document))
    sys.stdout.write(to_json(document) if arguments.json else render_explanation(document))
    return 0


def _make(arguments: argparse.Namespace) -> ExplanationDocument:
    check_ceilings(arguments)
    application = application_unless_recorded(arguments, "explain", "explains")
    return _live(arguments, application) if application else _from_recordings(arguments)


def _from_recordings(arguments: argparse.Namespace) -> ExplanationDocument:
    from rocm_perf_lab.analysis.profile import Origin, RunInput, build_profile
    from rocm_perf_lab.trace.load import load
    from rocm_perf_lab.trace.thread_trace_files import separate

    files = separate(arguments.recordings)
    if not files.recordings:
        raise UsageError(
            f"{files.traces[0]} is a thread trace, not a recording of a run",
            "rocm-perf profile --deep-analysis --from PATH",
        )
    runs = [RunInput(load([path])) for path in runs_of(files.recordings)]
    source = [str(path) for path in arguments.recordings]
    origin = Origin("recorded", __version__, common_command(runs), source)
    traces = [run.trace for run in runs]
    profile = _with_path(build_profile(runs, origin), traces)
    counted = with_recorded_counters(arguments, traces)
    return _explained(recorded_roofline(arguments, profile, counted), counted)


def _live(arguments: argparse.Namespace, application: list[str]) -> ExplanationDocument:
    from rocm_perf_lab.analysis.profile import Origin, RunInput, build_profile
    from rocm_perf_lab.collect.options import CollectOptions
    from rocm_perf_lab.collect.prefix import find_prefix
    from rocm_perf_lab.collect.process import Stdout
    from rocm_perf_lab.collect.rocprof import collect_counters, collect_runs
    from rocm_perf_lab.collect.space import recording_space
    from rocm_perf_lab.trace.merge import merge

    options = CollectOptions(
        runs=arguments.runs,
        timeout_s=arguments.timeout,
        trace=TRACED,
        app_stdout=Stdout.TO_STDERR if arguments.json else Stdout.INHERIT,
    )
    prefix = find_prefix(arguments.rocm)
    progress = RunProgress(arguments.debug)
    with recording_space(arguments.keep_trace) as space:
        recorded = collect_runs(prefix, application, options, space, progress)
        traces = [run.trace for run in recorded]
        runs = [RunInput(r.trace, r.wall_ns, r.notes) for r in recorded]
        origin = Origin("hardware", __version__, application)
        profile = _with_path(build_profile(runs, origin), traces)
        counted: list[Trace] = []

        def count(wanted: CollectOptions) -> list[Trace]:
            passes = collect_counters(prefix, application, wanted, space, progress)
            counted.extend(run.trace for run in passes)
            return counted

        profile = counted_roofline(arguments, profile, traces, options, count)
        return _explained(profile, merge([*traces, *counted], "runs"))


def _with_path(profile: ProfileDocument, traces: Sequence[Trace]) -> ProfileDocument:
    from rocm_perf_lab.analysis.critical_path_document import path_of_runs, with_critical_path

    return with_critical_path(profile, path_of_runs(traces), ())


def _explained(profile: ProfileDocument, trace: Trace) -> ExplanationDocument:
    from rocm_perf_lab.analysis.explain import explain
    from rocm_perf_lab.analysis.kernel_verdicts import judge_kernels

    return explain(profile, judge_kernels(profile, trace))
