"""The program: finds the verb, runs it, and turns every failure into one readable message."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn, Optional

from rocm_perf_lab import __version__, errors
from rocm_perf_lab.cli import (
    autotune,
    compare,
    doctor,
    evidence,
    examples,
    explain,
    isolate,
    judge,
    llm_optimize,
    optimize,
    profile,
    prompt,
    replay,
    roofs,
    verify,
    vrocm,
)

EXIT_INTERNAL = 70
EXIT_PIPE_CLOSED = 141

VERBS = (
    profile,
    explain,
    compare,
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
)

EPILOG = """\
exit codes:
  0 done   1 the answer is no   2 usage   3 a tool or device is missing
  4 the application failed      5 nothing was recorded
"""


class _Parser(argparse.ArgumentParser):
    """Reports wrong usage the way every other failure is reported."""

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
    try:
        arguments = build_parser().parse_args(own)
        arguments.application = application
        code = int(arguments.run(arguments))
        sys.stdout.flush()
        return code
    except errors.PerfLabError as error:
        report(error)
        return error.exit_code
    except KeyboardInterrupt:
        print("rocm-perf: interrupted", file=sys.stderr)
        return errors.EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away (head, less): nothing is left to say to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_PIPE_CLOSED
    except Exception as error:  # the last line of defence: a defect of ours, said as one
        if os.environ.get("ROCM_PERF_DEBUG"):
            traceback.print_exc()
        print(f"rocm-perf: internal error: {type(error).__name__}: {error}", file=sys.stderr)
        print("  next: run again with ROCM_PERF_DEBUG=1 and report the output", file=sys.stderr)
        return EXIT_INTERNAL


def report(error: errors.PerfLabError) -> None:
    tail = getattr(error, "stderr_tail", "")
    if tail:
        print("--- last lines of the application's stderr ---", file=sys.stderr)
        print(tail.rstrip(), file=sys.stderr)
        print("---", file=sys.stderr)
    print(f"rocm-perf: error: {error.cause}", file=sys.stderr)
    if error.next_step:
        print(f"  next: {error.next_step}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
