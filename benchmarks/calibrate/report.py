"""The calibration as text for a terminal and as docs/virtual-device.md with its two plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.calibrate import bandwidth, latency
from benchmarks.calibrate.plot import Curve, svg
from benchmarks.calibrate.quantity import Section
from benchmarks.calibrate.ranking import LEAST_RIGHT, Ranked, recorded, right
from rocm_perf_lab.arch.model import load_timing_model

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "virtual-device.md"
LATENCY_PLOT = "virtual-device-latency.svg"
BANDWIDTH_PLOT = "virtual-device-bandwidth.svg"
HEADINGS = ("quantity", "published", "modelled", "error", "allowed", "verdict")
RANKING_HEADINGS = ("pair", "faster version", "published", "modelled", "verdict", "source")


@dataclass(frozen=True)
class Calibration:
    sections: Sequence[Section]
    ranking: Sequence[Ranked]
    steps: dict[int, float]  # latency staircase: KiB -> cycles
    rates: dict[str, float]  # read bandwidth: region_<KiB> -> TB/s

    @property
    def missed(self) -> int:
        return sum(section.missed for section in self.sections) + (
            right(self.ranking) < LEAST_RIGHT
        )


def summary(calibration: Calibration) -> str:
    judged = [q for s in calibration.sections for q in s.quantities if q.allowed is not None]
    held = sum(quantity.holds for quantity in judged)
    timed = recorded(calibration.ranking)
    return (
        f"{held} of {len(judged)} figures within their limits, "
        f"{right(calibration.ranking)} of {len(calibration.ranking)} pairs ranked right "
        f"({right(timed)} of the {len(timed)} whose times were recorded)"
    )


def ranking_cells(result: Ranked) -> list[str]:
    pair = result.pair
    return [
        pair.what,
        pair.winner,
        pair.recorded or "advice",
        f"{result.loser_us:.1f} -> {result.winner_us:.1f} us ({result.speed_up:.2f}x)",
        "ok" if result.right else "MISS",
        pair.source,
    ]


def markdown(calibration: Calibration) -> str:
    blocks = [INTRODUCTION.format(summary=summary(calibration))]
    for section in calibration.sections:
        blocks.append(f"## {section.title}\n\n{section.text}\n")
        if section.title == "Latency":
            blocks.append(f"![Latency staircase]({LATENCY_PLOT})\n")
        if section.title == "Bandwidth":
            blocks.append(f"![Bandwidth of reads]({BANDWIDTH_PLOT})\n")
        blocks.append(_table(HEADINGS, [quantity.cells() for quantity in section.quantities]))
        notes = [f"* {q.name}: {q.note}." for q in section.quantities if q.note]
        sources = sorted({quantity.published.source for quantity in section.quantities})
        blocks.append("\n".join([*notes, f"Sources: {'; '.join(sources)}."]) + "\n")
    blocks.append(f"## Ranking\n\n{RANKING_TEXT}\n")
    blocks.append(_table(RANKING_HEADINGS, [ranking_cells(r) for r in calibration.ranking]))
    blocks.append(CONSTANTS_TEXT + _constants_table())
    blocks.append(LIMITS)
    return "\n".join(blocks)


def write(calibration: Calibration) -> None:
    PAGE.write_text(markdown(calibration), "utf-8")
    (DOCS / LATENCY_PLOT).write_text(svg(latency_curve(calibration.steps)), "utf-8")
    (DOCS / BANDWIDTH_PLOT).write_text(svg(bandwidth_curve(calibration.rates)), "utf-8")


def latency_curve(steps: dict[int, float]) -> Curve:
    return Curve(
        "Latency of a dependent load by size of the array", "cycles at 2.1 GHz", steps,
        latency.PUBLISHED, (0, 200, 400, 600, 800, 1000),
    )  # fmt: skip


def bandwidth_curve(rates: dict[str, float]) -> Curve:
    regions = {
        int(name.split("_")[1]): rate for name, rate in rates.items() if name.startswith("region")
    }
    published = {size: figure for size, (_, figure) in bandwidth.REGIONS.items()}
    return Curve(
        "Bandwidth of reads by size of the region that is shared", "TB/s", regions,
        published, (2, 4, 8, 16, 32, 64), logarithmic=True,
    )  # fmt: skip


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def _constants_table() -> str:
    model = load_timing_model()
    rows = [
        [constant.name, f"{constant.value:g}" if isinstance(constant.value, float)
         else str(constant.value), constant.unit, " ".join(constant.source), constant.confidence]
        for constants in model.sections.values()
        for constant in constants
    ]  # fmt: skip
    used = sorted({key for row in rows for key in row[3].split()})
    sources = "\n".join(f"* {key}: {model.sources[key]}" for key in used)
    return _table(("constant", "value", "unit", "source", "confidence"), rows) + f"\n{sources}\n"


INTRODUCTION = """\
# How far the virtual MI300X can be trusted

Written by `python -m benchmarks.calibration --write`; do not edit.

The virtual device executes gfx942 code exactly and says how long a real MI300X would have taken
from a simulation of one XCD over the instructions that were really executed. This page holds the
model's figures against recorded and published ones of real chips. A range in the second column is
what several sources span; the error is to its nearer end.

**{summary}.**

Latencies, bandwidths and rates are what the model's constants were taken from or fitted to, so that
those tables show that the simulation reproduces its inputs. Predictions are the durations of the
two products and the ranking; of vecCopy counters and duration are, while the cost of launching was
taken from the fill.

What to trust: instruction counts (exact), requests and bytes, and which of two versions is faster
when they differ by much. A duration is to be trusted no further than those of the three recorded
kernels below agree.
"""

RANKING_TEXT = (
    "Two versions of a kernel, of which one is known to be faster on MI300-class hardware: the "
    "recorded times of loser and winner where there are any, otherwise the vendor's general "
    "advice, which need not hold for each kernel. The exercises are scaled to what a host can "
    "execute; their order is comparable, their times are not. The gather and the copy by a large "
    "grid came out wrong or undecided first; a form each was added in which nothing but latency "
    "and the bytes in flight count, and the first forms stay in the table."
)

CONSTANTS_TEXT = """\
## Constants

Every hardware number of the model, from `src/rocm_perf_lab/arch/data/model/gfx942.json`. Those with
the source `fit` were chosen so that the tables above come out.

"""

LIMITS = """\
## Limits

* One clock: the chip lowers its clock when matrix cores, or HBM and FP32, are busy together (1.0 to
  1.5 GHz at 750 W). The model stays at 2.1 GHz, so such kernels are too fast: FP16 matrix products
  1.4 times, others up to twice.
* The order of two versions is predicted better than their ratio: the strided exercise with a large
  matrix gained 12 times on an MI300A and 1.3 times here. The model spreads powers of two over the
  sets of its caches, so that rows of such a length do not drive each other out.
* One XCD is simulated and stands for all; imbalance between XCDs is not seen.
* Of a large dispatch the first rounds of workgroups are simulated and the others follow at their
  pace. A kernel whose later workgroups behave differently is timed by its first ones.
* Waves that execute very many instructions are followed for some hundreds of them and go on at that
  pace; fetching their code for the first time is added once. Further rounds of them take as long as
  the longest wave of the first one, which is too long when waves differ much.
* Timestamps of a kernel that finds its queue idle hold 0.65 us of launching, those of one that
  waited for another kernel 3 us more, as public traces of MI300X show it. What makes that up is
  not modelled, nor are the scopes of fences. Short kernels of an MI300A (shallow water: 5.2, 9.5
  and 20.9 us) come out a quarter to a half shorter.
* Waves issue oldest first; where only the first part of long waves is followed they take turns.
* Infinity Cache contents are kept by page of 4 KiB, not by line; HBM is a latency and a rate,
  without banks, refresh or pages that are open.
* Address translation is a first touch, a reach, and 32 pages of each CU; the real one has more
  levels, which limit random accesses to many gigabytes.
* Atomics are ordered by line for the whole chip, at the rate of system scope on one address, which
  is published; whether those of device scope are as slow is not known.
* Figures of chips with fewer CUs need not hold. An MI308X (80 CUs of 1.42 GHz) reads pieces of 64
  bytes in 16 rows at 0.45 of the speed of whole rows, and at 0.28 with lanes in the order of matrix
  operands: at 4 TB/s its CUs move 35 bytes per cycle each and have no time for the translations and
  tags of 16 rows. The 304 CUs here move 7, and the pieces come at 0.92.
* Clocks inside a kernel (`clock64`, `s_memtime`) do not follow this model.
"""
