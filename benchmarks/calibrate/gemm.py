"""Two recorded batched products of bfloat16 matrices whose geometry we rebuild."""

from __future__ import annotations

from statistics import median

from benchmarks.calibrate.limits import Group, Kind
from benchmarks.calibrate.program import Bench, Launch, by_name
from benchmarks.calibrate.quantity import Published, Quantity, Section, figure
from benchmarks.calibrate.ranking import GEMM_PAIR, Ranked

RECORDED = "recorded batched GEMM variants, MI300X"
DURATIONS_NS = {"gemm_64x64x8": 28900, "gemm_128x128x16": 20081}
# What the geometry, the loads and the stores decide: bmm1 | bmm3.
COUNTERS = {
    "gemm_64x64x8": {
        "SQ_WAVES": 8192,
        "SQ_INSTS_MFMA": 131072,
        "SQ_INSTS_VMEM": 786432,
        "SQ_INSTS_LDS": 524288,
        "SQ_LDS_IDX_ACTIVE": 4194304,
        "SQ_LDS_BANK_CONFLICT": 2097152,
        "TCP_TOTAL_ACCESSES": 18874368,
        "TCP_TOTAL_CACHE_ACCESSES": 11010048,
        "TCP_READ_TAGCONFLICT_STALL_CYCLES": 2097152,
        "TCP_UTCL1_REQUEST": 6815744,
        "TCP_TCC_WRITE_REQ": 262144,
    },
    "gemm_128x128x16": {
        "SQ_WAVES": 2048,
        "SQ_INSTS_MFMA": 131072,
        "SQ_INSTS_VMEM": 278528,
        "SQ_INSTS_LDS": 98304,
        "SQ_LDS_IDX_ACTIVE": 2621440,
        "SQ_LDS_BANK_CONFLICT": 1835008,
        "TCP_TOTAL_ACCESSES": 5242880,
        "TCP_TOTAL_CACHE_ACCESSES": 2097152,
        "TCP_READ_TAGCONFLICT_STALL_CYCLES": 262144,
        "TCP_UTCL1_REQUEST": 1572864,
        "TCP_TCC_WRITE_REQ": 262144,
    },
}
# What the caches make of it: least and most of 150 dispatches.
CACHES = {
    "gemm_64x64x8": {
        "TCP_TCC_READ_REQ": (1936752, 1960898),
        "TCC_HIT": (1667369, 1689623),
        "TCC_MISS": (540769, 542553),
        "TCC_EA0_RDREQ": (410507, 412200),
        "TCC_EA0_WRREQ": (262208, 262448),
    },
    "gemm_128x128x16": {
        "TCP_TCC_READ_REQ": (590496, 602304),
        "TCC_HIT": (453366, 464408),
        "TCC_MISS": (408982, 411244),
        "TCC_EA0_RDREQ": (282504, 285621),
        "TCC_EA0_WRREQ": (262613, 263660),
    },
}
MOPS = ("SQ_INSTS_VALU_MFMA_MOPS_BF16", 4194304)


def section(bench: Bench) -> tuple[Section, Ranked]:
    launches = by_name(bench.run("batched_gemm", counters=True))
    rows = []
    times = {}
    for name in COUNTERS:
        times[name] = median(launch.duration_ns for launch in launches[name])
        rows += [*_counts(name, launches[name][-1]), *_requests(name, launches[name][-1])]
        recorded = figure(DURATIONS_NS[name], RECORDED)
        rows.append(
            Quantity(f"{name}: duration, median", "ns", recorded, times[name], Group.PREDICTED,
                     Kind.DURATION)
        )  # fmt: skip
    ranked = Ranked(GEMM_PAIR, times[GEMM_PAIR.loser] / 1000, times[GEMM_PAIR.winner] / 1000)
    return Section("Batched GEMM", TEXT, rows), ranked


def _counts(name: str, launch: Launch) -> list[Quantity]:
    return [
        Quantity(f"{name}: {counter}", "", figure(value, RECORDED), launch.counters[counter],
                 Group.BY_CONSTRUCTION, Kind.COUNT)
        for counter, value in {**COUNTERS[name], MOPS[0]: MOPS[1]}.items()
    ]  # fmt: skip


def _requests(name: str, launch: Launch) -> list[Quantity]:
    return [
        Quantity(f"{name}: {counter}", "", Published(low, high, RECORDED),
                 launch.counters[counter], Group.PREDICTED, Kind.REQUESTS)
        for counter, (low, high) in CACHES[name].items()
    ]  # fmt: skip


TEXT = (
    "m 128, n 512, k 128, batch 128. Our kernels have the recorded grids, workgroups, LDS sizes, "
    "matrix instructions, loads, stores and LDS accesses (the first loads each tile twice, as the "
    "recorded one does); other instructions and waits are the compiler's. How often a vector cache "
    "still has a line depends on which of several workgroups is ahead, which the counting does not "
    "know: its workgroups take turns. No constant names these durations as its source."
)
