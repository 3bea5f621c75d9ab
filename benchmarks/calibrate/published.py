"""Timings that others published of programs like ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.calibrate.limits import Group, Kind
from benchmarks.calibrate.program import Bench, Launch, by_name, marginal_rate
from benchmarks.calibrate.quantity import Quantity, Section, figure
from rocm_perf_lab.arch.model import load_timing_model

TITLE = "Published timings"
RRZE = "RRZE-HPC/gpu-benches"
STREAMS = f"{RRZE}, gpu-stream/mi300x.txt, MI300X"
CACHED = f"{RRZE}, gpu-l2-stream/mi300x.txt, MI300X"
SMALL = f"{RRZE}, gpu-small-kernels/mi210.txt, MI210"
WATER = "amd/HPCTrainingExamples, Profiling-by-example/shallow-water/novice/0_baseline, MI300A"
PATTERNS = "tingqli/pyhip, archive/mem-bw, MI308X"
BANKS = "tingqli/pyhip, archive/bank-conflict, MI308X"
ATOMICS = "HussamAlBasha/mi300a-benchmarks-fork (IISWC 2025), atomics/gpu-u64-s0.dat, MI300A"
LAPLACIAN = "amd/amd-lab-notes, finite-difference/docs/Laplacian_Part3.md, MI250X"

GB_PER_S = {
    "published_streams": {
        f"{kernel}_{threads}": (f"{what}, 2 x {threads} threads", rate, STREAMS)
        for kernel, what, rates in (
            ("store", "store", (1030, 1948, 3377, 4319, 4801)),
            ("stencil", "3-point stencil", (824, 1451, 2432, 3469, 4146)),
        )
        for threads, rate in zip((64, 128, 256, 512, 1024), rates)
    },
    "published_cached_streams": {
        **{
            f"{way}_l2_{threads}": (f"{way} in L2, 2 x {threads} threads", rate, CACHED)
            for way, rates in (
                ("read", (1066, 3965, 6991, 7866)),
                ("write", (1013, 3688, 6225, 7830)),
            )
            for threads, rate in zip((64, 256, 512, 1024), rates)
        },
        **{
            f"{way}_{size}kB": (f"{way} in {size} kB", rate, CACHED)
            for size, rates in ((57407, (5484, 5264)), (13375, (7824, 7708)))
            for way, rate in zip(("read", "write"), rates)
        },
    },
}
DURATIONS_NS = {
    "published_small_kernels": {
        "scale_4096": ("scaling of 64 kB", 2100, SMALL),
        "scale_16350": ("scaling of 255 kB", 2120, SMALL),
        "scale_65320": ("scaling of 1020 kB", 2450, SMALL),
    },
    "published_shallow_water": {
        "edges": ("shallow water: edges", 5196, WATER),
        "slopes": ("shallow water: slopes", 7978, WATER),
        "stage": ("shallow water: stage", 9494, WATER),
        "update": ("shallow water: update", 20870, WATER),
    },
}
# Kernel -> what, TB/s; that of whole rows is what the others are divided by.
WHOLE_ROWS_TB_PER_S = 4.0
PATTERN_TB_PER_S = {
    "rows_4": ("4 rows of 256 B", 3.8),
    "rows_8": ("8 rows of 128 B", 3.5),
    "rows_16": ("16 rows of 64 B", 1.8),
    "rows_16_matrix": ("16 rows of 64 B, lanes as for MFMA", 1.1),
}
# Microseconds of 160,000 reads by 16 waves. Those with all lanes in one bank take 64 cycles each,
# which gives the clock.
CONFLICT_FREE, ONE_BANK, ONE_BANK_CYCLES = 33, 32, 64
STRIDE_US = {2: 474.4, 8: 1805.6, 32: 7196.0, 33: 357.5}
WAVES_OF_LDS = 16
ADDITIONS_PER_NS = {1: 0.00272, 64: 0.0926, 256: 0.111, 14592: 0.1121}
LAPLACIAN_GAIN = {1: 1.20, 4: 1.34, 8: 1.39}

# What constants of the model were taken from or fitted to: these are inputs, not predictions.
SOURCES_OF_CONSTANTS = (
    PATTERNS,  # translation_miss_cycles
    BANKS,  # lds_efficiency: conflicts come without its loss
    ATOMICS,  # atomic_same_line_cycles
    SMALL,  # launch_ns, retire_ns
)
FIGURES_OF_CONSTANTS = (
    "store, 2 x 64 threads",  # group_launch_cycles
    "store, 2 x 128 threads",
    "store, 2 x 1024 threads",  # memory_write_bytes_per_ns
    "read in L2, 2 x 1024 threads",  # wave_launch_cycles
)

FEW_WAVES = (
    "how long a slot of a CU stays taken behind the last store of a workgroup is not known; with "
    "few waves per CU it decides"
)
OTHER_CHIP = (
    "launches of an MI210 stand in for those of an MI300X, whose traces show none in a busy queue "
    "below 3.9 us"
)
SHORT_KERNELS = (
    "an MI300A has three quarters of the CUs and less bandwidth: with 2048 x 2048 cells its "
    "kernels take 1.5 to 1.6 times as long as here, all of them; why the short ones take longer "
    "still is not known"
)
FEWER_UNITS = (
    "80 CUs at 4 TB/s have no time for the translations and tags of 16 rows; 304 have, and an "
    "MI300X need not behave like the published MI308X"
)
ONE_ADDRESS = (
    "a lone wave that executes 119 instructions between two additions; which ones the published "
    "program had is not known"
)
REASONS = {
    STREAMS: FEW_WAVES, CACHED: FEW_WAVES, SMALL: OTHER_CHIP, WATER: SHORT_KERNELS,
    PATTERNS: FEWER_UNITS, ATOMICS: ONE_ADDRESS,
}  # fmt: skip


@dataclass(frozen=True)
class Runs:
    """Launches of one program, by name."""

    launches: Mapping[str, Sequence[Launch]]

    def last_ns(self, name: str) -> float:
        return self.launches[name][-1].duration_ns

    def rate(self, name: str) -> float:
        return self.launches[name][-1].work / self.last_ns(name)

    def marginal(self, name: str) -> float:
        return marginal_rate(self.launches[name])


def section(bench: Bench) -> Section:
    rows = [
        *_bandwidths(bench),
        *_durations(bench),
        *_patterns(_runs(bench, "published_read_patterns")),
        *_strides(_runs(bench, "published_lds_strides")),
        *_atomics(_runs(bench, "published_atomics")),
        *_laplacian(_runs(bench, "published_laplacian")),
    ]
    return Section(TITLE, TEXT, rows)


def _runs(bench: Bench, program: str) -> Runs:
    return Runs(by_name(bench.run(program)))


def _row(name: str, unit: str, published: float, modelled: float, source: str) -> Quantity:
    used = source in SOURCES_OF_CONSTANTS or name in FIGURES_OF_CONSTANTS
    group = Group.REPRODUCED if used else Group.PREDICTED
    return Quantity(
        name, unit, figure(published, source), modelled, group, Kind.TIMING,
        reason=REASONS.get(source, ""),
    )  # fmt: skip


def _bandwidths(bench: Bench) -> list[Quantity]:
    return [
        _row(what, "GB/s", rate, runs.rate(name), source)
        for program, kernels in GB_PER_S.items()
        for runs in [_runs(bench, program)]
        for name, (what, rate, source) in kernels.items()
    ]


def _durations(bench: Bench) -> list[Quantity]:
    return [
        _row(what, "ns", duration, runs.last_ns(name), source)
        for program, kernels in DURATIONS_NS.items()
        for runs in [_runs(bench, program)]
        for name, (what, duration, source) in kernels.items()
    ]


def _patterns(runs: Runs) -> list[Quantity]:
    return [
        _row(f"{what} / whole rows, bandwidth", "", rate / WHOLE_ROWS_TB_PER_S,
             runs.rate(name) / runs.rate("rows_1"), PATTERNS)
        for name, (what, rate) in PATTERN_TB_PER_S.items()
    ]  # fmt: skip


def _strides(runs: Runs) -> list[Quantity]:
    clock = load_timing_model().value("clock_ghz")
    free_us = STRIDE_US[CONFLICT_FREE]
    free_ns = 1 / runs.marginal(f"stride_{CONFLICT_FREE}")
    rows = []
    for stride, us in STRIDE_US.items():
        ns = 1 / runs.marginal(f"stride_{stride}")
        what = "conflict-free" if stride == CONFLICT_FREE else f"stride {stride}"
        if stride != CONFLICT_FREE:
            rows.append(_row(f"LDS {what} / conflict-free, time", "", us / free_us,
                             ns / free_ns, BANKS))  # fmt: skip
        rows.append(_row(f"LDS {what}, per read and CU", "cycles",
                         ONE_BANK_CYCLES * us / STRIDE_US[ONE_BANK], ns / WAVES_OF_LDS * clock,
                         BANKS))  # fmt: skip
    return rows


def _atomics(runs: Runs) -> list[Quantity]:
    return [
        _row(f"u64 additions to one address, lanes: {lanes}", "1/ns", rate,
             runs.marginal(f"lanes_{lanes}"), ATOMICS)
        for lanes, rate in ADDITIONS_PER_NS.items()
    ]  # fmt: skip


def _laplacian(runs: Runs) -> list[Quantity]:
    return [
        _row(f"Laplacian, plain / points per lane: {points}, time", "", gain,
             runs.last_ns("plain") / runs.last_ns(f"column_{points}"), LAPLACIAN)
        for points, gain in LAPLACIAN_GAIN.items()
    ]  # fmt: skip


TEXT = (
    "Programs written for the same question as the published ones. Of other chips than an MI300X "
    "a figure "
    "is comparable as far as the limit is the same: an MI300A has 228 CUs, an MI308X 80 and "
    "another clock, which is why its times are turned into cycles or ratios; of an MI250X ratios "
    "only. The MI210's launches stand in for those of an MI300X, which nobody published. Where a "
    "constant of the model has a figure, or its source, as its own source, the figure is an input."
)
