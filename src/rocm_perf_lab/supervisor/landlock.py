"""Landlock: which files a process and its children may still reach; everything else is denied."""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Iterable
from typing import NamedTuple

from rocm_perf_lab.supervisor.kernel_calls import syscall

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446  # the same on every architecture
_VERSION_FLAG = 1
_PATH_BENEATH = 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_FIRST_VERSION = (1 << 13) - 1
_OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV

READ = READ_FILE | READ_DIR | EXECUTE
USE_DEVICE = READ_FILE | WRITE_FILE | READ_DIR | IOCTL_DEV
_NO_DEVICES = (1 << 6) | (1 << 11)  # character and block devices cannot be made


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("files", ctypes.c_uint64),
        ("network", ctypes.c_uint64),
        ("scope", ctypes.c_uint64),
    )


class _Rule(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


class Access(NamedTuple):
    """Paths that are not there are left out."""

    read: tuple[str, ...]
    write: tuple[str, ...]
    devices: tuple[str, ...]


def version() -> int:
    """0 where the kernel has no Landlock."""
    try:
        return syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION_FLAG))
    except OSError:
        return 0


def restrict(access: Access) -> None:
    """Also keeps the process from tracing (1), signalling (6) or connecting to others (4, 6)."""
    supported = version()
    handled = _handled_files(supported)
    attributes = _Ruleset(
        files=handled,
        network=0b11 if supported >= 4 else 0,
        scope=0b11 if supported >= 6 else 0,
    )
    size = 24 if supported >= 6 else 16 if supported >= 4 else 8
    ruleset = syscall(_CREATE, ctypes.byref(attributes), ctypes.c_size_t(size), ctypes.c_uint32(0))
    try:
        _allow(ruleset, access.read, READ & handled)
        _allow(ruleset, access.write, handled & ~_NO_DEVICES)
        _allow(ruleset, access.devices, USE_DEVICE & handled)
        syscall(_RESTRICT, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    finally:
        os.close(ruleset)


def _handled_files(supported: int) -> int:
    later = ((2, REFER), (3, TRUNCATE), (5, IOCTL_DEV))
    return _FIRST_VERSION | sum(bit for since, bit in later if supported >= since)


def _allow(ruleset: int, paths: Iterable[str], allowed: int) -> None:
    for path in paths:
        try:
            folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            is_folder = stat.S_ISDIR(os.fstat(folder).st_mode)
            rule = _Rule(allowed if is_folder else allowed & _OF_FILES, folder)
            syscall(
                _ADD_RULE,
                ctypes.c_int(ruleset),
                ctypes.c_int(_PATH_BENEATH),
                ctypes.byref(rule),
                ctypes.c_uint32(0),
            )
        finally:
            os.close(folder)
