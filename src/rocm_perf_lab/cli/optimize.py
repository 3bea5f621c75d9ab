"""``rocm-perf optimize``: find faster code for the kernels that matter, prove it, keep it."""

from __future__ import annotations

import argparse

from rocm_perf_lab.cli import options, search_options
from rocm_perf_lab.errors import EXIT_ANSWER_IS_NO, EXIT_DONE, EXIT_INTERRUPTED

EXAMPLES = """\
exit codes:
  0 faster code was accepted, or a dry run   1 none was accepted

examples:
  rocm-perf optimize saxpy.hip -- ./saxpy 1000
  rocm-perf optimize saxpy.hip "./saxpy 1000" --auto-approve
  rocm-perf optimize ./saxpy --source saxpy.hip --build "make {output} SRC={source}"
"""


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "optimize",
        help="find faster code for kernels by rules, and prove it",
        description=__doc__,
        epilog=EXAMPLES,
    )
    search_options.add_search_arguments(parser)
    parser.add_argument(
        "--dry-run", action="store_true", help="propose, guard and replay, without a verdict"
    )
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        choices=("reassociate", "launch-bounds", "unseen"),
        metavar="WHAT",
        help="further changes that rules may make: reassociate (another order of sums), "
        "launch-bounds; unseen: accept code that no trial executed",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.optimize.search.rules_engine import optimize
    from rocm_perf_lab.reporters.decisions.optimize import render_optimize

    request = search_options.request_of(arguments)
    document = optimize(request, search_options.consent(arguments), dry_run=arguments.dry_run)
    options.show(arguments, document, render_optimize)
    if document.interrupted:
        return EXIT_INTERRUPTED
    return EXIT_DONE if document.verdict == "accept" or arguments.dry_run else EXIT_ANSWER_IS_NO
