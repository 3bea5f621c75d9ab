"""The virtual MI300X against recorded and published figures: latencies, bandwidths, rates,
counters, durations and rankings.

``python -m benchmarks.calibration --write`` also writes docs/virtual-device.md and its plots;
``--only published,ranking`` runs some of its tables, ``--constants`` writes one without a run.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Callable

from benchmarks.calibrate import (
    bandwidth,
    gemm,
    latency,
    microbenchmarks,
    published,
    ranking,
    rates,
    report,
    veccopy,
    waiting,
)
from benchmarks.calibrate.program import Bench, bench
from benchmarks.calibrate.quantity import Section
from benchmarks.fidelity import publish_shares
from rocm_perf_lab.reporters.text_table import Column, render
from rocm_perf_lab.vrocm.prefix import ensure_prefix

# In the order of the page.
SECTIONS: Mapping[str, Callable[[Bench], Section]] = {
    "published": published.section,
    "veccopy": veccopy.section,
    "microbenchmarks": microbenchmarks.section,
    "latency": lambda on: latency.section(on, latency.staircase(on)),
    "bandwidth": lambda on: bandwidth.section(on, bandwidth.curve(on)),
    "rates": rates.section,
    "gemm": lambda on: gemm.section(on)[0],
    "waiting": waiting.section,
}
RANKING = "ranking"
TABLES = (*SECTIONS, RANKING)


def measure(on: Bench, tables: Sequence[str] = TABLES) -> report.Calibration:
    """What several tables need is run once: the bench remembers."""
    pairs = [*ranking.ranked(on), gemm.section(on)[1]] if RANKING in tables else []
    return report.Calibration(
        sections=[section(on) for name, section in SECTIONS.items() if name in tables],
        ranking=pairs,
        steps=latency.staircase(on) if "latency" in tables else {},
        rates=bandwidth.curve(on) if "bandwidth" in tables else {},
    )


def show(calibration: report.Calibration) -> None:
    for section in calibration.sections:
        rows = [quantity.cells() for quantity in section.quantities]
        print(f"{section.title}\n{_table(report.HEADINGS, rows)}\n")
    if calibration.ranking:
        rows = [report.ranking_cells(result)[:-1] for result in calibration.ranking]
        print(f"Ranking\n{_table(report.RANKING_HEADINGS[:-1], rows)}\n")
    print(report.summary(calibration))


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    columns = [Column(heading, align_left=index == 0) for index, heading in enumerate(headings)]
    return render(columns, rows)


def _tables(text: str) -> list[str]:
    names = text.split(",")
    unknown = [name for name in names if name not in TABLES]
    if unknown:
        raise argparse.ArgumentTypeError(
            f"no table {', '.join(unknown)}; there are {', '.join(TABLES)}"
        )
    return names


def main(argv: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--write", action="store_true", help="write docs/virtual-device.md")
    what.add_argument(
        "--only", type=_tables, default=TABLES, metavar="TABLE,...", help=", ".join(TABLES)
    )
    what.add_argument(
        "--constants", action="store_true", help="write the page's table of constants, run nothing"
    )
    parser.add_argument(
        "--prefix", type=Path, help="virtual ROCm to use instead of the current one"
    )
    arguments = parser.parse_args(list(argv))
    if arguments.constants:
        report.write_constants()
        return 0
    prefix = arguments.prefix or ensure_prefix(lambda step: None)
    with bench(prefix) as on:
        calibration = measure(on, arguments.only)
    show(calibration)
    if arguments.write:
        publish_shares(*report.shares(calibration))
        report.write(calibration)
    return 1 if calibration.broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
