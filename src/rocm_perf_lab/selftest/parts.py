"""What ``--only`` chooses: verbs for steps, and benchmarks for a calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.selftest.calibrate.rows import chosen_rows, is_benchmark
from rocm_perf_lab.selftest.steps import chosen


@dataclass(frozen=True)
class Parts:
    """Of each () is all, and None is nothing."""

    verbs: Optional[tuple[str, ...]]
    benchmarks: Optional[tuple[str, ...]]


def parts_of(only: Sequence[str], calibrating: bool) -> Parts:
    """Raises for a name that is neither."""
    if not calibrating:
        chosen(only)
        return Parts(tuple(only), None)
    if not only:
        return Parts((), ())
    benchmarks = tuple(name for name in only if is_benchmark(name))
    verbs = tuple(name for name in only if name not in benchmarks)
    chosen(verbs)
    chosen_rows(benchmarks)
    return Parts(verbs or None, benchmarks or None)
