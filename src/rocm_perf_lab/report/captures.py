"""A captured dispatch, as far as a report tells of it; its memory stays where it is."""

from __future__ import annotations

from pathlib import Path

from rocm_perf_lab.replay.capture import opened_capture
from rocm_perf_lab.report.contents import Captured


def read_capture(folder: Path) -> Captured:
    """Checks the whole capture: what is damaged is refused, not shown."""
    with opened_capture(folder) as capture:
        return Captured(
            str(folder),
            capture.dispatch,
            capture.memory_bytes,
            capture.stored_bytes,
            tuple(capture.warnings),
        )
