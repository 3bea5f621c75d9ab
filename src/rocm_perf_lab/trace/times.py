"""Why an event has no usable time, in words; one wording for all readers."""

from __future__ import annotations

from typing import Optional

ABSENT = "without a start or end time that is a number"
NEGATIVE = "with a negative time"
BACKWARDS = "that end before they start"


def trouble(start: int, end: int, unknown: int = -1) -> Optional[str]:
    """None for a valid pair."""
    if 0 <= start <= end:
        return None
    if unknown in (start, end):
        return ABSENT
    return NEGATIVE if start < 0 or end < 0 else BACKWARDS
