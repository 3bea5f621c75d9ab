"""Pairs of kernels of which one is known to be faster on MI300-class hardware."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.calibrate.program import Bench

EXERCISES = "AMD's yAx exercises (amd/HPCTrainingExamples), MI300A"
GUIDELINES = "HIP documentation, performance guidelines"
OCCUPANCY = "rocprofiler-compute documentation, occupancy"
LEAST_RIGHT = 17  # what holds today


@dataclass(frozen=True)
class Pair:
    name: str
    loser: str
    winner: str
    what: str
    source: str
    recorded: str = ""  # times of loser and winner; empty where the winner is the vendor's advice


@dataclass(frozen=True)
class Ranked:
    pair: Pair
    loser_us: float
    winner_us: float

    @property
    def right(self) -> bool:
        return self.winner_us < self.loser_us

    @property
    def speed_up(self) -> float:
        return self.loser_us / self.winner_us


PAIRS = {
    "pair_yax": (
        Pair("launch", "4_waves", "2048_waves", "yAx: enough waves", EXERCISES, "541.3 -> 9.48 ms"),
        Pair("lds", "none", "full", "yAx: a quarter of x in all of the LDS", EXERCISES,
             "9.48 -> 7.24 ms"),
        Pair("lds", "full", "small", "yAx: a small LDS array", EXERCISES, "7.24 -> 5.77 ms"),
        Pair("registers", "many", "few", "yAx: fewer registers", EXERCISES, "10.06 -> 9.79 ms"),
        Pair("stride_small", "columns", "rows", "yAx: rows by threads, small matrix", EXERCISES,
             "12.10 -> 9.60 ms"),
        Pair("stride_large", "rows", "columns", "yAx: neighbours side by side, large matrix",
             EXERCISES, "312.9 -> 25.9 ms"),
    ),
    "pair_copy": (
        Pair("coalescing", "strided", "coalesced", "copy: coalesced", GUIDELINES),
        Pair("vector_grid", "scalar", "vector", "copy by a large grid: 16 bytes per lane",
             GUIDELINES),
        Pair("vector_few", "scalar", "vector", "copy by few waves: 16 bytes per lane", GUIDELINES),
    ),
    "pair_transpose": (
        Pair("transpose", "direct", "padded_tile", "transposition through the LDS",
             GUIDELINES),
        Pair("padding", "conflicts", "padded", "LDS tile with padded rows",
             "ROCm blog on LDS bank conflicts"),
    ),
    "pair_reduction": (
        Pair("reduction", "rolled", "unrolled", "reduction unrolled, ends inside a wave",
             "HIP documentation, reduction tutorial"),
    ),
    "pair_histogram": (
        Pair("atomics", "global", "private", "histogram in the LDS",
             "HIP documentation, atomics in shared memory"),
    ),
    "pair_gather": (
        Pair("gather", "limited", "free", "gather, a line per lane: more waves per CU", OCCUPANCY),
    ),
    "pair_occupancy": (
        Pair("occupancy", "limited", "free", "links, a line per wave: more waves per CU",
             OCCUPANCY),
    ),
    "pair_matrix": (
        Pair("matrix_rate", "blocks", "one_block", "FP16 MFMA without blocks",
             "AMD matrix instruction calculator, CDNA 3"),
        Pair("matrix_shape", "32x32x8", "16x16x16", "FP16 MFMA of 16x16",
             "ROCm documentation, MI300X workload optimization: matrix_instr_nonkdim 16"),
        Pair("matrix_core", "packed_arithmetic", "matrix", "FP16 on the matrix core",
             "CDNA 3 white paper"),
    ),
}  # fmt: skip
GEMM_PAIR = Pair(
    "gemm", "gemm_64x64x8", "gemm_128x128x16", "bf16 product in larger tiles, two buffers",
    "recorded batched GEMM variants, MI300X", "28.9 -> 20.1 us",
)  # fmt: skip


def ranked(bench: Bench, programs: Iterable[str] = tuple(PAIRS)) -> list[Ranked]:
    results = []
    for program in programs:
        times = {launch.name: launch.duration_ns / 1000 for launch in bench.run(program)}
        for pair in PAIRS[program]:
            loser, winner = (times[f"{pair.name}:{v}"] for v in (pair.loser, pair.winner))
            results.append(Ranked(pair, loser, winner))
    return results


def right(results: Sequence[Ranked]) -> int:
    return sum(result.right for result in results)


def recorded(results: Sequence[Ranked]) -> list[Ranked]:
    return [result for result in results if result.pair.recorded]
