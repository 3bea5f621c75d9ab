"""``rocm-perf ci``: base against head in any CI system: performance and correctness."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_perf_lab.cli import options
from rocm_perf_lab.errors import EXIT_ANSWER_IS_NO, EXIT_DONE, UsageError
from rocm_perf_lab.prove.ci import KINDS

if TYPE_CHECKING:
    from rocm_perf_lab.prove.ci.run import CiRequest, CiResult

EXAMPLES = """\
With --command, BASE and HEAD are commits (branch, tag or hash) of the git repository here. Both
are checked out, built with --build, and compared; without HEAD the files as they are now are the
new version. Without --command both are commands. Markdown for a comment goes to stdout. Exit code
1: see --fail-on.

examples:
  rocm-perf ci main --build "make app" --command "./app 100"
  rocm-perf ci v1.0 v1.1 --build "make app" --command "./app 100" --check all
  rocm-perf ci "./old 100" "./new 100" --check race --fail-on finding
"""


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "ci",
        help="two commits of a repository: regressions, and faults of kernels",
        description=__doc__,
        epilog=EXAMPLES,
    )
    parser.add_argument("base", metavar="BASE", help="the old commit, or the old command")
    parser.add_argument(
        "head", nargs="?", metavar="HEAD", help="the new commit or command (files as they are now)"
    )
    _add_project(parser.add_argument_group("commits"))
    parser.add_argument(
        "--check",
        type=_checks,
        default=(),
        metavar="LIST",
        help="also run each version once with these checks of the virtual device: "
        f"{', '.join(KINDS)}, or all",
    )
    parser.add_argument(
        "--fail-on",
        choices=("any", "regression", "finding", "never"),
        default="any",
        metavar="WHAT",
        help="exit with code 1 for regression (a proven one), finding (one that BASE lacks), any "
        "of these two, or never (any)",
    )
    _add_measuring(parser.add_argument_group("comparison"))
    options.add_json_argument(parser)
    parser.add_argument(
        "--out",
        action=options.Written,
        files=("ci.json", "compare.json", "summary.md"),
        metavar="DIR",
        help="also write DIR/summary.md, ci.json, compare.json and the samples",
    )
    options.add_debug_argument(parser)
    parser.set_defaults(run=run)


def _add_project(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--command", metavar="COMMAND", help='how to start the application: "./app 100"'
    )
    group.add_argument(
        "--build",
        default="",
        metavar="COMMAND",
        help="shell command that builds it, run in both checkouts; hipcc is that of the prefix",
    )
    group.add_argument(
        "--directory",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="folder of the repository to build and start in (its top)",
    )


def _add_measuring(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--threshold",
        type=float,
        default=2.0,
        metavar="PERCENT",
        help="ignore smaller changes of the time, in percent (2)",
    )
    group.add_argument(
        "--blocks",
        type=int,
        default=48,
        metavar="N",
        help="at most N blocks of three processes (48); 8 are enough on the virtual device",
    )
    group.add_argument(
        "--seed", type=int, default=0, metavar="N", help="random seed of the order of processes (0)"
    )
    options.add_timeout_argument(group)
    options.add_rocm_argument(group)


def _checks(text: str) -> tuple[str, ...]:
    kinds = KINDS if text == "all" else tuple(filter(None, text.split(",")))
    if not kinds:
        raise argparse.ArgumentTypeError("an empty list checks nothing: omit --check, or use all")
    return kinds


def run(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.prove.ci.run import run_ci
    from rocm_perf_lab.reporters.decisions.ci_markdown import render_ci
    from rocm_perf_lab.reporters.json_document import to_json
    from rocm_perf_lab.reporters.progress import PROGRESS

    result = run_ci(_request(arguments), PROGRESS.doing)
    summary = render_ci(result.document)
    if arguments.out:
        _write(arguments.out, result, summary)
    options.say_to_program(to_json(result.document) if arguments.json else summary)
    wanted = {"any": result.document.found, "never": []}
    failed = wanted.get(arguments.fail_on, [arguments.fail_on])
    return EXIT_ANSWER_IS_NO if set(failed) & set(result.document.found) else EXIT_DONE


def _request(arguments: argparse.Namespace) -> CiRequest:
    from rocm_perf_lab.prove.ci.run import CiRequest
    from rocm_perf_lab.prove.ci.versions import Project
    from rocm_perf_lab.reporters.progress import RunProgress

    if arguments.application is not None:
        raise UsageError(
            "ci takes no application after --", 'rocm-perf ci main --command "./app 100"'
        )
    if arguments.command is None and (arguments.build or arguments.directory != Path()):
        raise UsageError(
            "--build and --directory need --command",
            'rocm-perf ci main --build "make app" --command "./app 100"',
        )
    project = None
    if arguments.command is not None:
        project = Project(arguments.command, arguments.build, arguments.directory)
    return CiRequest(
        arguments.base,
        arguments.head,
        project,
        arguments.check,
        threshold=arguments.threshold / 100,
        blocks=arguments.blocks,
        seed=arguments.seed,
        rocm=arguments.rocm,
        timeout_s=arguments.timeout,
        progress=RunProgress(arguments.debug),
    )


def _write(folder: Path, result: CiResult, summary: str) -> None:
    from rocm_perf_lab.reporters.decisions.compare_files import write_comparison
    from rocm_perf_lab.reporters.json_document import to_json, write_document

    if result.document.comparison is not None:
        write_comparison(folder, result.document.comparison, result.samples)
    write_document(folder / "ci.json", to_json(result.document))
    write_document(folder / "summary.md", summary)
