"""How much a candidate may use."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """Of one run and all processes that it starts."""

    seconds: float = 60.0
    memory_bytes: int = 8192 * MIB  # resident; a ROCm process reserves far more than it uses
    processes: int = 256  # threads count
    file_bytes: int = 1024 * MIB  # of one file, and of each of stdout and stderr
    disk_bytes: int = 4096 * MIB  # of all files in its folder
    open_files: int = 1024
