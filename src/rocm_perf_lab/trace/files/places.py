"""Where something will be written: looked at before the work begins that is to be kept there."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Optional

from rocm_perf_lab.errors import PerfLabError, UsageError, is_no_room, of_system

_PROBE_BYTES = 64 * 1024  # less than any recording needs


def check_folder(path: Path, names: Sequence[str] = (), option: str = "") -> None:
    """Raises unless files called ``names`` can be written into the folder, which may be new."""
    path = path.expanduser()
    if path.exists() and not path.is_dir():
        raise refusal(path, "it is a file, and a folder is written", option)
    for name in names:
        if (path / name).is_dir():
            raise refusal(path / name, "it is a folder, and a file is written", option)
    _probe_above(path, path, option)


def check_file(path: Path, option: str = "") -> None:
    """Raises unless a file can be written, or replaced, under this name."""
    path = path.expanduser()
    if path.is_dir():
        raise refusal(path, "it is a folder, and a file is written", option)
    _probe_above(path, path.parent, option)


def no_room_in(folder: Path) -> Optional[PerfLabError]:
    """The error when not even a small file fits there; None when one does, or cannot be tried."""
    try:
        _probe(folder)
    except OSError as error:
        return of_system(error, str(folder)) if is_no_room(error) else None
    return None


def refusal(path: Path, reason: str, option: str) -> UsageError:
    other = f"choose another path with {option}" if option else "choose another path"
    return UsageError(f"cannot write to {path}: {reason}", other)


def _probe_above(path: Path, folder: Path, option: str) -> None:
    """Nothing is made yet: if the work fails, no empty folder stays behind."""
    try:
        present = folder.absolute()
        while not os.path.lexists(present):
            present = present.parent
        _probe(present)
    except OSError as error:
        if is_no_room(error):
            raise of_system(error, str(path)) or error from error
        raise refusal(path, error.strerror or str(error), option) from error


def _probe(folder: Path) -> None:
    """Writes as a result will be written: rights and free blocks alone do not say it all."""
    handle, name = tempfile.mkstemp(prefix=".rocm-perf-probe-", dir=folder)
    try:
        left = _PROBE_BYTES
        while left:
            left -= os.write(handle, bytes(left))
    finally:
        os.close(handle)
        with contextlib.suppress(OSError):
            os.unlink(name)
