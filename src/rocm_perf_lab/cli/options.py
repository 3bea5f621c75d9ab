"""Options that several verbs share, and what they mean as a request."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Callable, Optional, TypeVar

from rocm_perf_lab.errors import UsageError

if TYPE_CHECKING:
    from pydantic import BaseModel

    from rocm_perf_lab.measure.request import Application, KnownCeilings, Source

Document = TypeVar("Document", bound="BaseModel")


def seconds(text: str) -> float:
    """The type of a time limit: a number above 0, and an end."""
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds") from None
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is no time limit: give seconds above 0")
    return value


def expression(text: str) -> str:
    """The type of a regular expression: refused before anything runs."""
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        raise argparse.ArgumentTypeError(f"'{text}' is no regular expression: {error}") from None
    return text


def add_application_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "command",
        nargs="*",
        metavar="-- APP ARGS",
        help='the application and its arguments; also as one word: "./app 100"',
    )


def add_recordings_argument(parser: argparse.ArgumentParser, text: str) -> None:
    parser.add_argument(
        "--from", dest="recordings", nargs="+", type=Path, metavar="PATH", help=text
    )


def add_timeout_argument(parser: argparse._ActionsContainer, *, per_run: bool = True) -> None:
    text = "stop the application after S seconds" + (" per run" if per_run else "")
    parser.add_argument("--timeout", type=seconds, metavar="S", help=text)


def add_rocm_argument(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("--rocm", type=Path, metavar="PREFIX", help="the ROCm installation to use")


def add_json_argument(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def add_debug_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--debug", action="store_true", help="the profiler's command lines and log on stderr"
    )


def add_ceiling_arguments(group: argparse._ActionsContainer) -> None:
    group.add_argument(
        "--memory-bandwidth-gbps", type=float, metavar="G", help="ceiling of device memory in GB/s"
    )
    group.add_argument(
        "--clock-mhz", type=float, metavar="MHZ", help="clock for the ceilings, if not the highest"
    )


def ceilings_of(arguments: argparse.Namespace) -> KnownCeilings:
    from rocm_perf_lab.measure.request import KnownCeilings

    return KnownCeilings(arguments.memory_bandwidth_gbps, arguments.clock_mhz)


def source_of(arguments: argparse.Namespace, verb: str, does: str) -> Source:
    """The application, or what ``--from`` names: exactly one of the two."""
    from rocm_perf_lab.measure.request import Recordings

    argv = application_of(arguments)
    if arguments.recordings and argv:
        raise UsageError(
            f"--from {does} recordings and runs nothing, but an application was given too",
            "leave one of the two out",
        )
    if argv:
        return _measured(arguments, argv)
    if not arguments.recordings:
        raise UsageError(
            "neither an application nor --from was given", f"rocm-perf {verb} -- ./app args"
        )
    return Recordings(tuple(arguments.recordings), arguments.rocm)


def _measured(arguments: argparse.Namespace, argv: list[str]) -> Application:
    from rocm_perf_lab.collect.process import Stdout
    from rocm_perf_lab.measure.request import Application
    from rocm_perf_lab.reporters.progress import RunProgress

    machine_readable = arguments.json or getattr(arguments, "quiet", False)
    return Application(
        tuple(argv),
        rocm=arguments.rocm,
        runs=arguments.runs,
        warmup=getattr(arguments, "warmup", 0),
        timeout_s=arguments.timeout,
        keep=arguments.keep_trace,
        stdout=Stdout.TO_STDERR if machine_readable else Stdout.INHERIT,
        progress=RunProgress(arguments.debug),
    )


def application_of(arguments: argparse.Namespace) -> Optional[list[str]]:
    """The argv to run: ``-- app args`` token by token, or the older positional forms."""
    positional: list[str] = arguments.command
    behind_dashes: Optional[list[str]] = arguments.application
    if behind_dashes is not None:
        if positional:
            raise UsageError(
                f"'{positional[0]}' stands before -- and is no option",
                "write the whole application behind --",
            )
        if not behind_dashes:
            raise UsageError("no application behind --", "rocm-perf profile -- ./app args")
        return behind_dashes
    if len(positional) == 1:
        from rocm_perf_lab.collect.application import split_command

        return split_command(positional[0]) or None
    return positional or None


def show(
    arguments: argparse.Namespace, document: Document, render: Callable[[Document], str]
) -> None:
    """The result on stdout: one JSON document, or what a person reads."""
    from rocm_perf_lab.reporters.json_document import to_json

    sys.stdout.write(to_json(document) if arguments.json else render(document))
