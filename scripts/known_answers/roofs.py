"""The measured roofs of a workload folder, of its first device and without their spread."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Optional

from rocm_perf_lab.trace.measured_roofs import ROOF_FILE

_WANTED = ("device", "Bw", "Flops", "Ops")


def first_device(folder: Path) -> Optional[dict[str, str]]:
    file = folder / ROOF_FILE
    if not file.exists():
        return None
    with file.open(newline="", encoding="utf-8") as stream:
        row = next(csv.DictReader(stream))
    return {name: value for name, value in row.items() if name.endswith(_WANTED)}
