"""The application a verb runs: ``-- app args`` token by token, or the older positional forms."""

from __future__ import annotations

import argparse
import shlex
from typing import Optional

from rocm_perf_lab.errors import UsageError


def add_application_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "command",
        nargs="*",
        metavar="-- APP ARGS",
        help='the application and its arguments; also as one word: "./app 100"',
    )


def application_unless_recorded(
    arguments: argparse.Namespace, verb: str, does: str
) -> Optional[list[str]]:
    """The argv to run, or None when ``--from`` names recordings: exactly one of the two."""
    application = application_of(arguments)
    if arguments.recordings and application:
        raise UsageError(
            f"--from {does} recordings and runs nothing, but an application was given too",
            "leave one of the two out",
        )
    if not arguments.recordings and not application:
        raise UsageError(
            "neither an application nor --from was given", f"rocm-perf {verb} -- ./app args"
        )
    return application


def application_of(arguments: argparse.Namespace) -> Optional[list[str]]:
    """The argv to run, or None when no application was given."""
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
        try:
            return shlex.split(positional[0]) or None
        except ValueError as error:
            raise UsageError(f"cannot split '{positional[0]}': {error}") from error
    return positional or None
