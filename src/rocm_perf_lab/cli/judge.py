"""``rocm-perf judge``: is the candidate faster? The same samples give the same verdict anywhere.

A file holds the times of single dispatches by process, in blocks of two baseline processes and one
candidate. docs/proof.md has the rule.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rocm_perf_lab.cli import options
from rocm_perf_lab.errors import EXIT_ANSWER_IS_NO, EXIT_DONE, UsageError

LEAST_BLOCKS = 6  # fewer say nothing about the noise

EXAMPLES = """\
exit codes:
  0 ACCEPT   1 REJECT, NO CHANGE or INCONCLUSIVE   5 the samples cannot be judged

examples:
  rocm-perf judge samples.json
  rocm-perf judge samples.json --candidates 20 --json
  rocm-perf judge --self-test -- ./app args
"""


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "judge",
        help="decide from measured times whether a candidate is faster",
        description=__doc__,
        epilog=EXAMPLES,
    )
    parser.add_argument(
        "samples", nargs="?", type=Path, metavar="SAMPLES", help="file with the samples"
    )
    parser.add_argument(
        "--candidates",
        type=int,
        default=1,
        metavar="N",
        help="number of candidates of the search that produced this one (1)",
    )
    parser.add_argument(
        "--min-gain",
        type=float,
        default=1.0,
        metavar="PERCENT",
        help="ignore smaller gains, in percent (1)",
    )
    _add_self_test(parser)
    options.add_rocm_argument(parser)
    options.add_timeout_argument(parser)
    options.add_json_argument(parser)
    options.add_debug_argument(parser)
    parser.set_defaults(run=run)


def _add_self_test(group: argparse._ActionsContainer) -> None:
    group.add_argument(
        "--self-test",
        action="store_true",
        help="measure an application against itself: what does the judge accept on this device?",
    )
    group.add_argument(
        "--blocks",
        type=int,
        default=24,
        metavar="N",
        help="blocks of the self-test (24)",
    )
    group.add_argument(
        "--trials", type=int, default=2000, metavar="N", help="trials of the self-test (2000)"
    )


def run(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.prove.judge import JudgeRule, judge
    from rocm_perf_lab.prove.judge.document import judge_document
    from rocm_perf_lab.prove.judge.samples_file import read_samples
    from rocm_perf_lab.reporters.decisions.judge import render_judge

    if arguments.self_test:
        return _self_test(arguments)
    if arguments.application is not None:
        raise UsageError("only --self-test runs an application", "rocm-perf judge --help")
    if arguments.samples is None:
        raise UsageError("no file of samples was given", "rocm-perf judge samples.json")
    found = read_samples(arguments.samples)
    confirm = found.confirmation is not None
    rule = JudgeRule(min_gain=arguments.min_gain / 100, confirm=confirm)
    verdict = judge(
        found.samples,
        candidates=arguments.candidates,
        rule=rule,
        confirmation=found.confirmation,
    )
    notes = (f"not used: {', '.join(found.not_used)}",) if found.not_used else ()
    options.show(arguments, judge_document(verdict, rule, notes), render_judge)
    return EXIT_DONE if verdict.verdict == "ACCEPT" else EXIT_ANSWER_IS_NO


def _self_test(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.measure.baseline_blocks import longest_kernel, measure_baseline
    from rocm_perf_lab.measure.blocks import kernel_times
    from rocm_perf_lab.prove.judge.self_test import self_test
    from rocm_perf_lab.reporters.decisions.judge import render_self_test
    from rocm_perf_lab.reporters.progress import RunProgress

    if arguments.samples is not None or arguments.application == []:
        raise UsageError("--self-test needs an application", "rocm-perf judge --self-test -- ./app")
    if arguments.blocks < LEAST_BLOCKS or arguments.trials < 1:
        raise UsageError(f"--self-test needs {LEAST_BLOCKS} blocks and one trial at least")
    blocks = measure_baseline(
        arguments.application,
        arguments.blocks,
        rocm=arguments.rocm,
        timeout_s=arguments.timeout,
        progress=RunProgress(arguments.debug),
    )
    kernel = longest_kernel(blocks)
    machine = next(iter(blocks[0].processes.values())).machine
    document = self_test(
        kernel_times(blocks, kernel),
        kernel=kernel,
        device=None if machine.device is None else machine.device.product,
        virtual=machine.virtual,
        trials=arguments.trials,
    )
    options.show(arguments, document, render_self_test)
    return EXIT_ANSWER_IS_NO if document.false_accepts.count else EXIT_DONE
