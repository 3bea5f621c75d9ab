"""The rocprofv3 of the virtual ROCm: same command line, same files, a virtual device.

The application runs with ``VROCM_TRACE`` set, which makes the virtual HIP runtime record into a
temporary folder. When it has ended, the records of each process become a recording.
"""

from __future__ import annotations

import os
import platform
import resource
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

from rocm_perf_lab.errors import ApplicationFailed, PerfLabError, UsageError
from rocm_perf_lab.vrocm.profiler.application import Ending
from rocm_perf_lab.vrocm.profiler.arguments import make_parser, split_command

SDK_VERSION = "1.1.0"  # the rocprofiler-sdk of ROCm 7.1, whose behaviour this follows
_FATAL = Ending(1)
_INTERRUPTED = Ending(0, signal.SIGINT)


def main(argv: Sequence[str]) -> int:
    """Exit status as a shell shows it: the application's own, 1 for what went wrong here, 2 for
    wrong options."""
    return run(argv).status


def run(argv: Sequence[str]) -> Ending:
    words, application = split_command(argv)
    parser = make_parser(os.environ)
    options = vars(parser.parse_args(words))
    root = Path(options["rocm_root"]) if options["rocm_root"] else None
    try:
        if options["version"]:
            print(_version_report(root))
            return Ending(0)
        if options["list_avail"]:
            listed = _list_available(root)
            if listed.status or not application:
                return listed
        if not application:
            raise UsageError("no application was given", "rocprofv3 [options] -- <application>")
        return _profile(options, application, root)
    except PerfLabError as error:
        return _fatal(error.cause, error.next_step)
    except BrokenPipeError:  # the reader of a list left early
        return Ending(0, signal.SIGPIPE)
    except OSError as error:  # no room, no rights, no current directory
        return _fatal(str(error), "free disk space, or choose another folder with -d")
    except KeyboardInterrupt:  # while the recording was written
        _fatal("interrupted while the recording was written", "run it again")
        return _INTERRUPTED


def _fatal(cause: str, next_step: Optional[str]) -> Ending:
    print(f"[rocprofv3] Fatal error: {cause}", file=sys.stderr)
    if next_step:
        print(f"  next: {next_step}", file=sys.stderr)
    return _FATAL


def _profile(
    options: Mapping[str, Any], application: Sequence[str], root: Optional[Path]
) -> Ending:
    """Every job of the input file, or the one of the command line."""
    from rocm_perf_lab.vrocm.profiler.jobs import read_jobs
    from rocm_perf_lab.vrocm.profiler.run import run_session
    from rocm_perf_lab.vrocm.profiler.session import make_session, merged

    if not options["input"]:
        return run_session(make_session(options), application, root)
    jobs = read_jobs(Path(options["input"]))
    sessions = [make_session(merged(options, job.options), job.folder) for job in jobs]
    if len(sessions) == 1:
        return run_session(sessions[0], application, root)
    for number, session in enumerate(sessions, start=1):
        status = run_session(session, application, root).status
        if status:
            raise ApplicationFailed(
                f"pass {number} of {len(sessions)} ended with status {status}",
                "later passes are skipped; run the application by itself to see what ails it",
            )
    return Ending(0)


def _version_report(root: Optional[Path]) -> str:
    lines = {
        "version": SDK_VERSION,
        "git_revision": "virtual",
        "system_name": platform.system(),
        "system_processor": platform.machine(),
        "system_version": platform.release(),
        "rocm_version": _rocm_version(root),
    }
    return "\n".join(f"{name:>16}: {value}" for name, value in lines.items())


def _rocm_version(root: Optional[Path]) -> str:
    try:
        written = (root or Path()).joinpath(".info", "version").read_text().strip()
    except OSError:
        return "unknown"
    return written.partition("-")[0]


def _list_available(root: Optional[Path]) -> Ending:
    from rocm_perf_lab.vrocm import rocprofv3_avail

    prefix = ("--rocm-root", str(root)) if root else ()
    return Ending(rocprofv3_avail.main([*prefix, "info", "--pmc"]))


def leave(ending: Ending) -> None:
    """End this process as the application ended: real rocprofv3 is the same process."""
    if ending.signal_number:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the application left its own
        if ending.signal_number != signal.SIGKILL:
            signal.signal(ending.signal_number, signal.SIG_DFL)
        os.kill(os.getpid(), ending.signal_number)
    sys.exit(ending.status)


if __name__ == "__main__":
    leave(run(sys.argv[1:]))
