"""Started as a program; reads a specification and writes a report.

It makes the namespaces and has one child, the first process of the box, which has one child, the
candidate. When the supervisor dies, the first process dies with it, and with that all of the box.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import sys
import time
from pathlib import Path
from typing import Any, NoReturn, Optional

from rocm_perf_lab.supervisor import kernel_calls as calls
from rocm_perf_lab.supervisor import landlock, namespaces, seccomp
from rocm_perf_lab.supervisor.watch import (
    disk_usage,
    end_all_below,
    threads_of_user,
    usage_below,
)

_POLL_SECONDS = 0.02
_DISK_EVERY = 10  # polls
_CANNOT_START = 127
_OWN_VIEWS = b"1"
_SECURE_NOROOT = 0b11  # root in the box gets no privileges by starting a program, locked


class Report:
    """What was enforced and what was not, and how it ended; several processes write lines."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def say(self, key: str, value: object) -> None:
        os.write(self._file, (json.dumps([key, value]) + "\n").encode())

    @contextlib.contextmanager
    def tries(self, what: str) -> Any:
        """Notes whether the block could do what it is for; a failure does not end the run."""
        try:
            yield
        except OSError as error:
            self.say("missing", f"{what} ({error})")
        else:
            self.say("enforced", what)


def main(spec_path: str) -> int:
    spec = json.loads(Path(spec_path).read_text())
    report = Report(spec["report"])
    isolated = False
    with report.tries("own processes, network, mounts and messages"):
        namespaces.enter_namespaces()
        isolated = True
    started = time.monotonic()
    ready, tell = os.pipe()
    first = os.fork()
    if first == 0:
        os.close(ready)
        _first_process(spec, report, isolated, tell)
    os.close(tell)
    sees_box = os.read(ready, 1) == _OWN_VIEWS  # we share its mounts, and so its /proc
    _watch(spec, report, first, 1 if sees_box else first, started)
    return 0


def _first_process(spec: dict[str, Any], report: Report, isolated: bool, tell: int) -> NoReturn:
    """Reaps whatever loses its parent; ends with the candidate."""
    calls.prctl(calls.PR_SET_PDEATHSIG, signal.SIGKILL)
    calls.prctl(calls.PR_SET_CHILD_SUBREAPER, 1)  # the first of a namespace is one anyway
    own_views = False
    if isolated:
        with report.tries("a /proc of its own"):
            namespaces.mount_own_views()
            own_views = True
        with contextlib.suppress(OSError):  # the watch counts as well
            namespaces.limit_process_numbers(spec["processes"])
    os.write(tell, _OWN_VIEWS if own_views else b"0")
    os.close(tell)
    candidate = os.fork()
    if candidate == 0:
        _become_candidate(spec, report, isolated, own_views)
    while True:
        pid, status = os.wait()
        if pid == candidate:
            report.say("status", status)
            if not isolated:  # a namespace ends with its first process
                end_all_below(os.getpid())
            os._exit(0)


def _become_candidate(
    spec: dict[str, Any], report: Report, isolated: bool, own_views: bool
) -> NoReturn:
    try:
        _redirect(spec)
        os.chdir(spec["folder"])
        os.umask(0o077)
        _set_limits(spec, isolated)
        calls.prctl(calls.PR_SET_NO_NEW_PRIVS, 1)
        with contextlib.suppress(OSError):  # only those in a namespace of their own may
            calls.prctl(calls.PR_SET_SECUREBITS, _SECURE_NOROOT)
        with report.tries("files outside of its folder (Landlock)"):
            if landlock.version() == 0:
                raise OSError("the kernel has no Landlock")
            landlock.restrict(_access(spec, own_views))
        with report.tries("system calls (seccomp)"):
            if not seccomp.is_supported():
                raise OSError("the filter is for x86-64 and 64-bit Arm")
            seccomp.install()
        os.execve(spec["argv"][0], spec["argv"], spec["environment"])
    except BaseException as error:
        report.say("error", f"{type(error).__name__}: {error}")
    os._exit(_CANNOT_START)


def _access(spec: dict[str, Any], own_views: bool) -> landlock.Access:
    """The /proc and /dev/shm of everybody are not for the candidate."""
    proc = ("/proc",) if own_views else ("/proc/self", "/proc/cpuinfo", "/proc/meminfo")
    shared = ("/dev/shm",) if own_views else ()
    return landlock.Access(
        (*spec["readable"], *proc), (spec["folder"], *shared), tuple(spec["devices"])
    )


def _redirect(spec: dict[str, Any]) -> None:
    for number, name in ((0, os.devnull), (1, spec["stdout"]), (2, spec["stderr"])):
        flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND
        file = os.open(name, flags, 0o600)
        os.dup2(file, number)
        if file != number:
            os.close(file)


def _set_limits(spec: dict[str, Any], isolated: bool) -> None:
    values = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: spec["file_bytes"],
        resource.RLIMIT_NOFILE: spec["open_files"],
        resource.RLIMIT_CPU: int(spec["seconds"] * (os.cpu_count() or 1)) + 1,
    }
    # In a namespace of its own it counts the box, elsewhere all processes of the user. The root of
    # the machine is exempt; the watch counts as well.
    others = 0 if isolated else threads_of_user(os.getuid())
    values[resource.RLIMIT_NPROC] = others + spec["processes"]
    for which, value in values.items():
        _, hard = resource.getrlimit(which)
        limit = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(which, (limit, limit))


def _watch(spec: dict[str, Any], report: Report, first: int, root: int, started: float) -> None:
    polls = 0
    while True:
        done, _ = os.waitpid(first, os.WNOHANG)
        if done:
            return
        exceeded = _exceeded(spec, root, started, look_at_disk=polls % _DISK_EVERY == 0)
        if exceeded is not None:
            report.say("ended_by", exceeded)
            if root == first:  # no namespace that would end with it
                end_all_below(first)
            os.kill(first, signal.SIGKILL)
            os.waitpid(first, 0)
            return
        polls += 1
        time.sleep(_POLL_SECONDS)


def _exceeded(
    spec: dict[str, Any], root: int, started: float, *, look_at_disk: bool
) -> Optional[str]:
    if time.monotonic() - started > spec["seconds"]:
        return "time"
    usage = usage_below(root)
    if usage.threads > spec["processes"]:
        return "processes"
    if usage.memory_bytes > spec["memory_bytes"]:
        return "memory"
    if look_at_disk and disk_usage(spec["folder"]) > spec["disk_bytes"]:
        return "disk"
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
