"""Everything that can go wrong at a boundary: one type each, with cause, next step and exit code.

The command line prints these as two lines and never as a traceback::

    rocm-perf: error: <what happened>
      next: <the command or change that fixes it>
"""

from __future__ import annotations

import errno
from typing import Optional

EXIT_DONE = 0
EXIT_ANSWER_IS_NO = 1
EXIT_USAGE = 2
EXIT_TOOL_MISSING = 3
EXIT_APP_FAILED = 4
EXIT_NOTHING_RECORDED = 5
EXIT_INTERNAL = 70  # as sysexits.h has it
EXIT_HUNG_UP = 129  # from here on as a shell says it: 128 + signal
EXIT_INTERRUPTED = 130
EXIT_TERMINATED = 143

EXIT_CODES = {
    EXIT_DONE: "done",
    EXIT_ANSWER_IS_NO: "the answer is no: slower, different or refused",
    EXIT_USAGE: "usage error or unusable path; replay: an address is in use",
    EXIT_TOOL_MISSING: "a tool or device is missing, or the disk is full",
    EXIT_APP_FAILED: "the application failed",
    EXIT_NOTHING_RECORDED: "nothing was recorded, or the input cannot be read",
    10: "a file of a capture has the wrong length",
    11: "a file of a capture was modified",
    12: "a file of a capture is missing",
    13: "regions of a capture overlap",
    14: "the code of a capture is for another target",
    EXIT_INTERNAL: "internal error of rocm-perf",
    EXIT_HUNG_UP: "the terminal was closed (SIGHUP)",
    EXIT_INTERRUPTED: "interrupted with Ctrl-C",
    EXIT_TERMINATED: "ended by SIGTERM",
}

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NO_PLACE = (
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.ENOENT,
    errno.ENOTDIR,
    errno.EISDIR,
    errno.ENAMETOOLONG,
    errno.ELOOP,
)


class PerfLabError(Exception):
    """Base of all errors that a user may see."""

    exit_code = EXIT_ANSWER_IS_NO

    def __init__(
        self, cause: str, next_step: Optional[str] = None, *, stderr_tail: str = ""
    ) -> None:
        super().__init__(cause)
        self.cause = cause
        self.next_step = next_step
        self.stderr_tail = stderr_tail  # the last words of the program that failed


class UsageError(PerfLabError):
    """The command line or a configuration file does not make sense."""

    exit_code = EXIT_USAGE


class ToolMissing(PerfLabError):
    """A program, library or device that this command needs is not there."""

    exit_code = EXIT_TOOL_MISSING


class ToolFailed(PerfLabError):
    """A program of the ROCm prefix is there, but it failed by itself; the application did not."""

    exit_code = EXIT_TOOL_MISSING


class VerbFailed(PerfLabError):
    """A verb that ran in a process of its own failed, and these are its words."""

    def __init__(self, cause: str, next_step: Optional[str], exit_code: int) -> None:
        super().__init__(cause, next_step)
        self.exit_code = exit_code


class OutputFailed(PerfLabError):
    """What was to be written could not be: there is no room, or nobody reads it any more."""

    exit_code = EXIT_TOOL_MISSING


def nobody_reads(stream: str) -> OutputFailed:
    return OutputFailed(
        f"nobody reads {stream} any more: the output ends early",
        "let what reads it read to the end, or send it to a file",
    )


def is_no_room(error: OSError) -> bool:
    return error.errno in _NO_ROOM


def of_system(error: OSError, where: Optional[str] = None) -> Optional[PerfLabError]:
    """A refusal of the system, not an error of this program: no room, no such path, no right."""
    named = error.filename if where is None else where
    place = "" if named is None else f" to {named}"
    reason = error.strerror or str(error)
    if is_no_room(error):
        return OutputFailed(
            f"cannot write{place}: {reason}", "free disk space, or choose another path"
        )
    if error.errno in _NO_PLACE and named is not None:
        return UsageError(f"cannot use {named}: {reason}", "choose another path")
    return None


class ApplicationFailed(PerfLabError):
    """The profiled application ended with an error, crashed or ran into its time limit."""

    exit_code = EXIT_APP_FAILED


class BuildFailed(PerfLabError):
    """A command that should have built a program did not."""

    exit_code = EXIT_APP_FAILED


class NothingRecorded(PerfLabError):
    """The run ended well, but what was asked for is not in the recording."""

    exit_code = EXIT_NOTHING_RECORDED


class NotComparable(PerfLabError):
    """Two measurements are of different machines or devices: a difference says nothing."""

    exit_code = EXIT_USAGE


class RecordingError(PerfLabError):
    """A recording cannot be read: damaged, foreign, empty or of an unknown layout."""

    exit_code = EXIT_NOTHING_RECORDED


class SamplesError(PerfLabError):
    """Samples of a comparison that cannot be judged: damaged, empty, one-sided or impossible."""

    exit_code = EXIT_NOTHING_RECORDED


class EvidenceError(PerfLabError):
    """A folder is not evidence, or something was to be done to it that evidence does not allow."""

    exit_code = EXIT_NOTHING_RECORDED


class CodeObjectError(PerfLabError):
    """A file is not a code object, or its kernel metadata cannot be read."""

    exit_code = EXIT_NOTHING_RECORDED


class ArchitectureUnknown(PerfLabError):
    """There are no hardware facts for this target."""

    exit_code = EXIT_TOOL_MISSING


class CaptureDamaged(PerfLabError):
    """A capture lacks something, contradicts itself, or is not what was written."""

    exit_code = EXIT_NOTHING_RECORDED


class CaptureTruncated(CaptureDamaged):
    """A file of a capture is shorter or longer than it was."""

    exit_code = 10


class CaptureAltered(CaptureDamaged):
    """A file of a capture has other bytes than were written."""

    exit_code = 11


class CaptureIncomplete(CaptureDamaged):
    """A file of a capture is not there."""

    exit_code = 12


class CaptureOverlaps(CaptureDamaged):
    """Two regions of a capture claim the same memory."""

    exit_code = 13


class CaptureForeign(CaptureDamaged):
    """The code object of a capture is for another ISA than its dispatch ran on."""

    exit_code = 14


class CaptureRefused(PerfLabError):
    """The dispatch could not be captured, or not within the limits that were given."""


class ReplayRefused(PerfLabError):
    """The capture is whole, but holds what cannot be replayed faithfully."""


class ReplayFailed(PerfLabError):
    """The replay itself failed: the device, the runtime or the kernel."""


class AddressTaken(PerfLabError):
    """A captured address was not available in the new process. The original's exit code 2 stays."""

    exit_code = 2


class ForeignDevice(PerfLabError):
    """The code was built for another device than the one that is there."""

    exit_code = EXIT_TOOL_MISSING


class ProviderFailed(PerfLabError):
    """A language model could not be asked, or what came back is not a reply.

    ``kind`` for programs: timeout, connection, refused, protocol, too-long or exhausted.
    """

    exit_code = EXIT_TOOL_MISSING

    def __init__(self, kind: str, cause: str, next_step: Optional[str] = None) -> None:
        super().__init__(cause, next_step)
        self.kind = kind
