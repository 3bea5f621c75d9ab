"""The prefix of the virtual ROCm in the user's cache: find it, or build it once.

One prefix per state of the sources and the compiler. It is built beside its final place and
renamed, under a lock, so that two processes that both need it build it once.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Callable, Optional

from rocm_perf_lab.errors import ToolMissing, UsageError
from rocm_perf_lab.vrocm.build import MARKER, build_prefix
from rocm_perf_lab.vrocm.sources import is_checkout, source_digest, source_root
from rocm_perf_lab.vrocm.toolchain import Toolchain, find_toolchain

Progress = Callable[[str], None]

# Of the prefixes in the cache, these many stay however old they are, and each stays for a day after
# its last use: programs that were built with it run from it.
KEPT_PREFIXES = 2
KEPT_SECONDS = 24 * 3600.0


def existing_prefix() -> Optional[Path]:
    """The prefix for the present sources and compiler if it is built. Builds nothing."""
    try:
        path = _cached_path(find_toolchain(), source_root())
    except ToolMissing:
        return None
    return _used(path) if is_prefix(path) else None


def ensure_prefix(progress: Progress, at: Optional[Path] = None, rebuild: bool = False) -> Path:
    """The prefix, built now if it is not there yet: in the cache, or in the folder ``at``."""
    toolchain = find_toolchain()
    sources = source_root()
    path = at.absolute() if at else _cached_path(toolchain, sources)
    if at and path.exists() and not is_prefix(path) and any(path.iterdir()):
        raise UsageError(
            f"{path} is in use and is not a virtual ROCm", "name a new or an empty folder"
        )
    if is_prefix(path) and not rebuild:
        return _used(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with _lock(path.parent / f".{path.name}.lock"):
        if not is_prefix(path) or rebuild:
            _build_beside(toolchain, sources, path, progress)
    if not at:
        _remove_unused(path.parent)
    return path


def is_prefix(path: Path) -> bool:
    return (path / MARKER).is_file()


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "rocm-perf-lab"


def _cached_path(toolchain: Toolchain, sources: Path) -> Path:
    return cache_folder() / f"vrocm-{_digest(source_digest(sources), toolchain, sys.executable)}"


def _object_folder(toolchain: Toolchain, sources: Path) -> Path:
    """Where object files stay between builds, so that a change compiles what it touches.

    In a checkout that is the folder that ``cmake -S . -B build`` uses too: nothing compiles twice.
    """
    if is_checkout(sources):
        return sources / "build"
    return cache_folder() / f"objects-{_digest(str(sources), toolchain)}"


def _digest(what: str, toolchain: Toolchain, *more: str) -> str:
    digest = hashlib.sha256()
    for part in (what, toolchain.identity(), *more):
        digest.update(part.encode())
    return digest.hexdigest()[:16]


def _build_beside(toolchain: Toolchain, sources: Path, path: Path, progress: Progress) -> None:
    for left_over in path.parent.glob(f".{path.name}.*"):
        if left_over.is_dir():  # of a builder that was killed; the lock is a file
            shutil.rmtree(left_over)
    beside = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    objects = _object_folder(toolchain, sources)
    objects.mkdir(parents=True, exist_ok=True)
    try:
        with _lock(objects / ".lock"):
            build_prefix(sources, toolchain, beside, objects, progress)
            if not is_checkout(sources):
                shutil.rmtree(objects)
        beside.chmod(0o755)
        if path.exists():
            shutil.rmtree(path)
        beside.rename(path)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _used(path: Path) -> Path:
    with contextlib.suppress(OSError):  # somebody else's, read-only: it is not ours to remove
        os.utime(path / MARKER)
    return path


def _remove_unused(cache: Path) -> None:
    """What earlier states of the sources, and builders that were killed, left in the cache."""
    with contextlib.suppress(FileNotFoundError):  # another process does the same
        last_use = {
            path: (path / MARKER).stat().st_mtime
            for path in cache.glob("vrocm-*")
            if is_prefix(path)
        }
        by_use = sorted(last_use, key=last_use.__getitem__, reverse=True)
        old = [path for path in by_use[KEPT_PREFIXES:] if _is_old(last_use[path])]
        beside = [path for path in cache.glob(".vrocm-*.*") if path.is_dir()]
        old += [path for path in beside if _is_old(path.stat().st_mtime)]
        for path in old:
            shutil.rmtree(path, ignore_errors=True)


def _is_old(time_of_use: float) -> bool:
    return time.time() - time_of_use > KEPT_SECONDS


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
