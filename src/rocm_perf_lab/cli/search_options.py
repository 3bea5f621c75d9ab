"""Options of the verbs that search for faster code, and what they mean as a request."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable

from rocm_perf_lab.cli import options
from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.reporters.progress import PROGRESS

if TYPE_CHECKING:
    from rocm_perf_lab.optimize.guards.regression import Thresholds
    from rocm_perf_lab.optimize.request import OptimizeRequest

SOURCE_SUFFIXES = (".hip", ".cpp", ".cu", ".cc", ".cxx", ".c++", ".hpp", ".h")


def add_search_arguments(parser: argparse.ArgumentParser, max_iters: int = 5) -> None:
    """What both optimizers understand."""
    parser.add_argument(
        "command",
        nargs="*",
        metavar="SOURCE -- APP ARGS",
        help="the source file with the kernels, then the application and its arguments; also "
        'SOURCE "APP ARGS"; with --source the application alone',
    )
    parser.add_argument(
        "--source",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="source file with the kernels; repeatable",
    )
    parser.add_argument(
        "--build",
        metavar="CMD",
        help="build command with {source} and {output} (hipcc; run without a shell)",
    )
    parser.add_argument("--flags", metavar="FLAGS", help="flags of hipcc (those of the baseline)")
    _add_limits(parser.add_argument_group("limits"), max_iters)
    parser.add_argument(
        "--auto-approve", action="store_true", help="write accepted code into the source"
    )
    parser.add_argument(
        "--evidence", action=options.Written, metavar="DIR", help="a new folder for the evidence"
    )
    options.add_rocm_argument(parser)
    options.add_json_argument(parser)


def _add_limits(group: argparse._ArgumentGroup, max_iters: int) -> None:
    group.add_argument("--kernel", metavar="NAME", help="change only this kernel")
    group.add_argument(
        "--max-iters",
        type=int,
        default=max_iters,
        metavar="N",
        help=f"at most N iterations ({max_iters})",
    )
    group.add_argument(
        "--min-improvement",
        type=float,
        default=0.02,
        metavar="F",
        help="smallest gain that counts (0.02)",
    )
    group.add_argument(
        "--budget", type=options.seconds, metavar="S", help="start no new step after S seconds"
    )
    group.add_argument(
        "--limit",
        action="append",
        default=[],
        metavar="NAME=SHARE",
        help="how much worse runtime, vgpr, occupancy, lds or dram_bytes may become, or off",
    )
    group.add_argument(
        "--timeout",
        type=options.seconds,
        default=60.0,
        metavar="S",
        help="time limit of one run of the application, in seconds",
    )


def add_style_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--compact", action="store_true", help="short prompt: limits, attempts and the kernel"
    )
    parser.add_argument(
        "--full-source", action="store_true", help="include the whole source file of the kernel"
    )


def request_of(arguments: argparse.Namespace) -> OptimizeRequest:
    from rocm_perf_lab.collect.rocprof.application import split_command
    from rocm_perf_lab.optimize.request import OptimizeRequest
    from rocm_perf_lab.reporters.live import search_listener

    sources, argv = named(arguments)
    return OptimizeRequest(
        argv=tuple(argv),
        sources=tuple(sources),
        build=None if arguments.build is None else tuple(split_command(arguments.build)),
        flags=None if arguments.flags is None else tuple(split_command(arguments.flags)),
        rocm=arguments.rocm,
        kernel=arguments.kernel,
        max_iters=arguments.max_iters,
        min_improvement=arguments.min_improvement,
        budget_s=arguments.budget,
        allowed=frozenset(getattr(arguments, "allow", ())),
        thresholds=thresholds(arguments.limit),
        evidence=arguments.evidence,
        timeout_s=arguments.timeout,
        listener=search_listener(),
    )


def named(arguments: argparse.Namespace) -> tuple[list[Path], list[str]]:
    """Sources and application, of the forms in which they can be given."""
    from rocm_perf_lab.collect.rocprof.application import split_command

    words, behind = list(arguments.command), arguments.application
    sources = [Path(words.pop(0))] if words and words[0].endswith(SOURCE_SUFFIXES) else []
    sources += arguments.source
    if behind is not None and words:
        raise UsageError(
            f"'{words[0]}' is before -- and is not a source file", "write the application after --"
        )
    argv = behind if behind is not None else words
    if behind is None and len(words) == 1:
        argv = split_command(words[0])
    if not argv and sources:
        raise UsageError("no application was given", f"rocm-perf optimize {sources[0]} -- ./app")
    if not argv:
        raise UsageError("nothing to optimize", "rocm-perf optimize SOURCE -- ./app args")
    return sources, list(argv)


def thresholds(limits: list[str]) -> Thresholds:
    from rocm_perf_lab.optimize.guards.regression import Thresholds

    found: dict[str, Any] = {}
    names = ("runtime", "vgpr", "occupancy", "lds", "dram_bytes")
    for limit in limits:
        name, _, value = limit.partition("=")
        try:
            share = None if value == "off" else float(value)
        except ValueError:
            share = -1.0
        if name not in names or (share is not None and share < 0):
            raise UsageError(f"--limit {limit}", f"NAME=SHARE or NAME=off, of {', '.join(names)}")
        found[name] = share
    return Thresholds(growth_waiver=True, **found)


def consent(arguments: argparse.Namespace) -> Callable[[str, Path], bool]:
    """Asks a person where there is one; nobody's silence is a yes."""

    def agrees(diff: str, kept: Path) -> bool:
        if arguments.auto_approve:
            return True
        if arguments.json or not (sys.stdin.isatty() and sys.stderr.isatty()):
            return False
        PROGRESS.finish()
        print(diff, file=sys.stderr)
        print("Write this into the source? [y/N] ", end="", file=sys.stderr, flush=True)
        return sys.stdin.readline().strip().lower() in ("y", "yes")

    return agrees
