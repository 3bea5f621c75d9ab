"""``rocm-perf evidence``: show stored decisions, and check that their data supports them.

A bundle is a folder that holds one judged change: sources, code, raw times, reports, the decision.
The folder of a search holds its bundles and its log.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rocm_perf_lab.cli import options
from rocm_perf_lab.errors import EXIT_ANSWER_IS_NO, EXIT_DONE

EXAMPLES = """\
exit codes:
  0 intact   1 incomplete, changed or contradictory   5 no evidence found

examples:
  rocm-perf evidence show evidence/candidate-0001
  rocm-perf evidence verify evidence/candidate-0001
  rocm-perf evidence verify evidence
"""


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "evidence",
        help="show a stored decision, or recompute it from its raw data",
        description=__doc__,
        epilog=EXAMPLES,
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, text, run, what in (
        ("show", "what was decided, and why", run_show, "the bundle"),
        (
            "verify",
            "check every hash and recompute the decision from the raw data",
            run_verify,
            "a bundle, or the folder of a search with all of its bundles",
        ),
    ):
        example = f"example:\n  rocm-perf evidence {name} evidence/candidate-0001"
        action = actions.add_parser(name, help=text, epilog=example)
        action.add_argument("folder", type=Path, metavar="DIR", help=what)
        options.add_json_argument(action)
        action.set_defaults(run=run)


def run_show(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.prove.evidence.document import evidence_document
    from rocm_perf_lab.prove.evidence.verify import verify_bundle
    from rocm_perf_lab.reporters.decisions.evidence import render_shown, render_verified

    document = evidence_document(verify_bundle(arguments.folder))
    # What was changed is never shown as if it were not.
    options.show(arguments, document, render_verified if document.problems else render_shown)
    return EXIT_ANSWER_IS_NO if document.problems else EXIT_DONE


def run_verify(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.prove.evidence.document import evidence_document
    from rocm_perf_lab.prove.evidence.verify import verify
    from rocm_perf_lab.reporters.decisions.evidence import render_verified

    document = evidence_document(verify(arguments.folder))
    options.show(arguments, document, render_verified)
    return EXIT_DONE if document.intact else EXIT_ANSWER_IS_NO
