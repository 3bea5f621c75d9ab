"""The program: finds the verb, runs it, and turns every failure into one readable message."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from types import ModuleType
from typing import Optional

from rocm_perf_lab import __version__, errors
from rocm_perf_lab.cli.collector import at_rest
from rocm_perf_lab.cli.parser import Parser, grouped
from rocm_perf_lab.reporters import streams
from rocm_perf_lab.reporters.progress import PROGRESS

GROUPS = {
    "measure": ("profile", "roofs", "history"),
    "explain": ("explain", "report"),
    "change": ("optimize", "llm-optimize", "prompt", "autotune"),
    "prove": ("compare", "ci", "judge", "verify", "evidence"),
    "capture": ("isolate", "replay"),
    "tools": ("doctor", "selftest", "vrocm", "examples", "mcp", "skill", "completion"),
}
VERBS = tuple(verb for verbs in GROUPS.values() for verb in verbs)

EPILOG = "\n".join(
    [
        "exit codes:",
        *(f"{code:>5}  {meaning}" for code, meaning in errors.EXIT_CODES.items()),
        "",
        "example:",
        "  rocm-perf explain -- ./app 100",
    ]
)

# They answer once and end: what they allocate, most of it lives until then.
ANSWERING_VERBS = ("profile", "explain", "report", "compare")
SILENT_VERBS = ("mcp",)  # it works for others until they go, and tells them itself

FIRST_STEPS = """\
rocm-perf measures, explains and speeds up HIP programs, and
proves each step. Start with:

  rocm-perf doctor
      can this machine profile, and if not, how to fix it
  rocm-perf explain -- ./app args
      what limits the application, and what to try first
  rocm-perf report -- ./app args
      the answer and its data, as a page for a browser

No AMD GPU here? A virtual one, and programs to try:

  eval "$(rocm-perf vrocm env)"
  rocm-perf examples my-examples

All verbs: rocm-perf --help. One: rocm-perf explain --help.
"""


def verb_module(name: str) -> ModuleType:
    return importlib.import_module(f"rocm_perf_lab.cli.{name.replace('-', '_')}")


def build_parser(verbs: Sequence[str] = VERBS) -> argparse.ArgumentParser:
    """Of some verbs alone it is made in a third of the time."""
    parser = Parser(
        prog="rocm-perf",
        description="Measure, explain, change and prove the performance of HIP applications.",
        epilog=EPILOG,
        formatter_class=grouped(GROUPS),
    )
    parser.add_argument("--version", action="version", version=f"rocm-perf {__version__}")
    places = parser.add_subparsers(
        dest="verb", metavar="VERB", required=True, parser_class=Parser, title="verbs"
    )
    for verb in verbs:
        verb_module(verb).add_parser(places)
    return parser


def _asked(words: Sequence[str]) -> Sequence[str]:
    """Who does not begin with a verb wants help, or needs to be told all verbs."""
    return words[:1] if words and words[0] in VERBS else VERBS


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
            if not own and application is None:
                sys.stdout.write(FIRST_STEPS)
                return errors.EXIT_DONE
            arguments = build_parser(_asked(own)).parse_args(own)
            arguments.application = application
            if arguments.verb in SILENT_VERBS:
                return int(arguments.run(arguments))
            with PROGRESS.usually(f"{arguments.verb} is running"), contextlib.ExitStack() as stack:
                if arguments.verb in ANSWERING_VERBS:
                    stack.enter_context(at_rest())
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
    """An error of this program, reported as such."""
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
