"""``rocm-perf profile``: what ran on the GPU, for how long, and how well it filled the device."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Optional

from rocm_perf_lab.cli import options
from rocm_perf_lab.errors import UsageError

if TYPE_CHECKING:
    from rocm_perf_lab.analysis.path.what_if import Scenario
    from rocm_perf_lab.measure.profile import Profiled
    from rocm_perf_lab.measure.request import ProfileRequest
    from rocm_perf_lab.trace.thread_trace.files import TraceFiles

FILES = ("profile.json", "roofline.json", "dag.json", "analysis.json")

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
    )
    options.add_application_argument(parser)
    options.add_recordings_argument(
        parser,
        "analyse recordings instead of running: a rocpd database, a CSV folder, a JSON "
        "file, a workload folder of rocprof-compute, a PyTorch trace; each PATH is one run; with "
        "--deep-analysis also decoded thread traces (ui_output_agent_*)",
    )
    _add_recording(parser)
    options.add_part_arguments(parser, "only kernels whose demangled name matches")
    _add_roofline(parser)
    _add_critical_path(parser)
    _add_deep_analysis(parser)
    output = parser.add_mutually_exclusive_group()
    options.add_json_argument(output)
    output.add_argument("--quiet", action="store_true", help="one number on stdout: runtime in ms")
    parser.add_argument(
        "--plot",
        action="store_true",
        help="draw the timeline (implies --critical-path) and, with --roofline, the roofline",
    )
    options.add_debug_argument(parser)
    parser.set_defaults(run=run)


def _add_recording(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--runs", type=int, default=3, metavar="N", help="number of recorded runs (3)"
    )
    parser.add_argument(
        "--warmup",
        type=int,
        default=0,
        metavar="N",
        help="warm-up runs before those, not recorded (0)",
    )
    options.add_timeout_argument(parser)
    options.add_rocm_argument(parser)
    parser.add_argument(
        "--no-rocprof",
        action="store_true",
        help="wall time of the process only, without the profiler",
    )
    parser.add_argument(
        "--keep-trace",
        action=options.Written,
        metavar="DIR",
        help="keep the recordings in DIR/run_N",
    )
    parser.add_argument(
        "--out",
        action=options.Written,
        files=FILES,
        metavar="DIR",
        help="also write DIR/profile.json (and roofline.json, dag.json, analysis.json)",
    )


def _add_roofline(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("roofline")
    group.add_argument(
        "--roofline",
        action="store_true",
        help="FLOPs, bytes and the nearest ceiling of every kernel; runs the application once more "
        "for each set of counters",
    )
    options.add_ceiling_arguments(group)


def _add_critical_path(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("critical path")
    group.add_argument(
        "--critical-path",
        "--focus-critical",
        dest="critical_path",
        action="store_true",
        help="the chain of kernels, copies and waits that decides when the application ends; "
        "records API calls and copies too",
    )
    group.add_argument(
        "--what-if",
        action="append",
        default=[],
        type=_scenario,
        metavar="REGEX=FACTOR",
        help="the end-to-end time if matching kernels were FACTOR times faster; may be repeated, "
        "implies --critical-path",
    )


def _add_deep_analysis(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("deep analysis")
    group.add_argument(
        "--deep-analysis",
        action="store_true",
        help="thread trace of the dominant kernel (one or two more runs) and the code of all "
        "kernels: instruction mix, stalls, waits, hot lines, registers, spills",
    )
    group.add_argument(
        "--full",
        action=_Everything,
        nargs=0,
        help="--roofline, --critical-path and --deep-analysis",
    )


class _Everything(argparse.Action):
    def __call__(
        self,
        _parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        _values: object,
        _option: Optional[str] = None,
    ) -> None:
        namespace.roofline = namespace.critical_path = namespace.deep_analysis = True


def _scenario(text: str) -> Scenario:
    from rocm_perf_lab.analysis.path.what_if import parse_scenario

    return parse_scenario(text)


def run(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.measure.profile import profile
    from rocm_perf_lab.trace.thread_trace.files import separate

    files = separate(arguments.recordings or ())
    if files.traces and not files.recordings:
        return _show_traces_alone(arguments, files)
    measured = profile(_request(arguments))
    if arguments.out:
        from rocm_perf_lab.reporters.profile_files import write_profile

        write_profile(arguments.out, measured.profile, measured.path)
    if arguments.quiet:
        options.say_to_program(f"{measured.profile.runtime_ms:.6f}\n")
        return 0
    from rocm_perf_lab.reporters.figures.profile import render_profile

    drawings = _drawings(measured) if arguments.plot and not arguments.json else []
    options.show(arguments, measured.profile, lambda found: render_profile(found, drawings))
    return 0


def _drawings(measured: Profiled) -> list[str]:
    """Of what was measured: a roofline needs counters, a timeline needs dispatches."""
    from rocm_perf_lab.report.roofline import roofline_picture
    from rocm_perf_lab.report.timeline import timeline_of
    from rocm_perf_lab.reporters.figures.drawn_roofline import drawn_roofline
    from rocm_perf_lab.reporters.figures.drawn_timeline import drawn_timeline

    picture = roofline_picture(measured.profile)
    drawings = [] if picture is None else [drawn_roofline(picture)]
    if measured.path is not None:
        drawings.append(drawn_timeline(timeline_of(measured.path)))
    return drawings


def _request(arguments: argparse.Namespace) -> ProfileRequest:
    from rocm_perf_lab.measure.request import ProfileRequest

    return ProfileRequest(
        ceilings=options.ceilings_of(arguments),
        source=options.source_of(arguments, "profile", "analyses"),
        kernel=arguments.kernel,
        critical_path=bool(arguments.critical_path or arguments.what_if or arguments.plot),
        scenarios=tuple(arguments.what_if),
        roofline=arguments.roofline,
        deep_analysis=arguments.deep_analysis,
        timing_only=arguments.no_rocprof,
        part=options.part_asked(arguments),
    )


def _show_traces_alone(arguments: argparse.Namespace, files: TraceFiles) -> int:
    if not arguments.deep_analysis:
        raise UsageError(
            f"{files.traces[0]} is a thread trace, not a recording of a run", "add --deep-analysis"
        )
    if arguments.quiet:
        raise UsageError("--quiet prints a time, and thread traces hold none", "leave it out")
    return options.show_traces_alone(arguments, files)
