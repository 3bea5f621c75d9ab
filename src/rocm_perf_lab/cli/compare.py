"""``rocm-perf compare``: is the new version slower? Per kernel and end to end, with proof."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rocm_perf_lab.cli import options
from rocm_perf_lab.errors import EXIT_ANSWER_IS_NO, EXIT_DONE, UsageError

if TYPE_CHECKING:
    from rocm_perf_lab.prove.compare.compare import CompareRequest

EXAMPLES = """\
BASE and HEAD are of the same kind: commands, which are measured in interleaved blocks; recordings
(what profile --keep-trace keeps); or documents of profile --json. A file or folder that is there
and is not a program is read; anything else is a command, split like a shell would, but run without
one. Exit code 1: --fail-on regression, and there is one. 2: not comparable.

examples:
  rocm-perf compare "./old 100" "./new 100"
  rocm-perf compare --fail-on regression --markdown "./old 100" "./new 100"
  rocm-perf compare base_traces head_traces
  rocm-perf compare base.json head.json
"""


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "compare",
        help="two versions of an application: regressions, improvements, or no change",
        description=__doc__,
        epilog=EXAMPLES,
    )
    parser.add_argument("base", metavar="BASE", help="the old version")
    parser.add_argument("head", metavar="HEAD", help="the new version")
    parser.add_argument(
        "--fail-on", choices=["regression"], help="exit code 1 for a regression; otherwise always 0"
    )
    parser.add_argument(
        "--threshold",
        type=float,
        default=2.0,
        metavar="PERCENT",
        help="ignore smaller changes of the time, in percent (2)",
    )
    _add_measuring(parser)
    output = parser.add_mutually_exclusive_group()
    options.add_json_argument(output)
    output.add_argument("--markdown", action="store_true", help="Markdown on stdout, for CI")
    parser.add_argument(
        "--out",
        action=options.Written,
        files=("compare.json",),
        metavar="DIR",
        help="also write DIR/compare.json, and the samples of commands for rocm-perf judge",
    )
    options.add_debug_argument(parser)
    parser.set_defaults(run=run)


def _add_measuring(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("measuring commands")
    group.add_argument(
        "--blocks",
        type=int,
        default=48,
        metavar="N",
        help="at most N blocks of three processes; stops at N/4 or N/2 when everything is decided "
        "(48)",
    )
    group.add_argument(
        "--seed", type=int, default=0, metavar="N", help="random seed of the order of processes (0)"
    )
    options.add_timeout_argument(group)
    options.add_rocm_argument(group)


def run(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.prove.compare.compare import compare
    from rocm_perf_lab.reporters.decisions.compare import render_comparison
    from rocm_perf_lab.reporters.decisions.compare_files import write_comparison
    from rocm_perf_lab.reporters.decisions.compare_markdown import render_markdown

    compared = compare(_request(arguments))
    if arguments.out:
        write_comparison(arguments.out, compared.document, compared.samples)
    if arguments.markdown:
        options.say_to_program(render_markdown(compared.document))
    else:
        options.show(arguments, compared.document, render_comparison)
    found = arguments.fail_on == compared.document.verdict
    return EXIT_ANSWER_IS_NO if found else EXIT_DONE


def _request(arguments: argparse.Namespace) -> CompareRequest:
    from rocm_perf_lab.prove.compare.compare import CompareRequest
    from rocm_perf_lab.prove.compare.sides import side_of
    from rocm_perf_lab.reporters.progress import RunProgress

    if arguments.application is not None:
        raise UsageError(
            "compare takes no application after --",
            'write each command as one word: rocm-perf compare "./old 100" "./new 100"',
        )
    return CompareRequest(
        side_of(arguments.base),
        side_of(arguments.head),
        threshold=arguments.threshold / 100,
        blocks=arguments.blocks,
        seed=arguments.seed,
        rocm=arguments.rocm,
        timeout_s=arguments.timeout,
        echo_stderr=arguments.debug,
        progress=RunProgress(arguments.debug),
    )
