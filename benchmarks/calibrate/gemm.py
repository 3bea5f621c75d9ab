"""Two recorded batched products of bfloat16 matrices whose geometry we rebuild."""

from __future__ import annotations

from statistics import median

from benchmarks.calibrate.program import Bench, by_name
from benchmarks.calibrate.quantity import EXACT, Published, Quantity, Section, figure
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
CACHES_ALLOWED = 0.15
MOPS = ("SQ_INSTS_VALU_MFMA_MOPS_BF16", 4194304)
DURATION_ALLOWED = 0.25


def section(bench: Bench) -> tuple[Section, Ranked]:
    launches = by_name(bench.run("batched_gemm", counters=True))
    rows = []
    times = {}
    for name, expected in COUNTERS.items():
        counters = launches[name][-1].counters
        for counter, value in {**expected, MOPS[0]: MOPS[1]}.items():
            rows.append(
                Quantity(
                    f"{name}: {counter}", "", figure(value, RECORDED), counters[counter], EXACT
                )
            )
        for counter, (low, high) in CACHES[name].items():
            published = Published(low, high, RECORDED)
            rows.append(
                Quantity(f"{name}: {counter}", "", published, counters[counter], CACHES_ALLOWED)
            )
        times[name] = median(launch.duration_ns for launch in launches[name])
        recorded = DURATIONS_NS[name]
        rows.append(
            Quantity(f"{name}: duration, median", "ns", figure(recorded, RECORDED), times[name],
                     DURATION_ALLOWED)
        )  # fmt: skip
    ranked = Ranked(GEMM_PAIR, times[GEMM_PAIR.loser] / 1000, times[GEMM_PAIR.winner] / 1000)
    return Section("Batched GEMM", TEXT, rows), ranked


TEXT = (
    "m 128, n 512, k 128, batch 128. Our kernels have the recorded grids, workgroups, LDS sizes, "
    "matrix instructions, loads, stores and LDS accesses (the first loads each tile twice, as the "
    "recorded one does); other instructions and waits are the compiler's. How often a vector cache "
    "still has a line depends on which of several workgroups is ahead, which the counting does not "
    "know: its workgroups take turns. No constant names these durations as its source."
)
