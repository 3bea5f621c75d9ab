"""Why a profiled run gave nothing: the application, the profiler, or nothing to record."""

from __future__ import annotations

import errno
import os
import re
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Optional

from rocm_perf_lab.collect.process import ProcessResult, Stdout
from rocm_perf_lab.collect.rocprof.application import application_failure, cannot_start
from rocm_perf_lab.collect.rocprof.options import CollectOptions
from rocm_perf_lab.collect.rocprof.troubles import known_trouble
from rocm_perf_lab.errors import NothingRecorded, OutputFailed, PerfLabError, ToolFailed
from rocm_perf_lab.trace.files.outlets import broken_outlet
from rocm_perf_lab.trace.files.places import no_room_in

# rocprofv3's own script stops with "[rocprofv3] Fatal error: ..."; up to ROCm 7.2 without the
# bracket. An application may print the bare words too, so there only known texts count.
_SCRIPT_FATAL = re.compile(
    r"^(?:\[rocprofv3\] Fatal error: .*"
    r"|Fatal error: (?:Failed to resolve path|rocprof-trace-decoder|No application).*"
    r"|(?:usage: )?rocprofv3(?:\.py)?: error: .*)$",
    re.MULTILINE,
)
# The profiler's library inside the application aborts after a fatal glog line:
# F20251115 02:03:04.123456 1234 tool.cpp:567] message
_LIBRARY_FATAL = re.compile(r"^F\d{4,8} \d\d:\d\d:\d\d\.\d+ .*?\] (.*)$", re.MULTILINE)
_EXEC_FORMAT = re.compile(rf"^OSError: \[Errno {errno.ENOEXEC}\]", re.MULTILINE)
_NO_ROOM = re.compile(
    r"No space left on device|Disk quota exceeded|File too large|database or disk is full"
    r"|disk I/O error"  # what SQLite makes of a limit
)
_ROCPD_WRITER = re.compile(r"SQLite3 error \d+")
_EXCEEDS_HARDWARE = re.compile(r"exceeds the capabilities of the hardware|EXCEEDS_HW_LIMIT", re.I)
_NO_SUCH_COUNTER = re.compile(r"Unable to find all counters", re.I)


def rocpd_writer_failed(result: ProcessResult) -> bool:
    """The rocpd writer of ROCm 7.1 aborts when the command line holds a ``;`` (its issue 1655)."""
    return not result.ok and _ROCPD_WRITER.search(result.stderr_tail) is not None


def run_failure(
    argv: Sequence[str],
    result: ProcessResult,
    options: CollectOptions,
    space: Optional[Path] = None,
) -> PerfLabError:
    """The error for a profiled run that did not end with exit code 0."""
    log, timeout_s = result.stderr_tail, options.timeout_s
    if result.timed_out:
        return application_failure(argv, result, timeout_s)
    unwritten = not_written(result, options.app_stdout, space)
    if unwritten is not None:
        return unwritten
    if _EXEC_FORMAT.search(log):
        return cannot_start(argv, OSError(errno.ENOEXEC, os.strerror(errno.ENOEXEC)))
    library = _LIBRARY_FATAL.search(log)
    if library is not None:
        return _profiler_failure(library.group(1), log)
    script = _SCRIPT_FATAL.search(log)
    if script is not None:
        return _profiler_failure(script.group(0), log)
    return application_failure(argv, result, timeout_s)


def not_written(
    result: ProcessResult, stdout: Stdout, space: Optional[Path] = None
) -> Optional[PerfLabError]:
    """The error for a run that failed only because nothing could be written where it wrote."""
    outlets = {Stdout.INHERIT: (1,), Stdout.TO_STDERR: (2,)}.get(stdout, ())
    for outlet in outlets:
        broken = broken_outlet(outlet)
        if broken is not None:
            return broken
    full = None if space is None else no_room_in(space)
    words = _NO_ROOM.search(result.stderr_tail)
    if full is None and (words is not None or _over_limit(result)):
        reason = "File too large" if words is None else words.group(0)
        full = OutputFailed(
            f"the profiler or the application cannot write: {reason}",
            "free disk space (df, quota, ulimit -f); TMPDIR or --keep-trace set another folder "
            "for recordings",
            stderr_tail=result.stderr_tail,
        )
    return full


def _over_limit(result: ProcessResult) -> bool:
    return result.signal == signal.SIGXFSZ or result.exit_code == 128 + signal.SIGXFSZ


def _profiler_failure(message: str, log: str) -> ToolFailed:
    if _EXCEEDS_HARDWARE.search(log):
        next_step = "collect fewer counters per pass"
    else:
        next_step = "rocm-perf doctor; --no-rocprof measures without the profiler"
    return ToolFailed(f"rocprofv3 failed: {message.strip()}", next_step, stderr_tail=log)


def nothing_recorded(
    what: str, log: str, options: CollectOptions, left_out: Sequence[str] = ()
) -> NothingRecorded:
    """The error for a run that ended well and left no ``what`` behind that can be used."""
    if left_out:
        return NothingRecorded(
            f"no {what} recorded that can be used: {'; '.join(left_out)}",
            "look at the recording: run again with --keep-trace DIR",
        )
    trouble = known_trouble(log)
    if trouble is not None:
        cause = f"the application ended normally, but {trouble.cause}"
        return NothingRecorded(f"no {what} recorded: {cause}", trouble.next_step)
    if what == "counters" and _NO_SUCH_COUNTER.search(log):
        return NothingRecorded(
            "no counters recorded: this GPU does not have them",
            "list what it has: rocprofv3-avail list --pmc",
        )
    if what == "counters" and options.kernel_regex is not None:
        return NothingRecorded(
            f"no counters recorded: no kernel matches {options.kernel_regex!r}",
            "see the kernel names with: rocm-perf profile -- APP",
        )
    return NothingRecorded(
        f"no {what} recorded: the application launched no GPU kernel, or it left through _exit, "
        "quick_exit or SIGKILL before the profiler could write",
        "make sure that the application uses the GPU and ends normally; check the machine with: "
        "rocm-perf doctor",
    )
