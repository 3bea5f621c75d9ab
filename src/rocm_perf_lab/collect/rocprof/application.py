"""The application under measurement: can it start, and what does its failure mean?"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
from collections.abc import Sequence
from typing import Optional

from rocm_perf_lab.collect.process import ProcessResult, signal_name
from rocm_perf_lab.collect.rocprof.troubles import known_trouble
from rocm_perf_lab.errors import ApplicationFailed, UsageError
from rocm_perf_lab.redaction import redacted_words

# A shell or a wrapper reports a death by signal as exit code 128 + signal.
_SHELL_SIGNAL_BASE = 128


def check_application(argv: Sequence[str]) -> None:
    """Raise when ``argv`` cannot be started. rocprofv3 would only show a Python traceback."""
    if not argv or not argv[0]:
        raise UsageError("no application was given", "rocm-perf VERB [options] -- ./app args...")
    name = argv[0]
    if shutil.which(name) is not None:
        return
    if os.path.isdir(name):
        raise ApplicationFailed(f"{name} is a directory, not an application", _path_hint(name))
    if os.path.isfile(name) and os.sep in name:
        raise ApplicationFailed(f"{name} is not executable", f"chmod +x {shlex.quote(name)}")
    raise ApplicationFailed(f"the application {name} was not found", _path_hint(name))


def split_command(text: str) -> list[str]:
    """A command line written as one word. Its quotes are honoured; no shell ever sees it."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UsageError(f"cannot split '{text}': {error}") from error


def application_failure(
    argv: Sequence[str], result: ProcessResult, timeout_s: Optional[float]
) -> ApplicationFailed:
    """The error for an application that ended badly, with the end of what it wrote."""
    if result.timed_out:
        return ApplicationFailed(
            f"the application did not end within {timeout_s:g} s and was stopped",
            "give it more time with --timeout SECONDS, or a smaller problem",
            stderr_tail=result.stderr_tail,
        )
    cause = f"the application failed: {_ending(result)}"
    next_step = f"run it alone first: {shlex.join(redacted_words(argv))}"
    trouble = known_trouble(result.stderr_tail)
    if trouble is not None:
        cause, next_step = f"{cause}; {trouble.cause}", trouble.next_step
    return ApplicationFailed(cause, next_step, stderr_tail=result.stderr_tail)


def cannot_start(argv: Sequence[str], error: OSError) -> ApplicationFailed:
    return ApplicationFailed(
        f"the application {argv[0]} cannot be started: {error.strerror}",
        "a script needs a first line such as #!/bin/sh; a program must be built for this machine",
    )


def _path_hint(name: str) -> str:
    if os.path.isfile(name):
        return f"write ./{name} for the file in this directory"
    return "check the path; options of rocm-perf go before --, the application after it"


def _ending(result: ProcessResult) -> str:
    code = result.exit_code
    if code is None or code <= _SHELL_SIGNAL_BASE:
        return result.ending
    number = code - _SHELL_SIGNAL_BASE
    if number not in set(signal.Signals):
        return result.ending
    return f"{result.ending}, which shells use for {signal_name(number)}"
