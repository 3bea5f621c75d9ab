"""Is the memory after a replay what the application left? Byte for byte, unless asked otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Optional

import numpy as np

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.capture_schema import PAGE_BYTES, RegionEntry
from rocm_perf_lab.replay.replayer import Comparison, Difference, VariantRun

Verdict = Literal["equal", "within_tolerance", "different", "unverified"]

_TYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64}


@dataclass(frozen=True)
class Tolerance:
    """``f32:1e-5`` or ``f32:1e-5:1e-8``: type, relative and absolute bound."""

    type: str
    relative: float
    absolute: float

    def __str__(self) -> str:
        return f"{self.type}:{self.relative:g}:{self.absolute:g}"


@dataclass(frozen=True)
class DifferentRegion:
    base: int
    bytes: int  # that differ
    first_offset: int
    expected: int  # the first byte that differs
    found: int


@dataclass(frozen=True)
class Verification:
    verdict: Verdict
    reason: str
    regions: int  # compared
    bytes: int
    changed_bytes: int  # pages that the replay changed
    differences: tuple[DifferentRegion, ...]
    tolerance: Optional[str]  # as asked for; only within_tolerance rests on it


def parse_tolerance(text: str) -> Tolerance:
    parts = text.split(":")
    try:
        kind, relative, absolute = parts[0], float(parts[1]), float((*parts, "0")[2])
    except (IndexError, ValueError):
        kind, relative, absolute = "", -1.0, -1.0
    if kind not in _TYPES or len(parts) > 3 or not (relative >= 0 and absolute >= 0):
        raise UsageError(f"--tolerance {text} makes no sense", "write for example f32:1e-5:1e-8")
    return Tolerance(kind, relative, absolute)


def verify(
    capture: Capture,
    run: VariantRun,
    tolerance: Optional[Tolerance] = None,
    dump: Optional[Path] = None,
) -> Verification:
    """The verdict on the first and the last replay of a run. ``dump`` has the first's pages."""
    compared = [run.first] if run.last is None else [run.first, run.last]
    worst = max(compared, key=lambda one: sum(d.bytes for d in one.differences))
    verdict, reason = _verdict(capture, worst)
    if verdict == "different" and tolerance is not None and dump is not None:
        verdict, reason = _within(capture, run, tolerance, dump)
    return Verification(
        verdict=verdict,
        reason=reason,
        regions=run.first.regions,
        bytes=run.first.bytes,
        changed_bytes=run.first.changed_bytes,
        differences=tuple(
            DifferentRegion(d.base, d.bytes, d.first_offset, d.expected, d.found)
            for d in worst.differences
        ),
        tolerance=None if tolerance is None else str(tolerance),
    )


def _verdict(capture: Capture, comparison: Comparison) -> tuple[Verdict, str]:
    if capture.changes is None:
        return "unverified", "the capture has no memory after the dispatch"
    if not comparison.differences:
        if not comparison.regions:
            return "unverified", "the capture has no memory to compare"
        if not capture.changes:
            return "unverified", "the captured dispatch changed no memory: there is no output"
        return "equal", "all memory is as the application left it"
    first = comparison.differences[0]
    total = sum(difference.bytes for difference in comparison.differences)
    return "different", (
        f"{total} bytes in {len(comparison.differences)} region(s) differ; the first at "
        f"0x{first.base + first.first_offset:x}: 0x{first.found:02x} instead of "
        f"0x{first.expected:02x}"
    )


def _within(
    capture: Capture, run: VariantRun, tolerance: Tolerance, dump: Path
) -> tuple[Verdict, str]:
    if run.last is not None and run.last.differences != run.first.differences:
        return "different", "the first and the last replay differ from each other"
    regions = {region.base: region for region in capture.regions}
    worst = 0.0
    for difference in run.first.differences:
        found = (dump / f"region_{difference.base:x}.bin").read_bytes()
        expected = _expected_pages(capture, regions[difference.base], difference)
        size = np.dtype(_TYPES[tolerance.type]).itemsize
        whole = len(found) // size * size
        a = np.frombuffer(expected[:whole], dtype=_TYPES[tolerance.type]).astype(np.float64)
        b = np.frombuffer(found[:whole], dtype=_TYPES[tolerance.type]).astype(np.float64)
        same = np.isclose(b, a, rtol=tolerance.relative, atol=tolerance.absolute, equal_nan=True)
        if found[whole:] != expected[whole:] or not bool(same.all()):
            return "different", f"region 0x{difference.base:x} differs by more than {tolerance}"
        with np.errstate(all="ignore"):
            error = np.abs(b - a) / np.abs(a)
        worst = max(worst, float(np.nanmax(np.where(np.isfinite(error), error, 0.0))))
    return "within_tolerance", f"not equal, but within {tolerance}; largest relative {worst:.3g}"


def _expected_pages(capture: Capture, region: RegionEntry, difference: Difference) -> bytes:
    """What the application left in the pages that differ."""
    before = capture.memory_file(region.file).open("rb")
    changed = next((c for c in capture.changes or () if c.base == region.base), None)
    places: dict[int, int] = {}  # page -> offset in the file of changes
    offset = 0
    for first, count in changed.runs if changed else ():
        for page in range(first, first + count):
            places[page] = offset
            offset += min(PAGE_BYTES, region.size - page * PAGE_BYTES)
    after = capture.memory_file(changed.file).read_bytes() if changed else b""
    pages = []
    with before:
        for first, count in difference.runs:
            for page in range(first, first + count):
                size = min(PAGE_BYTES, region.size - page * PAGE_BYTES)
                if page in places:
                    pages.append(after[places[page] : places[page] + size])
                else:
                    before.seek(page * PAGE_BYTES)
                    pages.append(before.read(size))
    return b"".join(pages)
