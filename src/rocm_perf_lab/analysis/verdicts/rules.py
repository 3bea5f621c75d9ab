"""Which numbers make which bottleneck: one table, tried from top to bottom.

The first rule whose conditions all hold names the bottleneck. A rule with an unknown number does
not hold. ``strength`` never grows downwards, so that a verdict from fewer numbers is never surer.
Roofs come first: whoever is near one has no other bottleneck. What a device fills badly comes
next, then what it waits for. The last rules work without counters.
"""

from __future__ import annotations

from dataclasses import dataclass

MEMORY_BANDWIDTH = "memory-bandwidth bound"
LATENCY = "latency bound"
UNDER_OCCUPIED = "under-occupied"
DIVERGENCE = "divergence limited"
COMPUTE = "compute-throughput limited"
LDS = "LDS limited"
LAUNCH = "launch bound"
ATOMIC = "atomic bound"
IMBALANCE = "unevenly loaded"
COLLECTIVE = "waiting for other GPUs"
LABELS = (
    MEMORY_BANDWIDTH,
    LATENCY,
    UNDER_OCCUPIED,
    DIVERGENCE,
    COMPUTE,
    LDS,
    LAUNCH,
    ATOMIC,
    IMBALANCE,
    COLLECTIVE,
)


@dataclass(frozen=True)
class Condition:
    """``metric`` at or above the threshold, or below it."""

    metric: str
    threshold: float
    below: bool = False

    def holds(self, value: float) -> bool:
        return value < self.threshold if self.below else value >= self.threshold

    def nearness(self, value: float) -> float:
        """1 where it holds, else how much of the way there: in [0, 1)."""
        if self.holds(value):
            return 1.0
        if self.below:
            return self.threshold / value if value > self.threshold else 0.999
        return max(0.0, value / self.threshold)


@dataclass(frozen=True)
class Rule:
    label: str
    strength: float
    conditions: tuple[Condition, ...]
    because: str


def at_least(metric: str, threshold: float) -> Condition:
    return Condition(metric, threshold)


def below(metric: str, threshold: float) -> Condition:
    return Condition(metric, threshold, below=True)


# Near a roof, as shares of the data sheet. Measured on MI300X: copies and reads reach 75 to 80 % of
# the bandwidth of HBM; benchmarks of nothing but matrix instructions 40 to 85 % of their peak, by
# type, and a tuned BF16 product 58 %.
NEAR_ROOF = 0.6
NEAR_MATRIX_PEAK = 0.5
# A roof that was measured on the device is what its best kernels reach.
NEAR_MEASURED_ROOF = 0.85
WAITS = 0.5  # waves wait for more than half of their life
SMALL_GRID = below("workgroups_per_cu", 0.75)
ONE_WAVE = below("waves", 2.0)
# Of even work, recorded on MI300X: kernels of 5 to 18 us have 47 to 72 %, one of 25 us has 30 %:
# up to 18 us of a launch can pass on an idle device while counters are read. So neither decides
# about short kernels.
MOSTLY_IDLE = 0.4
LONG_US = 50.0
LARGE_GRID = at_least("workgroups_per_cu", 0.75)
ONE_ADDRESS = at_least("one_address", 0.5)
SHORT_US = 20.0  # a launch that short is not worth its launching calls

RULES = (
    Rule(
        COLLECTIVE,
        0.9,
        (at_least("collective", 0.5),),
        "a collective ends when the last GPU has brought its part: its time is mostly waiting",
    ),
    Rule(
        LAUNCH,
        0.9,
        (at_least("launch_share", 0.5), below("mean_time", SHORT_US)),
        "launching short kernels takes longer than running them",
    ),
    Rule(
        LAUNCH,
        0.9,
        (at_least("launch_floor", 0.5),),
        "it takes hardly longer than a kernel that does nothing",
    ),
    Rule(
        MEMORY_BANDWIDTH,
        0.9,
        (at_least("memory_reached", NEAR_ROOF),),
        "the memory system delivers nearly what it can",
    ),
    Rule(
        MEMORY_BANDWIDTH,
        0.9,
        (at_least("memory_of_measured", NEAR_MEASURED_ROOF),),
        "the memory system delivers nearly what was measured on this device",
    ),
    Rule(
        COMPUTE,
        0.9,
        (at_least("matrix_busy", NEAR_MATRIX_PEAK),),
        "the matrix units are nearly always at work",
    ),
    Rule(
        DIVERGENCE,
        0.9,
        (at_least("vector_busy", 0.4), below("lanes_active", 0.75)),
        "the vector units work, but for lanes that are switched off",
    ),
    Rule(
        COMPUTE,
        0.9,
        (at_least("vector_busy", NEAR_ROOF),),
        "the vector units are nearly always at work",
    ),
    Rule(
        COMPUTE,
        0.9,
        (at_least("compute_reached", NEAR_ROOF),),
        "the operations are made nearly as fast as the device can",
    ),
    Rule(
        COMPUTE,
        0.9,
        (at_least("compute_of_measured", NEAR_MEASURED_ROOF),),
        "the operations are made nearly as fast as was measured on this device",
    ),
    Rule(
        LDS,
        0.9,
        (at_least("lds_busy", 0.3), at_least("lds_conflicts", 0.5)),
        "bank conflicts keep the LDS busy",
    ),
    Rule(
        LDS,
        0.9,
        (at_least("lds_busy", NEAR_ROOF),),
        "the LDS is nearly always at work",
    ),
    Rule(
        ATOMIC,
        0.9,
        (at_least("atomic_share", 0.3), below("vector_busy", 0.4)),
        "atomics queue up in L2 while the vector units have nothing to do",
    ),
    Rule(
        ATOMIC,
        0.9,
        (ONE_ADDRESS, at_least("wait_share", WAITS), below("vector_busy", 0.4)),
        "atomics come as fast as one address can take them",
    ),
    Rule(
        IMBALANCE,
        0.9,
        (LARGE_GRID, below("cus_busy", MOSTLY_IDLE), at_least("mean_time", LONG_US)),
        "there is work for all compute units, but most of them are done long before the last",
    ),
    Rule(
        IMBALANCE,
        0.9,
        (below("round_fill", 0.7), below("cus_busy", 0.8), at_least("mean_time", LONG_US)),
        "the last round of workgroups leaves most of the compute units without work",
    ),
    Rule(
        LATENCY,
        0.9,
        (ONE_WAVE, at_least("wait_share", WAITS)),
        "a single wave runs, and it waits: each step needs the one before",
    ),
    Rule(
        UNDER_OCCUPIED,
        0.9,
        (SMALL_GRID,),
        "the grid is too small: a quarter of the compute units or more get no work at all",
    ),
    Rule(
        UNDER_OCCUPIED,
        0.9,
        (below("occupancy_limit", 0.25), at_least("wait_share", WAITS)),
        "waves wait, and registers or LDS leave no room for others that could work meanwhile",
    ),
    Rule(
        LATENCY,
        0.8,
        (at_least("wait_share", WAITS),),
        "waves wait most of the time although no unit and no roof is busy",
    ),
    Rule(
        LATENCY,
        0.6,
        (at_least("trace_waits", WAITS),),
        "the traced waves wait most of the time",
    ),
    Rule(
        LATENCY,
        0.6,
        (below("memory_reached", NEAR_ROOF), below("vector_busy", NEAR_ROOF)),
        "neither a roof is near nor a unit busy: instructions wait for each other",
    ),
    Rule(
        UNDER_OCCUPIED,
        0.5,
        (below("occupancy_limit", 0.25),),
        "registers or LDS leave room for few waves",
    ),
)
