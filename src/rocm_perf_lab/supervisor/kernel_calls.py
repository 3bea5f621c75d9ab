"""System calls that Python has no functions for. Linux only; the standard library only."""

from __future__ import annotations

import ctypes
import os
from typing import Optional, Union

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
MS_NOSUID, MS_NODEV, MS_NOEXEC = 2, 4, 8
MS_REC, MS_PRIVATE = 16384, 1 << 18
PR_SET_CHILD_SUBREAPER = 36
PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_SECUREBITS, PR_SET_NO_NEW_PRIVS = 1, 22, 28, 38

_libc = ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def unshare(flags: int) -> None:
    _checked(_libc.unshare(flags), "unshare")


def mount(source: str, target: str, kind: Optional[str], flags: int) -> None:
    kind_bytes = None if kind is None else kind.encode()
    result = _libc.mount(source.encode(), target.encode(), kind_bytes, ctypes.c_ulong(flags), None)
    _checked(result, f"mount {target}")


def prctl(option: int, *values: Union[int, ctypes.c_void_p]) -> None:
    numbers = [v if isinstance(v, ctypes.c_void_p) else ctypes.c_ulong(int(v)) for v in values]
    numbers += [ctypes.c_ulong(0)] * (4 - len(numbers))
    _checked(_libc.prctl(option, *numbers), f"prctl {option}")


def syscall(number: int, *values: object) -> int:
    return _checked(_libc.syscall(ctypes.c_long(number), *values), f"system call {number}")
