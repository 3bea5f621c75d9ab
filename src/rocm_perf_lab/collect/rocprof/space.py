"""The directory that recordings are written to: fresh for every run, absolute, never half full."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Optional

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.trace.files.beside import make_private
from rocm_perf_lab.trace.files.places import no_room_in
from rocm_perf_lab.trace.files.temporary import temporary_folder

_RUN_DIRECTORIES = ("run_*", "counters_*", "thread_trace_*")


@contextlib.contextmanager
def recording_space(keep_dir: Optional[Path] = None) -> Iterator[Path]:
    """A directory for recordings: ``keep_dir``, or a temporary one that is removed at the end."""
    if keep_dir is not None:
        yield _kept(keep_dir)
        return
    with contextlib.ExitStack() as opened:
        try:
            temporary = opened.enter_context(temporary_folder("runs"))
        except OSError as error:
            raise UsageError(
                f"no temporary directory for the recordings: {error.strerror}",
                "set TMPDIR to a directory that you can write to",
            ) from error
        full = no_room_in(temporary)
        if full is not None:
            raise full
        yield temporary


@contextlib.contextmanager
def fresh_directory(space: Path, name: str) -> Iterator[Path]:
    """A new directory to record into. It is gone afterwards unless ``publish`` took it."""
    try:
        directory = Path(tempfile.mkdtemp(prefix=f".{name}.", dir=space))
    except OSError as error:
        raise UsageError(
            f"cannot write recordings to {space}: {error.strerror}", "choose another directory"
        ) from error
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def publish(directory: Path, space: Path, name: str) -> Path:
    """Give a complete recording its final name; readers never see an incomplete one."""
    target = space / name
    make_private(directory)  # a recording has the command line, some also the environment
    os.rename(directory, target)
    return target


def _kept(keep_dir: Path) -> Path:
    directory = Path(os.path.abspath(keep_dir.expanduser()))
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"cannot create {directory}: {error.strerror}", "choose another --keep-trace directory"
        ) from error
    stale = [found for pattern in _RUN_DIRECTORIES for found in directory.glob(pattern)]
    if stale:
        raise UsageError(
            f"{directory} already holds recordings ({stale[0].name})",
            "choose an empty --keep-trace directory, or remove the old recordings first",
        )
    return directory
