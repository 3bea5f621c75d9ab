"""The calibration as text for a terminal and as docs/virtual-device.md with its two plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.calibrate import bandwidth, latency, published
from benchmarks.calibrate.limits import LIMITS, MEANING, Group, limit_text
from benchmarks.calibrate.plot import Curve, svg
from benchmarks.calibrate.quantity import Quantity, Section, score
from benchmarks.calibrate.ranking import LEAST_RIGHT, Ranked, recorded, right
from rocm_perf_lab.arch.fidelity import Fidelity, Share, load_fidelity
from rocm_perf_lab.arch.model import load_timing_model

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "virtual-device.md"
LATENCY_PLOT = "virtual-device-latency.svg"
BANDWIDTH_PLOT = "virtual-device-bandwidth.svg"
PLOTS = {"Latency": LATENCY_PLOT, "Bandwidth": BANDWIDTH_PLOT}
PLURAL = {
    Group.REPRODUCED: "reproduced inputs",
    Group.BY_CONSTRUCTION: "figures by construction",
    Group.PREDICTED: "predictions",
}
NO_REASON = "not understood"
HEADINGS = (
    "quantity", "published", "modelled", "error", "group", "class", "allowed", "verdict",
)  # fmt: skip
RANKING_HEADINGS = ("pair", "faster version", "published", "modelled", "verdict", "source")


@dataclass(frozen=True)
class Calibration:
    sections: Sequence[Section]
    ranking: Sequence[Ranked] = ()
    steps: Mapping[int, float] = field(default_factory=dict)  # latency staircase: KiB -> cycles
    rates: Mapping[str, float] = field(default_factory=dict)  # reads: region_<KiB> -> TB/s

    @property
    def quantities(self) -> list[Quantity]:
        return [quantity for section in self.sections for quantity in section.quantities]

    def of(self, group: Group) -> list[Quantity]:
        return [quantity for quantity in self.quantities if quantity.group == group]

    @property
    def broken(self) -> bool:
        """What follows from the code came out otherwise, or fewer pairs are ranked right."""
        exact = score(self.of(Group.BY_CONSTRUCTION))
        too_few = bool(self.ranking) and right(self.ranking) < LEAST_RIGHT
        return exact.held < exact.counted or too_few


def summary(calibration: Calibration) -> str:
    """Groups without a figure (of a part that was not run) are left out."""
    parts = [
        f"{score(quantities)} {names}"
        for group, names in PLURAL.items()
        for quantities in [calibration.of(group)]
        if quantities
    ]
    parts += [
        f"of them {score(section.quantities)} published timings"
        for section in calibration.sections
        if section.title == published.TITLE
    ]
    if calibration.ranking:
        timed = recorded(calibration.ranking)
        parts.append(
            f"{right(calibration.ranking)} of {len(calibration.ranking)} pairs ranked right "
            f"({right(timed)} of the {len(timed)} whose times were recorded)"
        )
    return "Within their limits: " + ", ".join(parts)


def shares(calibration: Calibration) -> tuple[Share, Share]:
    """Pairs ranked right, and published timings within their limits."""
    (section,) = (one for one in calibration.sections if one.title == published.TITLE)
    timed = score(section.quantities)
    pairs = Share(right(calibration.ranking), len(calibration.ranking))
    return pairs, Share(timed.held, timed.counted)


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
    blocks = [
        INTRODUCTION.format(
            summary=summary(calibration),
            groups=_groups(calibration),
            choices=_choices(load_fidelity(), calibration.ranking),
        )
    ]
    blocks += [LIMITS_TEXT + _limits_table(), _misses(calibration)]
    for section in calibration.sections:
        blocks.append(f"## {section.title}\n\n{section.text}\n")
        if section.title in PLOTS:
            blocks.append(f"![{section.title}]({PLOTS[section.title]})\n")
        blocks.append(_table(HEADINGS, [quantity.cells() for quantity in section.quantities]))
        notes = [f"* {q.name}: {q.note}." for q in section.quantities if q.note]
        sources = sorted({quantity.published.source for quantity in section.quantities})
        blocks.append("\n".join([*notes, f"Sources: {'; '.join(sources)}."]) + "\n")
    blocks.append(f"## Ranking\n\n{RANKING_TEXT}\n")
    blocks.append(_table(RANKING_HEADINGS, [ranking_cells(r) for r in calibration.ranking]))
    blocks.append(CONSTANTS_TEXT + _constants_table())
    blocks.append(FALLS_SHORT)
    return "\n".join(blocks)


def _choices(fidelity: Fidelity, ranking: Sequence[Ranked]) -> str:
    """By kind of kernel, for whoever chooses between versions."""
    timed = recorded(ranking)
    rows = [
        ["two versions of a small kernel, both timed on a chip",
         f"{right(timed)} of {len(timed)} pairs ranked right"],
        ["the same, one of them faster by the vendor's advice",
         f"{right(ranking) - right(timed)} of {len(ranking) - len(timed)} pairs ranked right"],
        ["times of published kernels", f"{fidelity.timings} within 25 %"],
    ]  # fmt: skip
    for table in fidelity.tables.values():
        rows.append(
            [table.kind,
             f"{table.within_25_percent} of {table.rows} times within 25 %; rank correlation "
             f"{table.rank_correlation:.2f} or more; what is fastest here takes "
             f"{table.choice_median:.2f} times the chip's fastest in the median, "
             f"{table.choice_worst:.2f} at worst ({table.rows} of {table.of} configurations run)"]
        )  # fmt: skip
    return _table(("choice", "how often it is right on a real chip"), rows)


def _groups(calibration: Calibration) -> str:
    rows = []
    for group, meaning in MEANING.items():
        held = score(calibration.of(group))
        rows.append([group.value, meaning, str(held.counted), str(held.held),
                     str(held.counted - held.held)])  # fmt: skip
    return _table(("group", "which", "figures", "within", "missed"), rows)


def _limits_table() -> str:
    return _table(
        ("group", "class", "allowed"),
        [[group.value, kind.value, limit_text(limit)] for (group, kind), limit in LIMITS.items()],
    )


def _misses(calibration: Calibration) -> str:
    rows = [
        [section.title, quantity.title, f"{quantity.error * 100:+.0f} %", quantity.group.value,
         (quantity.reason or NO_REASON) if quantity.needs_a_reason else ""]
        for section in calibration.sections
        for quantity in sorted(section.quantities, key=lambda each: -abs(each.error))
        if not quantity.holds
    ]  # fmt: skip
    return MISSES_TEXT + _table(("table", "quantity", "error", "group", "why"), rows)


def write(calibration: Calibration) -> None:
    PAGE.write_text(markdown(calibration), "utf-8")
    (DOCS / LATENCY_PLOT).write_text(svg(latency_curve(calibration.steps)), "utf-8")
    (DOCS / BANDWIDTH_PLOT).write_text(svg(bandwidth_curve(calibration.rates)), "utf-8")


def write_constants() -> None:
    """The constants of the model as they are now; all other tables stay."""
    before, rest = PAGE.read_text("utf-8").split(CONSTANTS_TEXT)
    behind = rest[rest.index("\n## ") :]
    PAGE.write_text(before + CONSTANTS_TEXT + _constants_table() + behind, "utf-8")


def latency_curve(steps: Mapping[int, float]) -> Curve:
    return Curve(
        "Latency of a dependent load by size of the array", "cycles at 2.1 GHz", steps,
        latency.PUBLISHED, (0, 200, 400, 600, 800, 1000),
    )  # fmt: skip


def bandwidth_curve(rates: Mapping[str, float]) -> Curve:
    regions = {
        int(name.split("_")[1]): rate for name, rate in rates.items() if name.startswith("region")
    }
    figures = {size: figure for size, (_, figure) in bandwidth.REGIONS.items()}
    return Curve(
        "Bandwidth of reads by size of the region that is shared", "TB/s", regions,
        figures, (2, 4, 8, 16, 32, 64), logarithmic=True,
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

**What is faster here, is it faster on a real MI300X?** By what is chosen between:

{choices}
Trust a choice where the difference is large and the limit is plain: bytes of large streams,
conflicts in the [LDS](GLOSSARY.md), matrix instructions, launches. Do not trust it without a run
on a chip where versions differ by less than a quarter; where all CUs multiply matrices for long
(the chip lowers its clock, the model does not); where kernels spill registers (the chip takes two
to three times as long); for kernels of few waves per CU and of less than some 10 us; and where
atomics meet on few addresses.

The virtual device executes gfx942 code exactly and says how long a real MI300X would have taken,
from a simulation of what was really executed: all [waves](GLOSSARY.md) of small dispatches on all
XCDs, a sample of the waves of large ones and every wave that is much longer than the others. This
page holds the model's figures against recorded and published ones of real chips. A range in the
second column is what several sources span; the error is to its nearer end.

**{summary}.**

{groups}
Every published figure is in one group, has the limit of its class and counts, whether it holds or
not. Figures that are equal by construction count once.

What to trust:

* Counts of instructions, and of requests in front of the caches: they follow from executing the
  code and are exact. Requests behind the caches come close.
* Which of two versions is faster, when they differ by much.
* Latencies, bandwidths of large streams and instruction rates, one at a time: the model was made
  from them. That says that the simulation reproduces its inputs and no more.
* The duration of a kernel that is not like the recorded ones: no further than the predictions
  below agree, which the table of published timings shows best. Few waves per CU, contended atomics
  and very short kernels are where they do not.
"""

RANKING_TEXT = (
    "Two versions of a kernel, of which one is known to be faster on MI300-class hardware: the "
    "recorded times of loser and winner where there are any, otherwise the vendor's general "
    "advice, which need not hold for each kernel. The exercises are scaled to what a host can "
    "execute; their order is comparable, their times are not. The gather and the copy by a large "
    "grid came out wrong or undecided first; a form each was added in which nothing but latency "
    "and the bytes in flight count, and the first forms stay in the table. The quarter of x in "
    "the LDS was ranked right until long workgroups were simulated in their places; all waves "
    "simulated (`VROCM_TIMING=full`) say 218.4 -> 202.0 us (1.08x), so that it is an error of the "
    "sample, which was smaller than the difference before."
)

CONSTANTS_TEXT = """\
## Constants

Every hardware number of the model, from `src/rocm_perf_lab/arch/data/model/gfx942.json`. Those with
the source `fit` were chosen so that the tables above come out.

"""

LIMITS_TEXT = """\
## What is allowed

By class of quantity, fixed in `benchmarks/calibrate/limits.py` before anything is run. An exact
count is what the code and the addresses of its lanes decide; a request count is what the caches
make of it. A rate is cycles per instruction, instructions or operations per time, or a share of
slots. Counters of waiting differ twofold between recordings of one kernel.

"""

MISSES_TEXT = """\
## What misses

Those that are off by more than half have a reason.

"""

FALLS_SHORT = """\
## What the model leaves out

* One clock: the chip lowers its clock when matrix cores, or HBM and FP32, are busy together (1.0 to
  1.5 GHz at 750 W). The model stays at 2.1 GHz, so such kernels are too fast: FP16 matrix products
  1.4 times, others up to twice.
* The order of two versions is predicted better than their ratio. The strided exercise with a large
  matrix gained 12 times on an MI300A, less than twice here and six times with
  `VROCM_TIMING=full`: its rows lie 512 KiB apart, and waves push each other's translations out of
  those that a CU keeps. Waves that are at the same column also meet in a quarter of the sets of
  their L2, which hold fewer lines than that, so that each element brings a line from memory. On the
  chip they may meet in fewer: how it spreads powers of two over the sets of its L2 is not known.
  The sets of the vector cache are those of the chip.
* Of a large dispatch three rounds of workgroups are simulated, at the beginning, in the middle and
  at the end, on one XCD that has its share of the memory; the others follow at their pace. Where
  workgroups do the same one shader engine is followed, and those beside, on the other engines, send
  their requests through the memory when it does. `VROCM_TIMING=full` simulates everything.
* Long waves are followed from beginning to end, on one XCD, as long as they have no more than four
  million steps together, or eight in a round of two rounds or more: then workgroups from
  everywhere in the grid are simulated. Of those that have more runs of 128 are followed,
  some at each place in
  the code; the others take as long as those did. `benchmarks/README.md` has how far that is off.
  Waves that push each other's lines or translations out of a CU or an L2 are too fast then: each
  leaves for its next run when it is done, and until the others follow it does not meet them. XCDs
  that execute as much are taken to need as long, which they do not where their addresses meet in
  other sets.
* Timestamps of a kernel that finds its queue idle hold 0.95 us of launching and ending, those of
  one that waited for another kernel 3 us more, as public traces of MI300X show it. What makes that
  up is not modelled, nor are the scopes of fences. Short kernels of an MI300A (shallow water: 5.2,
  9.5 and 20.9 us) come out a tenth to a half shorter.
* Not decided by the model: whether products of 16x16 beat those of 32x32, which have the same rate.
  The vendor's advice rests on the power they take, and the model has one clock; what is left is the
  end of a loop, which two short products hide less well than one long one. A gather that reads a
  line per lane is at the limit of the Infinity Cache with few waves already; more of them gain
  nothing.
* Waves issue by priority (`s_setprio`), then oldest first; where only the first part of long waves
  is followed they take turns.
* Infinity Cache contents are kept by page of 4 KiB, not by line; HBM is a latency and a rate,
  without banks, refresh or pages that are open.
* Address translation is a first touch, two reaches (16 MB, and 256 MB for loads that go from page
  to page), and 32 pages of each CU; the real one has more levels.
* Atomics are ordered by line for the whole chip, at the rate of system scope on one address, which
  is published; whether those of device scope are as slow is not known.
* Waves that wait for what others store go on when that can be there at the earliest: the clock
  follows the order in which the host executed, over the least times of their own instructions and
  the ways between them (`hand_over_*`, derived from latencies of loads, because no measured hop is
  public). How other work slows them down in between is not part of that. Who draws a number by an
  atomic waits for nobody.
* A kernel gets what kernels submitted before it leave free of CUs, memory, matrix cores and so on;
  those before it do not become slower. Streams share four hardware queues of their device
  (`GPU_MAX_HW_QUEUES`); a stream that waits for an event does not hold up others of its hardware
  queue. Kernels of several streams share the links; copies share none with each other or kernels.
* Kernels reach the memory of the host and of other devices over links (`host_link_*`,
  `peer_link_*`), each direction for itself, behind one latency for each (`host_memory_latency`,
  `peer_memory_latency`, which is not measured). The L2 keeps nothing of the host's memory; other
  devices' lines it keeps until the kernel ends. Scalar loads from the host cost latency only.
* Managed memory stays with the host, as on a device without XNACK, until it is prefetched
  (`hipMemPrefetchAsync`); pages never move by themselves, and other advice changes no time.
* Figures of chips with fewer CUs need not hold. An MI308X (80 CUs of 1.42 GHz) reads pieces of 64
  bytes in 16 rows at 0.45 of the speed of whole rows, and at 0.28 with lanes in the order of matrix
  operands: at 4 TB/s its CUs move 35 bytes per cycle each and have no time for the translations and
  tags of 16 rows. The 304 CUs here move 7, and the pieces come at 0.92.
* Clocks inside a kernel (`clock64`, `s_memtime`) do not follow this model.
"""
