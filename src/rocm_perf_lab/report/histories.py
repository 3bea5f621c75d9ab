"""A history as lines that can be drawn: every machine and command by itself."""

from __future__ import annotations

from pathlib import Path

from rocm_perf_lab.history.store import opened
from rocm_perf_lab.history.trend import lines_of
from rocm_perf_lab.report.contents import History

THRESHOLD = 0.02  # smaller changes do not matter, as for ``rocm-perf history trend``


def read_history(path: Path) -> History:
    with opened(path) as store:
        entries = store.entries()
    return History(path.name, len(entries), tuple(lines_of(entries, THRESHOLD)))
