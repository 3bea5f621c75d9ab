"""The only place that writes a file of the user: accepted, agreed to, and whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from rocm_perf_lab.errors import PerfLabError
from rocm_perf_lab.optimize.workshop.workshop import Workshop
from rocm_perf_lab.trace.files.beside import open_beside

_BESIDE = ".rocm-perf-writing"


class NotWritten(PerfLabError):
    """The accepted code is kept with the evidence, but not in the user's file."""


def deliver(workshop: Workshop) -> tuple[Path, ...]:
    """Writes the best version over the user's files, which are still what was read at first."""
    refusal = workshop.tree.check_trust()
    if refusal is not None:
        raise NotWritten(refusal.message, f"the accepted code is in {workshop.accepted_folder}")
    paths = tuple(Path(path) for path in sorted(workshop.best))
    for path in paths:
        try:
            replace_whole(Path(os.path.realpath(path)), workshop.best[str(path)])
        except OSError as error:
            raise NotWritten(
                f"{path} cannot be written: {error.strerror}",
                f"the accepted code is in {workshop.accepted_folder}",
            ) from error
    workshop.evidence.log.append("written", files=[str(path) for path in paths])
    return paths


def replace_whole(path: Path, data: bytes) -> None:
    """Whole or as it was, also after kill -9; it keeps its mode."""
    handle, beside = open_beside(path, _BESIDE)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(beside, stat.S_IMODE(path.stat().st_mode))
        os.replace(beside, path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
