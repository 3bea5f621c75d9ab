"""What the host wrote while a dispatch was captured is not an output of that dispatch.

Arguments of other dispatches are written by other threads without any call that could be held up.
The capture library names them when their packets come; here they are taken out of ``after/``.
"""

from __future__ import annotations

import json
from pathlib import Path

from rocm_perf_lab.replay.capture_schema import (
    PAGE_BYTES,
    ChangedRegion,
    ChangesFile,
    RegionEntry,
    RegionsFile,
)
from rocm_perf_lab.strict_json import read_strict


def leave_out_arguments(capture: Path, noted: Path) -> None:
    """``noted``: address and size per line; it need not exist."""
    if not noted.is_file():
        return
    ranges = [tuple(int(word) for word in line.split()) for line in noted.read_text().splitlines()]
    listed = read_strict(RegionsFile, (capture / "memory_regions.json").read_bytes())
    changes = read_strict(ChangesFile, (capture / "after/regions.json").read_bytes())
    regions = {region.base: region for region in listed.regions}
    for changed in changes.regions:
        for address, size in ranges:
            _restore(capture, regions[changed.base], changed, address, address + size)
    document = json.loads((capture / "dispatch.json").read_text())
    document["host_written"] = sorted(ranges)
    (capture / "dispatch.json").write_text(json.dumps(document, indent=2) + "\n")


def _restore(
    capture: Path, region: RegionEntry, changed: ChangedRegion, begin: int, end: int
) -> None:
    """Put the bytes of [begin, end) back to what they were before, where pages changed."""
    stored = 0
    for first, count in changed.runs:
        run_begin = region.base + first * PAGE_BYTES
        run_end = min(run_begin + count * PAGE_BYTES, region.end)
        low, high = max(begin, run_begin), min(end, run_end)
        if low < high:
            with (capture / region.file).open("rb") as before:
                before.seek(low - region.base)
                content = before.read(high - low)
            with (capture / changed.file).open("r+b") as after:
                after.seek(stored + low - run_begin)
                after.write(content)
        stored += run_end - run_begin
