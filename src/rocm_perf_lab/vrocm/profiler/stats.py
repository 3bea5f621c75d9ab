"""Statistics per name and domain: the ``_stats.csv`` files and the summaries of rocprofv3."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rocm_perf_lab.trace.model import IntColumn, Trace
from rocm_perf_lab.trace.vocabulary import allocation_record
from rocm_perf_lab.vrocm.recording.periods import NANOSECONDS

KERNEL_DISPATCH = "KERNEL_DISPATCH"  # the domain of kernels
HEADER = (
    "Name",
    "Calls",
    "TotalDurationNs",
    "AverageNs",
    "Percentage",
    "MinNs",
    "MaxNs",
    "StdDev",
)


@dataclass(frozen=True)
class Statistics:
    """All records with one name."""

    domain: str
    name: str
    calls: int
    total_ns: int
    min_ns: int
    max_ns: int
    deviation_ns: float  # of the sample; 0 for a single record

    @property
    def average_ns(self) -> float:
        return self.total_ns / self.calls


@dataclass(frozen=True)
class Domain:
    """What was recorded of one kind. ``file`` is the middle of the name of its CSV file."""

    name: str
    file: str
    rows: tuple[Statistics, ...]


def domains_of(trace: Trace) -> list[Domain]:
    """Every domain that has records."""
    return [
        Domain(name, file, tuple(_statistics(name, names, durations)))
        for name, file, names, durations in _named_durations(trace)
        if len(names)
    ]


def _named_durations(trace: Trace) -> Iterator[tuple[str, str, list[str], IntColumn]]:
    """(domain, file, name of each record, duration of each record)"""
    kernels = [trace.kernels[index].name for index in trace.dispatches.kernel]
    yield KERNEL_DISPATCH, "kernel", kernels, trace.dispatches.duration
    copies, markers, allocations = trace.copies, trace.markers, trace.allocations
    directions = [trace.strings[index] for index in copies.direction]
    yield "MEMORY_COPY", "memory_copy", directions, copies.end - copies.start
    operations = [
        allocation_record(trace.strings[operation], trace.strings[level])[1]
        for operation, level in zip(allocations.operation, allocations.level)
    ]
    lengths = allocations.end - allocations.start
    yield "MEMORY_ALLOCATION", "memory_allocation", operations, lengths
    messages = [trace.strings[index] for index in markers.message]
    yield "MARKER_API", "marker_api", messages, markers.end - markers.start
    calls = trace.api_calls
    for family in ("HIP", "HSA"):
        own = [
            row
            for row, index in enumerate(calls.category)
            if trace.strings[index].startswith(family)
        ]
        functions = [trace.strings[index] for index in calls.name[own]]
        yield f"{family}_API", f"{family.lower()}_api", functions, (calls.end - calls.start)[own]


def _statistics(domain: str, names: Sequence[str], durations: IntColumn) -> list[Statistics]:
    """One for each name, largest total first."""
    by_name: dict[str, list[int]] = {}
    for name, duration in zip(names, durations.tolist()):
        by_name.setdefault(name, []).append(duration)
    rows = [
        Statistics(
            domain,
            name,
            len(values),
            sum(values),
            min(values),
            max(values),
            statistics.stdev(values) if len(values) > 1 else 0.0,
        )
        for name, values in by_name.items()
    ]
    return _largest_first(rows)


def _largest_first(rows: Sequence[Statistics]) -> list[Statistics]:
    return sorted(rows, key=lambda row: (-row.total_ns, row.name))


def stats_rows(rows: Sequence[Statistics]) -> Iterator[tuple[object, ...]]:
    """Rows under ``HEADER``."""
    total = sum(row.total_ns for row in rows)
    for row in rows:
        yield (
            row.name,
            row.calls,
            row.total_ns,
            f"{row.average_ns:.6f}",
            f"{_percent(row.total_ns, total):.2f}",
            row.min_ns,
            row.max_ns,
            f"{row.deviation_ns:.6f}",
        )


def domain_totals(domains: Sequence[Domain]) -> list[Statistics]:
    """One row per domain, for ``_domain_stats.csv``."""
    totals = []
    for domain in domains:
        calls = sum(row.calls for row in domain.rows)
        total = sum(row.total_ns for row in domain.rows)
        square = sum(_squares(row) for row in domain.rows) - total * total / calls
        totals.append(
            Statistics(
                domain.name,
                domain.name,
                calls,
                total,
                min(row.min_ns for row in domain.rows),
                max(row.max_ns for row in domain.rows),
                (max(square, 0.0) / (calls - 1)) ** 0.5 if calls > 1 else 0.0,
            )
        )
    return _largest_first(totals)


def _squares(row: Statistics) -> float:
    """The sum of the squared durations, back from the deviation."""
    return row.deviation_ns**2 * (row.calls - 1) + row.total_ns**2 / row.calls


def summary_table(title: str, domains: Sequence[Domain], pattern: str, unit: str) -> str:
    """The domains whose names match, as a table for people; empty when none does."""
    rows = _largest_first(
        [row for domain in domains if re.search(pattern, domain.name) for row in domain.rows]
    )
    if not rows:
        return ""
    total, scale = sum(row.total_ns for row in rows), NANOSECONDS[unit]
    cells: list[Sequence[str]] = [
        (
            "NAME",
            "DOMAIN",
            "CALLS",
            f"DURATION ({unit})",
            f"AVERAGE ({unit})",
            "PERCENT (INC)",
            f"MIN ({unit})",
            f"MAX ({unit})",
            f"STDDEV ({unit})",
        )
    ]
    for row in rows:
        times = (row.total_ns, row.average_ns, row.min_ns, row.max_ns, row.deviation_ns)
        duration, average, *spread = (f"{time / scale:.6g}" for time in times)
        percent = f"{_percent(row.total_ns, total):.6f}"
        cells.append((row.name, row.domain, str(row.calls), duration, average, percent, *spread))
    return "\n".join([f"{title}:", "", *_aligned(cells), ""])


def _aligned(cells: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lines of a table; names stand left, everything else right."""
    widths = [max(map(len, column)) for column in zip(*cells)]
    for number, (name, *others) in enumerate(cells):
        padded = [name.ljust(widths[0])]
        padded += [cell.rjust(width) for cell, width in zip(others, widths[1:])]
        yield "| " + " | ".join(padded) + " |"
        if number == 0:
            yield "|" + "|".join("-" * (width + 2) for width in widths) + "|"


def _percent(part: int, whole: int) -> float:
    return 100.0 * part / whole if whole else 0.0
