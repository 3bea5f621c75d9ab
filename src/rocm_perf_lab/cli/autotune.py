"""``rocm-perf autotune``: the best configuration for a fraction of the measurements."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Optional

from rocm_perf_lab.cli import options
from rocm_perf_lab.errors import EXIT_ANSWER_IS_NO, EXIT_DONE, ToolMissing, UsageError

if TYPE_CHECKING:
    from rocm_perf_lab.tune.request import Commands, TuneRequest
    from rocm_perf_lab.tune.triton.target import TritonTarget
    from rocm_perf_lab.tune.tuning_schema import TuningDocument

EXAMPLES = """\
space.json is a list of configurations, {"BM": [32, 64], "BN": {"from": 16, "to": 128, "step": 16}},
{"parameters": {...}, "conditions": ["BM * BN <= 4096"], "default": {...}}, or a T1 definition.
The search stays within the budget and never measures all configurations.

examples:
  rocm-perf autotune --space space.json --cmd-template "./kernel --bm {BLOCK_M} --bn {BLOCK_N}"
  rocm-perf autotune --space space.json --build-template "hipcc -DBM={BM} k.hip -o {output}" \\
      --cmd-template "{output} 1024" --budget 40 --journal tuning.jsonl
  rocm-perf autotune --triton matmul.py:matmul_kernel --write matmul_best.py -- python matmul.py
  rocm-perf autotune --simulate results.json.gz --budget 2%
"""


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "autotune",
        help="the best parameters of a program, from few measurements",
        description=__doc__,
        epilog=EXAMPLES,
    )
    parser.add_argument(
        "--space", type=Path, metavar="FILE", help="the parameters and their values"
    )
    parser.add_argument(
        "--simulate", type=Path, metavar="FILE", help="search in recorded results; nothing is run"
    )
    _add_triton(parser)
    _add_commands(parser)
    _add_search(parser)
    _add_workers(parser)
    _add_judge(parser)
    _add_files(parser)
    options.add_timeout_argument(parser)
    options.add_rocm_argument(parser)
    options.add_json_argument(parser)
    options.add_debug_argument(parser)
    parser.set_defaults(run=run)


def _add_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--journal",
        action=options.Written,
        is_file=True,
        metavar="FILE",
        help="record every measurement in FILE",
    )
    parser.add_argument("--resume", action="store_true", help="continue from the journal")
    parser.add_argument(
        "--from-journal",
        type=Path,
        metavar="FILE",
        help="results from another GPU or problem size; their best configurations are measured "
        "first",
    )
    parser.add_argument(
        "-o",
        dest="out",
        action=options.Written,
        is_file=True,
        metavar="FILE",
        help="also write T4 results (.json), or a picture (.svg, .html)",
    )


def _add_triton(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("a Triton kernel; its program and arguments go after --")
    group.add_argument(
        "--triton",
        metavar="FILE.py:KERNEL",
        help="tune the configurations of this kernel's @triton.autotune, all of them without "
        "--budget (program: python3 FILE.py)",
    )
    group.add_argument(
        "--write",
        action=options.Written,
        is_file=True,
        metavar="FILE",
        help="write the best configuration of each key, as Python (.py) or JSON",
    )


def _add_commands(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("commands; {NAME} stands for a parameter")
    group.add_argument("--cmd-template", metavar="CMD", help="the command to time")
    group.add_argument(
        "--build-template", metavar="CMD", help="builds a configuration, writes {output}"
    )
    group.add_argument(
        "--compile-first",
        action="store_true",
        help="build all configurations first: the search then uses registers, LDS and occupancy, "
        "and configurations that do not build use none of the budget",
    )
    group.add_argument(
        "--verify", metavar="CMD", help="checks the result; exit code 0 means correct"
    )
    group.add_argument(
        "--env",
        action="append",
        default=[],
        metavar="NAME=TEXT",
        help="environment variable of the program",
    )


def _add_search(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("search")
    group.add_argument(
        "--budget",
        metavar="N",
        help="how many configurations to measure: a number, a fraction or a percentage (20%%)",
    )
    group.add_argument(
        "--seed", type=int, default=0, metavar="N", help="random seed of the search (0)"
    )
    group.add_argument(
        "--seed-fraction",
        type=float,
        default=0.2,
        metavar="F",
        help="fraction of the budget for the initial sample, between 10 and 16 configurations "
        "(0.2)",
    )
    group.add_argument(
        "--prune-factor",
        type=float,
        metavar="F",
        help="stop when all others are predicted to take more than F times the best (never)",
    )
    group.add_argument(
        "--objective",
        default="runtime",
        metavar="WHAT",
        help="what to minimise: runtime (device time), application, or stdout:REGEX with one "
        "group (runtime); two, separated by a comma, give a Pareto set",
    )
    group.add_argument(
        "--kernel", metavar="NAME", help="minimise the device time of this kernel only"
    )
    group.add_argument(
        "--repeat", type=int, default=3, metavar="N", help="processes per configuration (3)"
    )


def _add_workers(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("several GPUs or machines")
    group.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="number of GPUs of this machine to use (1)"
    )
    group.add_argument("--scheduler", metavar="ADDRESS", help="scheduler address of a Dask cluster")
    group.add_argument(
        "--ahead",
        type=int,
        metavar="N",
        help="configurations in flight; the same number gives the same search on any machine (as "
        "many as --jobs; 8 with --scheduler)",
    )


def _add_judge(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("comparison of the best configuration with the default")
    group.add_argument(
        "--default",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="the default configuration (the first value of each parameter)",
    )
    group.add_argument(
        "--no-judge", action="store_true", help="skip the comparison with the default"
    )
    group.add_argument(
        "--evidence", action=options.Written, metavar="DIR", help="a new folder for the evidence"
    )


def run(arguments: argparse.Namespace) -> int:
    try:
        import sklearn  # noqa: F401 (looked for, so that its absence is said in our words)
    except ImportError:
        raise ToolMissing(
            "autotune needs scikit-learn", 'pip install "rocm-perf-lab[tune]"'
        ) from None
    from rocm_perf_lab.reporters.decisions.tuning import render_tuning
    from rocm_perf_lab.reporters.decisions.tuning_picture import tuning_page, tuning_svg
    from rocm_perf_lab.reporters.json_document import write_document
    from rocm_perf_lab.tune.document import tuning_document
    from rocm_perf_lab.tune.request import autotune
    from rocm_perf_lab.tune.t4 import t4_text
    from rocm_perf_lab.tune.triton_table import table_text

    request = _request(arguments)
    tuned = autotune(request)
    document = tuning_document(tuned, request)
    if arguments.out is not None:
        pictures = {".svg": tuning_svg, ".html": tuning_page}
        picture = pictures.get(arguments.out.suffix.lower())
        text = picture(document) if picture else t4_text(tuned.tuning, tuned.unit)
        write_document(arguments.out, text)
    if arguments.write is not None and document.triton is not None and document.triton.table:
        write_document(arguments.write, table_text(document.triton, arguments.write.suffix.lower()))
    options.show(arguments, document, render_tuning)
    return EXIT_DONE if _is_answered(arguments, document) else EXIT_ANSWER_IS_NO


def _is_answered(arguments: argparse.Namespace, document: TuningDocument) -> bool:
    is_unwritten = arguments.write is not None and not (document.triton and document.triton.table)
    return document.best_config is not None and not is_unwritten


def _request(arguments: argparse.Namespace) -> TuneRequest:
    from rocm_perf_lab.reporters.live import tuning_listener
    from rocm_perf_lab.reporters.progress import RunProgress
    from rocm_perf_lab.tune.request import TuneRequest
    from rocm_perf_lab.tune.run.program import ProgramOptions
    from rocm_perf_lab.tune.search.search import SearchOptions

    _check_numbers(arguments)
    triton, commands = _triton(arguments)
    program = ProgramOptions(arguments.repeat, timeout_s=arguments.timeout)
    if arguments.debug:
        program = replace(program, echo_stderr=True, progress=RunProgress(True))
    return TuneRequest(
        space=arguments.space,
        triton=triton,
        as_code=arguments.write is not None and arguments.write.suffix.lower() == ".py",
        commands=commands,
        simulate=arguments.simulate,
        budget=arguments.budget,
        objective=arguments.objective,
        kernel=arguments.kernel,
        journal=arguments.journal,
        resume=arguments.resume,
        search=SearchOptions(
            arguments.seed, arguments.seed_fraction, prune_factor=arguments.prune_factor
        ),
        program=program,
        rocm=arguments.rocm,
        default=_pairs(arguments.default, "--default", "for example --default TILE=16"),
        elsewhere=arguments.from_journal,
        compile_first=arguments.compile_first,
        jobs=arguments.jobs,
        scheduler=arguments.scheduler,
        ahead=arguments.ahead,
        judge=not arguments.no_judge,
        evidence=arguments.evidence,
        progress=tuning_listener(),
    )


def _check_numbers(arguments: argparse.Namespace) -> None:
    if arguments.repeat < 1:
        raise UsageError(f"--repeat {arguments.repeat} is too small", "use 1 or more")
    if arguments.resume and arguments.journal is None:
        raise UsageError("--resume needs the journal to continue from", "--journal FILE --resume")
    for option in ("jobs", "ahead"):
        number = getattr(arguments, option)
        if number is not None and number < 1:
            raise UsageError(f"--{option} {number} is too small", "use 1 or more")
    if arguments.scheduler is not None and arguments.jobs > 1:
        raise UsageError("--jobs uses this machine, --scheduler a cluster", "use only one of them")


def _triton(
    arguments: argparse.Namespace,
) -> tuple[Optional[TritonTarget], Optional[Commands]]:
    """A Triton kernel with the command of its program, or the templates alone."""
    from rocm_perf_lab.tune.request import Commands
    from rocm_perf_lab.tune.triton.target import read_target

    if arguments.triton is None:
        if arguments.write is not None:
            raise UsageError(
                "--write is for a Triton kernel",
                "--triton FILE.py:KERNEL, or -o FILE for all measurements",
            )
        return None, _commands(arguments)
    for option in ("space", "simulate", "cmd_template", "build_template", "kernel", "env"):
        if getattr(arguments, option):
            name = option.replace("_", "-")
            raise UsageError(f"--triton takes no --{name}", "rocm-perf autotune --help")
    target = read_target(arguments.triton)
    words = arguments.application or target.command
    command = shlex.join(words).replace("{", "{{").replace("}", "}}")
    return target, Commands(command, None, arguments.verify)


def _commands(arguments: argparse.Namespace) -> Optional[Commands]:
    from rocm_perf_lab.tune.request import Commands

    if arguments.application is not None:
        raise UsageError(
            "autotune takes no application after --", 'write it as --cmd-template "./kernel {BM}"'
        )
    if arguments.cmd_template is None:
        return None
    if arguments.simulate is not None:
        raise UsageError("--simulate runs nothing, but a command was given", "use only one of them")
    environment = _pairs(arguments.env, "--env", "for example --env TILE={TILE}")
    return Commands(arguments.cmd_template, arguments.build_template, arguments.verify, environment)


def _pairs(texts: Sequence[str], option: str, example: str) -> dict[str, str]:
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise UsageError(f"{option} {text} is not NAME=TEXT", example)
        found[name] = value
    return found
