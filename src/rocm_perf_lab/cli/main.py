"""The program: finds the verb, runs it, and turns every failure into one readable message."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any, NoReturn, Optional

from rocm_perf_lab import __version__, errors
from rocm_perf_lab.cli import (
    autotune,
    compare,
    doctor,
    evidence,
    examples,
    explain,
    history,
    isolate,
    judge,
    llm_optimize,
    mcp,
    optimize,
    profile,
    prompt,
    replay,
    report,
    roofs,
    skill,
    verify,
    vrocm,
)
from rocm_perf_lab.reporters import streams

VERBS = (
    profile,
    explain,
    report,
    compare,
    history,
    judge,
    evidence,
    roofs,
    isolate,
    replay,
    verify,
    optimize,
    llm_optimize,
    prompt,
    autotune,
    doctor,
    vrocm,
    examples,
    mcp,
    skill,
)

EPILOG = "exit codes:\n" + "\n".join(
    f"{code:>5}  {meaning}" for code, meaning in errors.EXIT_CODES.items()
)


class _Parser(argparse.ArgumentParser):
    """Reports wrong usage the way every other failure is reported."""

    def print_help(self, file: Optional[Any] = None) -> None:
        """argparse hides it when nothing can be written."""
        (sys.stdout if file is None else file).write(self.format_help())

    def error(self, message: str) -> NoReturn:
        hint = f"{self.prog} --help"
        if message.startswith("unrecognized arguments"):
            hint = f"options of the application go behind --, or see {self.prog} --help"
        raise errors.UsageError(message, hint)


def build_parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="rocm-perf",
        description="Measure, explain, change and prove the performance of HIP applications.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"rocm-perf {__version__}")
    verbs = parser.add_subparsers(
        dest="verb", metavar="VERB", required=True, parser_class=_Parser, title="verbs"
    )
    for verb in VERBS:
        verb.add_parser(verbs)
    return parser


def split_application(argv: Sequence[str]) -> tuple[list[str], Optional[list[str]]]:
    """Everything behind the first ``--`` is the application, token by token."""
    words = list(argv)
    if "--" not in words:
        return words, None
    cut = words.index("--")
    return words[:cut], words[cut + 1 :]


def main(argv: Optional[Sequence[str]] = None) -> int:
    own, application = split_application(sys.argv[1:] if argv is None else argv)
    as_json = "--json" in own
    try:
        streams.open_closed_streams()
        with streams.told_output():
            arguments = build_parser().parse_args(own)
            arguments.application = application
            return int(arguments.run(arguments))
    except errors.PerfLabError as error:
        return failure(error, as_json)
    except KeyboardInterrupt:
        streams.say("rocm-perf: interrupted")
        return errors.EXIT_INTERRUPTED
    except OSError as error:
        known = errors.of_system(error)
        return defect(error, as_json) if known is None else failure(known, as_json)
    except Exception as error:  # the last line of defence
        return defect(error, as_json)


def failure(error: errors.PerfLabError, as_json: bool) -> int:
    if error.stderr_tail:
        streams.say("--- last lines of the application's stderr ---")
        streams.say(f"{error.stderr_tail.rstrip()}\n---")
    streams.say(f"rocm-perf: error: {error.cause}")
    if error.next_step:
        streams.say(f"  next: {error.next_step}")
    if as_json:
        _as_json(type(error).__name__, error.cause, error.next_step, error.exit_code)
    return error.exit_code


def defect(error: Exception, as_json: bool) -> int:
    """A defect of ours, said as one."""
    if os.environ.get("ROCM_PERF_DEBUG"):
        traceback.print_exc()
    cause = f"{type(error).__name__}: {error}"
    cure = "run again with ROCM_PERF_DEBUG=1 and report the output"
    streams.say(f"rocm-perf: internal error: {cause}\n  next: {cure}")
    if as_json:
        _as_json("InternalError", cause, cure, errors.EXIT_INTERNAL)
    return errors.EXIT_INTERNAL


def _as_json(kind: str, cause: str, next_step: Optional[str], exit_code: int) -> None:
    from rocm_perf_lab.reporters.error_document import ErrorDocument, ErrorModel
    from rocm_perf_lab.reporters.json_document import to_json

    error = ErrorModel(kind=kind, cause=cause, next_step=next_step, exit_code=exit_code)
    with contextlib.suppress(OSError, errors.PerfLabError), streams.told_output():
        sys.stdout.write(to_json(ErrorDocument(error=error)))


if __name__ == "__main__":
    sys.exit(main())
