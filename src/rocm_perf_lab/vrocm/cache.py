"""The user's cache: what is built once there, beside its place and renamed, under a lock."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Callable

# Of what was built for earlier states of the sources, these many stay however old they are, and
# each stays for a day after its last use: programs that were built with a prefix run from it.
KEPT = 2
KEPT_SECONDS = 24 * 3600.0


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "rocm-perf-lab"


def build_once(
    place: Path,
    build: Callable[[Path], None],
    is_built: Callable[[Path], bool] = Path.is_dir,
    again: bool = False,
) -> None:
    """Let ``build`` fill an empty folder that becomes ``place``, unless another process did."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with lock(place.parent / f".{place.name}.lock"):
        if not is_built(place) or again:
            _build_beside(place, build)


def _build_beside(place: Path, build: Callable[[Path], None]) -> None:
    for left_over in place.parent.glob(f".{place.name}.*"):
        if left_over.is_dir():  # of a builder that was killed; the lock is a file
            shutil.rmtree(left_over)
    beside = Path(tempfile.mkdtemp(prefix=f".{place.name}.", dir=place.parent))
    try:
        build(beside)
        beside.chmod(0o755)
        if place.exists():
            shutil.rmtree(place)
        beside.rename(place)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def note_use(file: Path) -> None:
    with contextlib.suppress(OSError):  # somebody else's, read-only: it is not ours to remove
        os.utime(file)


def remove_unused(kind: str, marker: Path) -> None:
    """Folders ``kind``-* of the cache that nobody used for long, by the time of a file in them, and
    what builders that were killed left."""
    cache = cache_folder()
    with contextlib.suppress(FileNotFoundError):  # another process does the same
        last_use = {
            path: (path / marker).stat().st_mtime
            for path in cache.glob(f"{kind}-*")
            if (path / marker).exists()
        }
        by_use = sorted(last_use, key=last_use.__getitem__, reverse=True)
        old = [path for path in by_use[KEPT:] if _is_old(last_use[path])]
        beside = [path for path in cache.glob(f".{kind}-*.*") if path.is_dir()]
        old += [path for path in beside if _is_old(path.stat().st_mtime)]
        for path in old:
            shutil.rmtree(path, ignore_errors=True)


def _is_old(time_of_use: float) -> bool:
    return time.time() - time_of_use > KEPT_SECONDS


@contextlib.contextmanager
def lock(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
