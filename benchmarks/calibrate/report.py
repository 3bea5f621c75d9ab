"""The calibration as text for a terminal, as docs/virtual-device.md for users of the device, and
with every figure as docs/virtual-device-figures.md with its two plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.calibrate import bandwidth, latency, published
from benchmarks.calibrate.limits import LIMITS, MEANING, Group, limit_text
from benchmarks.calibrate.plot import Curve, svg
from benchmarks.calibrate.quantity import Quantity, Section, score
from benchmarks.calibrate.ranking import LEAST_RIGHT, Ranked, recorded, right
from rocm_perf_lab.arch.fidelity import Fidelity, RecordedTable, Share, load_fidelity
from rocm_perf_lab.arch.model import load_timing_model

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "virtual-device.md"
FIGURES = DOCS / "virtual-device-figures.md"
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
    """How far to trust the device: what a user has to know."""
    return INTRODUCTION.format(
        summary=summary(calibration),
        groups=_groups(calibration),
        choices=choices(load_fidelity(), calibration.ranking),
    )


def figures(calibration: Calibration) -> str:
    """Every figure beside the published one, and the constants of the model."""
    blocks = [FIGURES_TEXT, LIMITS_TEXT + _limits_table(), _misses(calibration)]
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
    return "\n".join(blocks)


def choices(fidelity: Fidelity, ranking: Sequence[Ranked]) -> str:
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
        rows.append([table.kind, _right_in(table)])
    return _table(("choice", "how often it is right on a real chip"), rows)


def _right_in(table: RecordedTable) -> str:
    said = [f"{table.within_25_percent} of {table.rows} times within 25 %"]
    if table.rank_correlation is not None:
        said.append(f"rank correlation {table.rank_correlation:.2f} or more")
    if table.choice_median is not None:
        said.append(
            f"what is fastest here takes {table.choice_median:.2f} times the chip's fastest in the "
            f"median, {table.choice_worst:.2f} at worst"
        )
    return f"{'; '.join(said)} ({table.rows} of {table.of} configurations run)"


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
    FIGURES.write_text(figures(calibration), "utf-8")
    (DOCS / LATENCY_PLOT).write_text(svg(latency_curve(calibration.steps)), "utf-8")
    (DOCS / BANDWIDTH_PLOT).write_text(svg(bandwidth_curve(calibration.rates)), "utf-8")


def write_constants() -> None:
    """The constants of the model as they are now; all other tables stay."""
    before = FIGURES.read_text("utf-8").split(CONSTANTS_TEXT)[0]
    FIGURES.write_text(before + CONSTANTS_TEXT + _constants_table(), "utf-8")


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

The virtual device executes gfx942 code exactly: results, instruction counts and addresses are
those of a real MI300X. **Times come from a model.** It simulates what was executed: every
[wave](GLOSSARY.md) of a small dispatch; of a large one a sample, and each wave that is much
longer than the others.

## Is what is faster here also faster on a real MI300X?

{choices}
Trust a comparison if the difference is large and the limit is clear: bytes of large streams, bank
conflicts in the [LDS](GLOSSARY.md), matrix instructions, launches.

Run on a real GPU before you trust

* versions that differ by less than a quarter;
* kernels in which all CUs multiply matrices for long: the chip lowers its clock, the model does
  not;
* kernels that spill registers: the chip takes two to three times as long;
* kernels with few waves per CU, or that take less than about 10 us;
* atomics on few addresses.

`rocm-perf selftest --calibrate` compares times of benchmarks on your GPU with those of the
virtual device ([selftest.md](selftest.md)).

## How well it agrees with real chips

**{summary}.**

{groups}
Each published figure is in one group and has the limit of its class. It counts whether it holds
or not. [virtual-device-figures.md](virtual-device-figures.md) has every figure with its error,
the limits, what misses and why, and the constants of the model with their sources.

What that means:

* Counts of instructions, and of requests to the first cache, are exact. Requests to the caches
  and memory after it are close.
* The order of two versions is right if they differ by much. Their ratio is less accurate than
  their order.
* Latencies, bandwidths of large streams and instruction rates, each alone, are right because the
  model was made from them.
* The duration of other kernels is as good as the group "predicted" above; the table "Published
  timings" is the best guide.

## What the model leaves out

**Clock.** The chip lowers its clock when matrix cores, or HBM and FP32 units, are busy together
(1.0 to 1.5 GHz at 750 W). The model stays at 2.1 GHz. FP16 matrix products are 1.4 times too
fast, others up to twice. The model therefore cannot choose between matrix instructions of 16x16
and 32x32, which have the same rate and differ in power.

**Sampling.** Of a large dispatch three rounds of workgroups are simulated on one XCD: at the
beginning, in the middle and at the end. If all workgroups do the same, one shader engine is
simulated and the others repeat its memory requests. Long waves are simulated completely up to
four million steps in all (eight in a round that is followed by others); above that runs of 128
steps, at each place of the code. The errors are in `benchmarks/README.md`. Such waves are too
fast if they evict each other's lines or translations. XCDs that do the same kind
of work and execute as many instructions are assumed to take as long. If XCDs have different kinds
of work (by `blockIdx.x % 8`, say), the first workgroups of each are simulated to find the slowest
XCD, and counters of waiting are those of its workgroups. `VROCM_TIMING=full` simulates everything.

**Launches.** The timestamps of a kernel include 1.05 us for launch and end in an idle queue, and
3 us more if it waited for another kernel, as in public traces of MI300X. The parts of this time
and the scopes of fences are not modelled. Short kernels of an MI300A (5.2, 9.5 and 20.9 us) are
10 to 50 % too short.

**Scheduling.** Waves issue by priority (`s_setprio`), then oldest first. Where only the first
part of long waves is simulated they issue alternately.

**Caches and memory.** The Infinity Cache keeps pages of 4 KiB, not lines. HBM is a latency and a
rate, without banks, refresh or open pages. Address translation has a cost of the first touch, two
reaches (16 MB, and 256 MB for loads that jump from page to page) and 32 pages per CU; the chip
has more levels. How the chip spreads powers of two over the sets of its L2 is not known: with
rows of 512 KiB, waves on the same column use a quarter of the sets here and may use more on the
chip. A strided exercise with such rows became 12 times faster on an MI300A, six times with
`VROCM_TIMING=full`, and less than twice without. The instruction caches keep code that earlier
dispatches of the same queue executed, on every CU that had one of their workgroups; on a chip,
loading code empties them, and code of other queues is in them too.

**Atomics** are ordered by line for the whole chip, at the published rate of system scope on one
address. Whether device scope is as slow is not known.

**Waves that wait for each other** continue at the earliest possible time: in the order in which
the host executed them, after their own instructions and the latency between them (`hand_over_*`,
derived from load latencies). Other work does not slow this down. Atomics that draw a number do
not wait.

**Several kernels.** A kernel gets the CUs, memory bandwidth and matrix cores that earlier kernels
leave; those do not become slower. Streams share four hardware queues of their device
(`GPU_MAX_HW_QUEUES`). A stream that waits for an event does not block others of its queue.
Kernels share the links to the host; copies do not.

**Host and peer memory** is reached over links (`host_link_*`, `peer_link_*`) with one latency
each (`peer_memory_latency` is not measured). The L2 caches no host memory, and peer memory until
the kernel ends. Managed memory stays on the host until `hipMemPrefetchAsync`, as on a device
without XNACK.

**Other chips.** Figures of chips with fewer CUs may differ. On an MI308X (80 CUs, 1.42 GHz)
pieces of 64 bytes in 16 rows reach 0.45 of the bandwidth of whole rows, and 0.28 in the order of
matrix operands: 35 bytes per cycle and CU leave no time for translations and tags. The 304 CUs of
an MI300X move 7 bytes per cycle each, and the model reaches 0.92.

**Clocks inside a kernel** (`clock64`, `s_memtime`) do not follow this model.
"""

FIGURES_TEXT = """\
# Every figure of the virtual MI300X

Written by `python -m benchmarks.calibration --write`; do not edit.
[virtual-device.md](virtual-device.md) says how far to trust the device; this page has the figures
behind that.

The figures of the model are shown with recorded and published ones of real chips. If several
sources differ, the second column has their range, and the error is to its nearer end. The groups:

* **reproduced input**: constants of the model come from the figure, or were fitted to its kernel;
* **by construction**: follows from executing the code; figures that are equal by construction
  count once;
* **predicted**: no constant depends on it.

The terms are in the [glossary](GLOSSARY.md).
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
