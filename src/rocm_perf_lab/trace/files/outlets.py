"""Is somebody still able to take what is written to a stream? Asked after a program has failed."""

from __future__ import annotations

import errno
import os
import resource
import select
import stat
from typing import Optional

from rocm_perf_lab.errors import PerfLabError, nobody_reads, of_system

_NAMES = {1: "standard output", 2: "standard error"}
_DEV_FULL = os.makedev(1, 7)


def broken_outlet(number: int) -> Optional[PerfLabError]:
    """The error for a stream that takes nothing more. Nothing is written to find out."""
    name = _NAMES.get(number, f"file {number}")
    try:
        found = os.fstat(number)
    except OSError as error:
        return of_system(error, name)
    if stat.S_ISFIFO(found.st_mode) or stat.S_ISSOCK(found.st_mode):
        return nobody_reads(name) if _abandoned(number) else None
    if stat.S_ISCHR(found.st_mode) and found.st_rdev == _DEV_FULL:
        return of_system(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), name)
    if stat.S_ISREG(found.st_mode):
        return _full(number, found.st_size, name)
    return None


def _abandoned(number: int) -> bool:
    poll = select.poll()
    poll.register(number, 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


def _full(number: int, size: int, name: str) -> Optional[PerfLabError]:
    most, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    if most != resource.RLIM_INFINITY and size >= most:
        return of_system(OSError(errno.EFBIG, os.strerror(errno.EFBIG)), name)
    if os.fstatvfs(number).f_bavail == 0:
        return of_system(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), name)
    return None
