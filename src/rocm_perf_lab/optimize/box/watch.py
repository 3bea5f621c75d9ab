"""How much all processes of a box use together, read from /proc."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Usage:
    threads: int
    memory_bytes: int


def usage_below(root: int) -> Usage:
    """Of the descendants of a process; what ends while we look is left out."""
    parents: dict[int, int] = {}
    sizes: dict[int, tuple[int, int]] = {}
    for pid in _processes():
        try:
            text = Path(f"/proc/{pid}/stat").read_bytes()
        except OSError:
            continue
        fields = text[text.rindex(b")") + 2 :].split()  # the name may hold anything
        parents[pid] = int(fields[1])
        sizes[pid] = (int(fields[17]), int(fields[21]) * _PAGE)
    below = {pid for pid in parents if pid != root and _descends(pid, root, parents)}
    return Usage(sum(sizes[p][0] for p in below), sum(sizes[p][1] for p in below))


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
