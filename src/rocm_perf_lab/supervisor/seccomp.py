"""A seccomp filter: no sockets, no look into other processes, no new mounts.

Namespaces and Landlock say the same in their own words; this holds where one of them is missing.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct

from rocm_perf_lab.supervisor.kernel_calls import PR_SET_SECCOMP, prctl

_MODE_FILTER = 2
_LOAD, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE = 0, 4  # offsets in struct seccomp_data
_ALLOW, _FAIL, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_AUDIT_ARCH_X86_64 = 0xC000003E
_X32_BIT = 0x40000000
# Of x86-64. Local sockets lead to services of the machine, and io_uring past this filter; a pair of
# sockets (socketpair) leads nowhere and stays.
_DENIED = {
    "ptrace": 101, "pivot_root": 155, "chroot": 161, "mount": 165, "umount2": 166, "swapon": 167,
    "socket": 41, "reboot": 169,
    "init_module": 175, "add_key": 248, "request_key": 249, "keyctl": 250,
    "unshare": 272, "perf_event_open": 298, "setns": 308, "process_vm_readv": 310,
    "process_vm_writev": 311, "finit_module": 313, "kexec_file_load": 320, "bpf": 321,
    "userfaultfd": 323, "io_uring_setup": 425, "open_tree": 428, "move_mount": 429, "fsopen": 430,
    "pidfd_getfd": 438,
}  # fmt: skip


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def is_supported() -> bool:
    return platform.machine() == "x86_64"


def install() -> None:
    """For this process and all that it starts; needs no_new_privs. Raises ``OSError``."""
    code = _filter()
    buffer = ctypes.create_string_buffer(code, len(code))
    program = _Program(len(code) // 8, ctypes.addressof(buffer))
    prctl(PR_SET_SECCOMP, _MODE_FILTER, ctypes.c_void_p(ctypes.addressof(program)))


def _filter() -> bytes:
    steps = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, _AUDIT_ARCH_X86_64),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_JUMP_GREATER_EQUAL, 0, 1, _X32_BIT),
        (_RETURN, 0, 0, _KILL),
    ]
    for number in sorted(_DENIED.values()):
        steps += [(_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, _FAIL | errno.EPERM)]
    steps.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("<HBBI", *step) for step in steps)
