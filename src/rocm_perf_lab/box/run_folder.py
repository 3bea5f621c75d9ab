"""The folder in which a boxed program runs: empty but for links to what lies at the user's.

What is linked can be read and not written. Whatever an earlier run left behind is gone, so that no
version learns from another.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Sequence
from pathlib import Path

_BOX_OWN = "tmp"


def prepare_run_folder(
    folder: Path, inputs: Path, *, kept: Collection[str] = (), written: Sequence[Path] = ()
) -> Path:
    """``kept`` names in ``folder`` are left alone. ``written`` are files, relative to it, that the
    program will write: they are not there, and the folders on the way to them are its own."""
    folder.mkdir(parents=True, exist_ok=True)
    for entry in os.scandir(folder):
        if entry.name in kept:
            continue
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, ignore_errors=True)
        else:
            os.unlink(entry.path)
    _link(inputs, folder, {_BOX_OWN, *kept}, [path.parts for path in written])
    return folder


def _link(
    source: Path, target: Path, left_out: Collection[str], written: Sequence[tuple[str, ...]]
) -> None:
    for entry in os.scandir(source):
        below = [parts[1:] for parts in written if parts[0] == entry.name]
        if entry.name in left_out or () in below:
            continue
        own = target / entry.name
        if below and entry.is_dir():
            own.mkdir()
            _link(Path(entry.path), own, (), below)
        else:
            own.symlink_to(entry.path)
