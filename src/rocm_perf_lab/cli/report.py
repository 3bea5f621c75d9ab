"""``rocm-perf report``: write the answer with its data: a page for a browser, or other formats."""

from __future__ import annotations

import argparse
from pathlib import Path

from rocm_perf_lab.cli import options

EXAMPLES = """\
examples:
  rocm-perf report -- ./app 100
  rocm-perf report -o report.html --deep-analysis -- ./app 100
  rocm-perf report -o report.html --from traces
  rocm-perf report -o trend.html --from rocm-perf-history.db
"""


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "report",
        help="a page for the browser: the answer, timeline, roofline, kernels, history",
        description=__doc__,
        epilog=EXAMPLES,
    )
    options.add_application_argument(parser)
    options.add_recordings_argument(
        parser,
        "report existing files instead of running: recordings, profiles as JSON, "
        "evidence folders, autotune journals, captures, histories",
    )
    parser.add_argument(
        "-o",
        dest="out",
        action=options.Written,
        is_file=True,
        default=Path("report.html"),
        metavar="FILE",
        help="output file; its suffix selects a page (.html), document (.json), table of kernels "
        "(.csv), summary for a pull request (.md), Perfetto trace (.pftrace) or roofline (.svg, "
        ".png) (report.html)",
    )
    options.add_runs_arguments(parser)
    _add_contents(parser)
    options.add_ceiling_arguments(parser)
    parser.add_argument(
        "--json", action="store_true", help="also print the report as one JSON document on stdout"
    )
    options.add_debug_argument(parser)
    parser.set_defaults(run=run)


def _add_contents(parser: argparse.ArgumentParser) -> None:
    options.add_trace_arguments(parser)
    options.add_walls_argument(parser)
    parser.add_argument(
        "--history",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="also show the profiles over time in FILE, as rocm-perf history stores them",
    )


def run(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.report.gather import gather
    from rocm_perf_lab.reporters.report_files import answer_of, check_output, write_report

    options.check_walls(arguments, "report")
    check_output(arguments.out)
    source = options.source_of(arguments, "report", "reports")
    ceilings = options.ceilings_of(arguments)
    report = gather(source, ceilings, arguments.deep_analysis, arguments.history, arguments.walls)
    write_report(report, arguments.out)
    if arguments.json:
        from rocm_perf_lab.report.document import report_document
        from rocm_perf_lab.reporters.json_document import to_json

        options.say_result(to_json(report_document(report)))
    else:
        options.say_done(answer_of(report, arguments.out))
    return 0
