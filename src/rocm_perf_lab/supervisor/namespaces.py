"""Own namespaces of users, processes, mounts, network and messages."""

from __future__ import annotations

import os
from pathlib import Path

from rocm_perf_lab.supervisor import kernel_calls as calls

_ALL = (
    calls.CLONE_NEWUSER
    | calls.CLONE_NEWNS
    | calls.CLONE_NEWPID
    | calls.CLONE_NEWNET
    | calls.CLONE_NEWIPC
    | calls.CLONE_NEWUTS
)


def enter_namespaces() -> None:
    """The next child is the first process of its namespace. Users keep their numbers."""
    user, group = os.getuid(), os.getgid()
    calls.unshare(_ALL)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1\n")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1\n")


def mount_own_views() -> None:
    """A /proc that shows the box alone, and a /dev/shm of its own; for the first process."""
    calls.mount("none", "/", None, calls.MS_REC | calls.MS_PRIVATE)
    flags = calls.MS_NOSUID | calls.MS_NODEV | calls.MS_NOEXEC
    calls.mount("proc", "/proc", "proc", flags)
    if os.path.isdir("/dev/shm"):
        calls.mount("tmpfs", "/dev/shm", "tmpfs", flags)


def limit_process_numbers(count: int) -> None:
    """Newer kernels have a highest process number per namespace; 301 is the least they take."""
    Path("/proc/sys/kernel/pid_max").write_text(str(max(count + 2, 301)))
