"""``rocm-perf judge``: is the candidate faster? The same samples give the same verdict anywhere.

A file holds the times of single dispatches by process, in blocks of two baseline processes and one
candidate. docs/proof.md has the rule.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rocm_perf_lab.cli import options
from rocm_perf_lab.errors import EXIT_ANSWER_IS_NO, EXIT_DONE, UsageError

EXAMPLES = """\
examples:
  rocm-perf judge samples.json
  rocm-perf judge samples.json --candidates 20 --json

exit codes:
  0 ACCEPT   1 REJECT, NO CHANGE or INCONCLUSIVE   5 the samples cannot be judged
"""


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "judge",
        help="is a candidate proven to be faster? from samples of both",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("samples", nargs="?", type=Path, metavar="SAMPLES", help="the file")
    parser.add_argument(
        "--candidates",
        type=int,
        default=1,
        metavar="N",
        help="how many candidates were tried in the search that this one comes from (1)",
    )
    parser.add_argument(
        "--min-gain",
        type=float,
        default=1.0,
        metavar="PERCENT",
        help="a smaller gain is none (1)",
    )
    options.add_json_argument(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.prove.judge import JudgeRule, judge
    from rocm_perf_lab.prove.judge.document import judge_document
    from rocm_perf_lab.prove.judge.samples_file import read_samples
    from rocm_perf_lab.reporters.judge_text import render_judge

    if arguments.samples is None:
        raise UsageError("no samples were named", "rocm-perf judge samples.json")
    rule = JudgeRule(min_gain=arguments.min_gain / 100)
    found = read_samples(arguments.samples)
    verdict = judge(
        found.samples,
        candidates=arguments.candidates,
        rule=rule,
        confirmation=found.confirmation,
    )
    notes = (f"not used: {', '.join(found.not_used)}",) if found.not_used else ()
    options.show(arguments, judge_document(verdict, rule, notes), render_judge)
    return EXIT_DONE if verdict.verdict == "ACCEPT" else EXIT_ANSWER_IS_NO
