"""``rocm-perf explain``: what limits the application, why, and what to try first."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Optional

from rocm_perf_lab.cli import options
from rocm_perf_lab.errors import UsageError

EXAMPLES = """\
examples:
  rocm-perf explain -- ./app 100
  rocm-perf explain --json -- ./app 100
  rocm-perf explain --walls -- ./app 100
  rocm-perf explain --from traces
  rocm-perf explain --region 'step*' --after 3 --from traces
  rocm-perf explain --from capture
"""


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "explain",
        help="what limits an application, why, what it could gain, what to try first",
        description=__doc__,
        epilog=EXAMPLES,
    )
    options.add_application_argument(parser)
    options.add_recordings_argument(
        parser,
        "explain recordings instead of running: what profile --from reads, or a capture of isolate",
    )
    options.add_runs_arguments(parser)
    parser.add_argument(
        "--out",
        action=options.Written,
        files=("explain.json",),
        metavar="DIR",
        help="also write DIR/explain.json",
    )
    options.add_part_arguments(parser, "the kernel that is explained, by its demangled name")
    options.add_trace_arguments(parser)
    _add_choices(parser)
    options.add_ceiling_arguments(parser)
    options.add_json_argument(parser)
    options.add_debug_argument(parser)
    parser.set_defaults(run=run)


def _add_choices(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--whole",
        action="store_true",
        help="explain the whole run also where copies of set-up take most of it; by default only "
        "the launches that repeat are explained then",
    )
    options.add_walls_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.measure.examine import explain
    from rocm_perf_lab.measure.request import ExplainRequest
    from rocm_perf_lab.reporters.figures.explain import render_explanation
    from rocm_perf_lab.reporters.json_document import to_json, write_document
    from rocm_perf_lab.trace.thread_trace.files import separate

    capture = _capture(arguments)
    if capture is not None:
        return _explain_capture(arguments, capture)
    files = separate(arguments.recordings or ())
    if files.traces and not files.recordings:
        return options.show_traces_alone(arguments, files)
    ceilings = options.ceilings_of(arguments)
    source = options.source_of(arguments, "explain", "explains")
    options.check_walls(arguments, "explain")
    request = ExplainRequest(
        source,
        arguments.deep_analysis,
        ceilings,
        arguments.walls,
        options.part_asked(arguments),
        arguments.kernel,
        arguments.whole,
    )
    document = explain(request)
    if arguments.out:
        write_document(arguments.out / "explain.json", to_json(document))
    options.show(arguments, document, render_explanation)
    return 0


def _capture(arguments: argparse.Namespace) -> Optional[Path]:
    """A folder that ``isolate`` made, where one is named."""
    named = [path for path in arguments.recordings or () if (path / "dispatch.json").is_file()]
    if named and len(arguments.recordings) > 1:
        raise UsageError("a capture is explained alone", f"--from {named[0]}")
    return named[0] if named else None


def _explain_capture(arguments: argparse.Namespace, folder: Path) -> int:
    from rocm_perf_lab.measure.walls.capture import explain_capture
    from rocm_perf_lab.reporters.decisions.wall_words import render_capture_walls
    from rocm_perf_lab.reporters.json_document import to_json, write_document
    from rocm_perf_lab.reporters.progress import RunProgress

    if arguments.walls is False:
        raise UsageError("of a capture only the walls can be told", "omit --no-walls")
    document = explain_capture(folder, arguments.rocm, RunProgress(arguments.debug))
    if arguments.out:
        write_document(arguments.out / "explain.json", to_json(document))
    options.show(arguments, document, render_capture_walls)
    return 0
