"""The verdict on two comparisons of one run: the worse one counts, wherever it stands."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Optional

import pytest

from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.capture_schema import ChangedRegion
from rocm_perf_lab.replay.replayer import Comparison, Difference, VariantRun
from rocm_perf_lab.replay.verify import verify

CHANGED = ChangedRegion(base=4096, stored_bytes=4096, runs=((0, 1),))


def capture() -> Capture:
    """All that a verdict without tolerance asks of a capture."""
    return SimpleNamespace(changes=(CHANGED,), folder=Path())  # type: ignore[return-value]


def comparison(wrong_bytes: int) -> Comparison:
    difference = Difference(
        base=4096, bytes=wrong_bytes, first_offset=8, expected=1, found=2, runs=((0, 1),)
    )
    differences = (difference,) if wrong_bytes else ()
    return Comparison(regions=1, bytes=4096, changed_bytes=64, differences=differences)


def verdict(first: int, last: Optional[int]) -> tuple[str, int]:
    run = VariantRun(
        samples_ns=(1.0, 1.0),
        first=comparison(first),
        last=None if last is None else comparison(last),
    )
    found = verify(capture(), run)
    return found.verdict, sum(one.bytes for one in found.differences)


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (0, 0, ("equal", 0)),
        (0, None, ("equal", 0)),
        (4, 0, ("different", 4)),  # right only after a while
        (0, 4, ("different", 4)),  # right only at first
        (8, 4, ("different", 8)),
        (4, 8, ("different", 8)),
        (4, None, ("different", 4)),
    ],
)
def test_the_worse_of_first_and_last_counts(
    first: int, last: Optional[int], expected: tuple[str, int]
) -> None:
    assert verdict(first, last) == expected
