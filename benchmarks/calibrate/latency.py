"""The staircase of load latencies: a pointer chase through arrays of growing size."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.calibrate.limits import Group, Kind
from benchmarks.calibrate.program import Bench, by_name, marginal_rate
from benchmarks.calibrate.quantity import Published, Quantity, Section
from rocm_perf_lab.arch.model import load_timing_model

CHASES = "RRZE gpu-benches, an SC25 artifact, a cache study"
MT4G = "mt4g report of an MI300X"
MIB, GIB = 1024, 1024 * 1024  # sizes are in KiB
SIZES = (
    4, 8, 16, 32, 64, 128, 512, 1 * MIB, 2 * MIB, 3 * MIB, 4 * MIB, 6 * MIB, 8 * MIB, 16 * MIB,
    32 * MIB, 66 * MIB, 128 * MIB, 184 * MIB, 256 * MIB, 278 * MIB, 478 * MIB, GIB,
)  # fmt: skip
# Published plateaus and single points: size in KiB -> cycles.
PUBLISHED = {
    16: Published(112, 119, CHASES),
    1 * MIB: Published(207, 214, CHASES),
    8 * MIB: Published(418, 418, CHASES),
    66 * MIB: Published(450, 450, CHASES),
    184 * MIB: Published(513, 513, CHASES),
    278 * MIB: Published(832, 832, CHASES),
    478 * MIB: Published(878, 878, CHASES),
}


def staircase(bench: Bench, sizes: tuple[int, ...] = SIZES) -> dict[int, float]:
    """Size in KiB -> cycles of one load."""
    clock = load_timing_model().value("clock_ghz")
    groups = by_name(bench.run("pointer_chase", *sizes))
    return {size: clock / marginal_rate(groups[f"chase_{size}"]) for size in sizes}


def near_latencies(bench: Bench) -> dict[str, float]:
    clock = load_timing_model().value("clock_ghz")
    groups = by_name(bench.run("near_latency"))
    return {name: clock / marginal_rate(launches) for name, launches in groups.items()}


def plateaus(steps: Mapping[int, float]) -> list[Quantity]:
    """The published sizes among those that were measured."""
    return [
        _reproduced(f"load, {size_text(size)}", published, steps[size])
        for size, published in PUBLISHED.items()
        if size in steps
    ]


def section(bench: Bench, steps: Mapping[int, float]) -> Section:
    near = near_latencies(bench)
    lds = Published(51.3, 52, f"{MT4G}, pyhip")
    rows = [
        *plateaus(steps),
        _reproduced("LDS, 4 bytes per lane", lds, near["chase_lds"]),
        _reproduced("scalar cache hit", Published(48, 48, MT4G), near["chase_scalar"]),
    ]
    return Section("Latency", TEXT, rows)


def _reproduced(name: str, published: Published, cycles: float) -> Quantity:
    return Quantity(name, "cycles", published, cycles, Group.REPRODUCED, Kind.LATENCY)


def size_text(kibibytes: int) -> str:
    if kibibytes % GIB == 0:
        return f"{kibibytes // GIB} GB"
    return f"{kibibytes // MIB} MB" if kibibytes >= MIB else f"{kibibytes} KB"


TEXT = (
    "One wave follows a random cycle through an array, one node in each line of 128 bytes. Cycles "
    "of 2.1 GHz, from the difference of two launches that go on along the cycle."
)
