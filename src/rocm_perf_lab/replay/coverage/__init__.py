"""Which instructions of a dispatch the virtual device executed, and on which sides.

A process whose environment has ``VROCM_COVERAGE=FILE`` appends a line to FILE for every dispatch.
"""

from rocm_perf_lab.replay.coverage.facts import (
    ACTIVE,
    FALSE,
    NOT_TAKEN,
    REACHED,
    TAKEN,
    TRUE,
    Covered,
    DispatchCoverage,
    Work,
    merged,
    united,
)
from rocm_perf_lab.replay.coverage.reader import COVERAGE_VARIABLE, read_coverage

__all__ = [
    "ACTIVE",
    "COVERAGE_VARIABLE",
    "FALSE",
    "NOT_TAKEN",
    "REACHED",
    "TAKEN",
    "TRUE",
    "Covered",
    "DispatchCoverage",
    "Work",
    "merged",
    "read_coverage",
    "united",
]
