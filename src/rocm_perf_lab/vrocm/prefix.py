"""The prefix of the virtual ROCm in the user's cache: find it, or build it once.

One prefix per state of the sources, the compiler and the interpreter, whose path is in its scripts.
A binary wheel carries the libraries: its prefix needs no compiler, and has none until one is there.
"""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional

from rocm_perf_lab.errors import ToolMissing, UsageError
from rocm_perf_lab.vrocm.build import MARKER, build_prefix
from rocm_perf_lab.vrocm.cache import build_once, cache_folder, note_use, remove_unused
from rocm_perf_lab.vrocm.libraries import ensure_libraries
from rocm_perf_lab.vrocm.sources import carried, source_digest, source_root
from rocm_perf_lab.vrocm.toolchain import Toolchain, find_toolchain
from rocm_perf_lab.vrocm.whole import check_whole

Progress = Callable[[str], None]


@dataclass(frozen=True)
class _Parts:
    """What a prefix is made from here."""

    sources: Path
    toolchain: Optional[Toolchain]

    def place(self) -> Path:
        compiler = self.toolchain.identity() if self.toolchain else "no compiler"
        parts = (source_digest(self.sources), compiler, sys.executable)
        digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()
        return cache_folder() / f"vrocm-{digest[:16]}"


def existing_prefix() -> Optional[Path]:
    """The prefix for the present sources and compiler if it is built. Builds nothing."""
    try:
        path = _find_parts().place()
    except ToolMissing:
        return None
    return _used(path) if is_prefix(path) else None


def ensure_prefix(progress: Progress, at: Optional[Path] = None, rebuild: bool = False) -> Path:
    """The prefix, built now if it is not there yet: in the cache, or in the folder ``at``."""
    parts = _find_parts()
    path = at.absolute() if at else parts.place()
    if at and path.exists() and not is_prefix(path) and any(path.iterdir()):
        raise UsageError(
            f"{path} is in use and is not a virtual ROCm", "name a new or an empty folder"
        )
    if is_prefix(path) and not rebuild:
        check_whole(path)
        return _used(path)

    def build(folder: Path) -> None:
        libraries = ensure_libraries(parts.sources, parts.toolchain, progress, again=rebuild)
        build_prefix(parts.sources, parts.toolchain, libraries, folder, progress)

    build_once(path, build, is_prefix, again=rebuild)
    if not at:
        remove_unused("vrocm", MARKER)
    return path


def is_prefix(path: Path) -> bool:
    return (path / MARKER).is_file()


def _find_parts() -> _Parts:
    sources = source_root()
    has_libraries = carried("lib") is not None
    try:
        return _Parts(sources, find_toolchain(compiles_libraries=not has_libraries))
    except ToolMissing:
        if not has_libraries:
            raise
        return _Parts(sources, None)


def _used(path: Path) -> Path:
    note_use(path / MARKER)
    return path
