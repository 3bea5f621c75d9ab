"""The virtual MI300X against recorded and published figures: latencies, bandwidths, rates,
counters, durations and rankings.

``python -m benchmarks.calibration --write`` also writes docs/virtual-device.md and its plots.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.calibrate import (
    bandwidth,
    gemm,
    latency,
    microbenchmarks,
    ranking,
    rates,
    report,
    veccopy,
    waiting,
)
from benchmarks.calibrate.program import Bench, bench
from rocm_perf_lab.reporters.text_table import Column, render
from rocm_perf_lab.vrocm.prefix import ensure_prefix


def measure(on: Bench) -> report.Calibration:
    steps = latency.staircase(on)
    read_rates = bandwidth.curve(on)
    products, product_ranking = gemm.section(on)
    return report.Calibration(
        sections=[
            veccopy.section(on),
            microbenchmarks.section(on),
            latency.section(on, steps),
            bandwidth.section(on, read_rates),
            rates.section(on),
            products,
            waiting.section(on),
        ],
        ranking=[*ranking.ranked(on), product_ranking],
        steps=steps,
        rates=read_rates,
    )


def show(calibration: report.Calibration) -> None:
    for section in calibration.sections:
        print(
            f"{section.title}\n{_table(report.HEADINGS, [q.cells() for q in section.quantities])}\n"
        )
    rows = [report.ranking_cells(result)[:-1] for result in calibration.ranking]
    print(f"Ranking\n{_table(report.RANKING_HEADINGS[:-1], rows)}\n")
    print(report.summary(calibration))


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    columns = [Column(heading, align_left=index == 0) for index, heading in enumerate(headings)]
    return render(columns, rows)


def main(argv: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/virtual-device.md")
    parser.add_argument(
        "--prefix", type=Path, help="virtual ROCm to use instead of the current one"
    )
    arguments = parser.parse_args(list(argv))
    prefix = arguments.prefix or ensure_prefix(lambda step: None)
    with bench(prefix) as on:
        calibration = measure(on)
    show(calibration)
    if arguments.write:
        report.write(calibration)
    return 1 if calibration.missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
