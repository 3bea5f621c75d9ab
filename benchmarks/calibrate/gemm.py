"""Two recorded batched products of bfloat16 matrices whose geometry we rebuild."""

from __future__ import annotations

from statistics import median

from benchmarks.calibrate.program import Bench, by_name
from benchmarks.calibrate.quantity import EXACT, Quantity, Section, figure
from benchmarks.calibrate.ranking import GEMM_PAIR, Ranked

RECORDED = "recorded batched GEMM variants, MI300X"
DURATIONS_NS = {"gemm_64x64x8": 28900, "gemm_128x128x16": 20081}
# Counters that the geometry decides: bmm1 | bmm3.
COUNTERS = {
    "gemm_64x64x8": {"SQ_WAVES": 8192, "SQ_INSTS_MFMA": 131072},
    "gemm_128x128x16": {"SQ_WAVES": 2048, "SQ_INSTS_MFMA": 131072, "SQ_INSTS_LDS": 98304},
}
MOPS = ("SQ_INSTS_VALU_MFMA_MOPS_BF16", 4194304)
WITHIN_FACTOR_2 = 0.5  # half the time; twice the time would be 1.0


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
        times[name] = median(launch.duration_ns for launch in launches[name])
        recorded = DURATIONS_NS[name]
        rows.append(
            Quantity(f"{name}: duration, median", "ns", figure(recorded, RECORDED), times[name],
                     WITHIN_FACTOR_2)
        )  # fmt: skip
    ranked = Ranked(GEMM_PAIR, times[GEMM_PAIR.loser] / 1000, times[GEMM_PAIR.winner] / 1000)
    return Section("Batched GEMM", TEXT, rows), ranked


TEXT = (
    "m 128, n 512, k 128, batch 128. Our kernels have the recorded grids, workgroups, LDS sizes "
    "and matrix instructions; their addresses and waits are the compiler's. No constant names "
    "these durations as its source."
)
