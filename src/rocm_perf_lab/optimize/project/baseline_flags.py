"""With which flags the user's program was built, from what they make of its kernels."""

from __future__ import annotations

from pathlib import Path
from typing import Callable, Optional

from rocm_perf_lab.codeobject import read_code_objects
from rocm_perf_lab.errors import PerfLabError

Flags = tuple[str, ...]
# What people build with, the most frequent first. hipcc without a level is not clang's -O0.
USUAL: tuple[Flags, ...] = (("-O3",), ("-O2",), ("-O1",), (), ("-O3", "-ffast-math"), ("-O0",))


def flags_of(program: Path, built: Callable[[Flags], Optional[Path]]) -> Optional[Flags]:
    """The usual flags with which ``built`` gives the program's own machine code; else None."""
    wanted = kernel_code(program)
    if not wanted:
        return None
    for flags in USUAL:
        made = built(flags)
        if made is not None and kernel_code(made) == wanted:
            return flags
    return None


def kernel_code(program: Path) -> dict[tuple[str, str], bytes]:
    """The instructions of every kernel, by target and name."""
    try:
        found = read_code_objects(program)
    except PerfLabError:
        return {}
    return {
        (code.target, kernel.name): code.data[
            kernel.code_offset : kernel.code_offset + kernel.code_size
        ]
        for code in found
        for kernel in code.kernels
        if kernel.code_offset is not None and kernel.code_size is not None
    }
