"""How much all processes of a box use together, read from /proc."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_MOST_PASSES, _PASS_SECONDS = 1000, 0.002
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Usage(NamedTuple):
    threads: int
    memory_bytes: int
    processes: tuple[int, ...]


def usage_below(root: int) -> Usage:
    """Of the living descendants of a process; what ends while we look is left out."""
    parents: dict[int, int] = {}
    sizes: dict[int, tuple[int, int]] = {}
    dead = set()
    for pid in _processes():
        try:
            text = Path(f"/proc/{pid}/stat").read_bytes()
        except OSError:
            continue
        fields = text[text.rindex(b")") + 2 :].split()  # the name may hold anything
        parents[pid] = int(fields[1])
        if fields[0] in (b"Z", b"X"):
            dead.add(pid)
        sizes[pid] = (int(fields[17]), int(fields[21]) * _PAGE)
    living = parents.keys() - dead - {root}
    below = sorted(pid for pid in living if _descends(pid, root, parents))
    threads, memory = (sum(sizes[pid][part] for pid in below) for part in (0, 1))
    return Usage(threads, memory, tuple(below))


def threads_of_user(user: int) -> int:
    """All over the machine, as far as /proc shows it."""
    total = 0
    for pid in _processes():
        with contextlib.suppress(OSError):
            if os.stat(f"/proc/{pid}").st_uid == user:
                total += len(os.listdir(f"/proc/{pid}/task"))
    return total


def end_all_below(root: int) -> None:
    """Stop them first, so that none of them can start another while the others end."""
    for _ in range(_MOST_PASSES):
        found = usage_below(root).processes
        if not found:
            return
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in found:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
        time.sleep(_PASS_SECONDS)


def _processes() -> Iterator[int]:
    return (int(name) for name in os.listdir("/proc") if name.isdigit())


def _descends(pid: int, root: int, parents: dict[int, int]) -> bool:
    for _ in range(len(parents)):
        if pid == root:
            return True
        if pid not in parents:
            return False
        pid = parents[pid]
    return False


def disk_usage(folder: str) -> int:
    """Bytes on disk, without following links."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(place, name)).st_blocks * 512
            except OSError:
                continue
    return total
