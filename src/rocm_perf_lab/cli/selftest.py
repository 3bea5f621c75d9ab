"""``rocm-perf selftest``: does everything work here? Every verb on the examples, and what holds.

Each step runs as you would type it, in a folder of its own, and is held against what is known of
the example: how often it launches, what it computes. That takes some minutes.
"""

from __future__ import annotations

import argparse

from rocm_perf_lab.cli import options
from rocm_perf_lab.errors import EXIT_ANSWER_IS_NO, EXIT_DONE

EXAMPLES = """\
exit codes:
  0 every step holds, or needs what is not here   1 a step fails   3 no ROCm, or no device

examples:
  rocm-perf selftest
  rocm-perf selftest --only profile replay --keep work
  rocm-perf selftest --list
"""


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "selftest",
        help="run every verb on the examples and say what holds",
        description=__doc__,
        epilog=EXAMPLES,
    )
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="VERB", help="these, and what they need"
    )
    parser.add_argument("--list", action="store_true", help="run nothing: show the steps")
    parser.add_argument(
        "--keep",
        action=options.Written,
        metavar="DIR",
        help="a new folder for all that the steps write; else it is kept when a step fails",
    )
    options.add_rocm_argument(parser)
    options.add_json_argument(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    if arguments.list:
        return _list(arguments)
    from rocm_perf_lab.reporters.figures.selftest import StepProgress, render_selftest
    from rocm_perf_lab.selftest.document import selftest_document
    from rocm_perf_lab.selftest.work import SelftestRequest, selftest

    request = SelftestRequest(arguments.rocm, tuple(arguments.only), arguments.keep)
    document = selftest_document(selftest(request, StepProgress()))
    options.show(arguments, document, render_selftest)
    return EXIT_DONE if document.holds else EXIT_ANSWER_IS_NO


def _list(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.reporters.figures.selftest import render_steps
    from rocm_perf_lab.selftest.steps import LEFT_OUT, chosen

    options.say_result(render_steps(chosen(arguments.only), LEFT_OUT))
    return EXIT_DONE
