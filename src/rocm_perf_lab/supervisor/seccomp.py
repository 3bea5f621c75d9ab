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
_AUDIT_ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32_BIT = 0x40000000  # a second set of numbers for the same calls; others have none so high
# Local sockets lead to services of the machine, and io_uring past this filter; a pair of sockets
# (socketpair) leads nowhere and stays.
_DENIED_X86_64 = {
    "ptrace": 101, "pivot_root": 155, "chroot": 161, "mount": 165, "umount2": 166, "swapon": 167,
    "socket": 41, "reboot": 169,
    "init_module": 175, "add_key": 248, "request_key": 249, "keyctl": 250,
    "unshare": 272, "perf_event_open": 298, "setns": 308, "process_vm_readv": 310,
    "process_vm_writev": 311, "finit_module": 313, "kexec_file_load": 320, "bpf": 321,
    "userfaultfd": 323,
}  # fmt: skip
_DENIED_AARCH64 = {
    "ptrace": 117, "pivot_root": 41, "chroot": 51, "mount": 40, "umount2": 39, "swapon": 224,
    "socket": 198, "reboot": 142,
    "init_module": 105, "add_key": 217, "request_key": 218, "keyctl": 219,
    "unshare": 97, "perf_event_open": 241, "setns": 268, "process_vm_readv": 270,
    "process_vm_writev": 271, "finit_module": 273, "kexec_file_load": 294, "bpf": 280,
    "userfaultfd": 282,
}  # fmt: skip
# Newer calls have one number everywhere.
_DENIED_ANYWHERE = {
    "io_uring_setup": 425, "open_tree": 428, "move_mount": 429, "fsopen": 430, "pidfd_getfd": 438,
}  # fmt: skip
_DENIED = {"x86_64": _DENIED_X86_64, "aarch64": _DENIED_AARCH64}


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def is_supported() -> bool:
    return platform.machine() in _DENIED


def denied_calls(machine: str) -> dict[str, int]:
    """Their numbers by name."""
    return {**_DENIED[machine], **_DENIED_ANYWHERE}


def install() -> None:
    """For this process and all that it starts; needs no_new_privs. Raises ``OSError``."""
    code = _filter(platform.machine())
    buffer = ctypes.create_string_buffer(code, len(code))
    program = _Program(len(code) // 8, ctypes.addressof(buffer))
    prctl(PR_SET_SECCOMP, _MODE_FILTER, ctypes.c_void_p(ctypes.addressof(program)))


def _filter(machine: str) -> bytes:
    steps = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, _AUDIT_ARCHITECTURE[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_JUMP_GREATER_EQUAL, 0, 1, _X32_BIT),
        (_RETURN, 0, 0, _KILL),
    ]
    for number in sorted(denied_calls(machine).values()):
        steps += [(_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, _FAIL | errno.EPERM)]
    steps.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("<HBBI", *step) for step in steps)
