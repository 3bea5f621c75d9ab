"""Our own three streams: closed ones are replaced, and a full or abandoned one is said."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import TextIO

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.trace.files.outlets import broken_outlet

_OUT = 1


def open_closed_streams() -> None:
    """Before anything is opened: a file under the number of a closed stream would get its words.

    A result needs standard output. Standard error and input may be closed: nobody listens there.
    """
    closed = [number for number in range(3) if not _is_open(number)]
    for number in closed:
        opened = os.open(os.devnull, os.O_RDONLY if number == 0 else os.O_WRONLY)
        if opened != number:
            os.dup2(opened, number)
            os.close(opened)
        os.set_inheritable(number, True)
    if sys.stderr is None:
        sys.stderr = _devnull()
    if sys.stdout is None:
        sys.stdout = _devnull()
    if _OUT in closed:
        raise UsageError(
            "standard output is closed, and the result goes there", "send it to a file: > FILE"
        )


@contextlib.contextmanager
def told_output() -> Iterator[None]:
    """What standard output refuses becomes an error with its reason, here and not at the exit."""
    try:
        yield
        sys.stdout.flush()
    except SystemExit:  # of --help and --version
        _flush()
        raise
    except OSError as error:
        broken = broken_outlet(_OUT) if error.filename is None else None
        if broken is None:
            raise
        _abandon()
        raise broken from error


def say(text: str) -> None:
    """A line for people. A standard error that takes nothing must not hide what happened."""
    from rocm_perf_lab.reporters.colour import painted

    with contextlib.suppress(OSError, ValueError):
        print(painted(text, sys.stderr), file=sys.stderr, flush=True)


def _flush() -> None:
    try:
        sys.stdout.flush()
    except OSError as error:
        _abandon()
        raise broken_outlet(_OUT) or error from error


def _abandon() -> None:
    """The interpreter flushes once more at its end, and would complain again."""
    with contextlib.suppress(OSError, ValueError):
        unwanted = os.open(os.devnull, os.O_WRONLY)
        os.dup2(unwanted, sys.stdout.fileno())
        os.close(unwanted)


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _devnull() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")  # for the whole life
