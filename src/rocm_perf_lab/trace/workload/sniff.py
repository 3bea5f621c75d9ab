"""Which folders are workload folders of rocprof-compute."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

from rocm_perf_lab.trace.files.packed import PACKED_ENDINGS

COUNTER_FILES = tuple(f"pmc_perf.csv{end}" for end in ("", *PACKED_ENDINGS))


def counter_file(folder: Path) -> Optional[Path]:
    """The counters of a workload folder, None when the folder is not one."""
    return next((folder / name for name in COUNTER_FILES if (folder / name).is_file()), None)
