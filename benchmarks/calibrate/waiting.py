"""Counters of what waits, and how long, in the caches and on the way to memory."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.calibrate import gemm, veccopy
from benchmarks.calibrate.limits import Group, Kind
from benchmarks.calibrate.program import Bench, Launch, by_name
from benchmarks.calibrate.quantity import Published, Quantity, Section, figure

RECORDED_FILL = "fill of 16 MiB by the HIP runtime, recorded beside the batched GEMM variants"

# Ranges are those of the recorded dispatches of the copy; fill and products: medians of 150.
COLD_COPY = {
    "TCC_EA0_RDREQ_LEVEL": (8.57e7, 8.78e7),
    "TCP_PENDING_STALL_CYCLES": (1.11e6, 1.24e6),
    "TCP_GATE_EN2": (1.52e6, 1.73e6),
    "TD_TD_BUSY": (1.49e6, 1.71e6),
    "TD_TC_STALL": (1.18e6, 1.40e6),
    "TCP_UTCL1_TRANSLATION_MISS": (2228, 2320),
}
WARM_COPY = {
    "TCC_EA0_RDREQ_LEVEL": (3.60e7, 4.28e7),
    "TCC_EA0_WRREQ_LEVEL": (4.25e7, 5.60e7),
    "TCP_PENDING_STALL_CYCLES": (6.15e5, 9.37e5),
    "TCP_GATE_EN1": (5.36e6, 1.11e7),
    "TCP_GATE_EN2": (1.07e6, 1.17e6),
    "TD_TD_BUSY": (1.04e6, 1.14e6),
    "TD_TC_STALL": (7.37e5, 8.40e5),
    "TA_TA_BUSY": (8.18e5, 8.82e5),
    "TA_ADDR_STALLED_BY_TC_CYCLES": (4.75e4, 7.37e4),
    "TA_DATA_STALLED_BY_TC_CYCLES": (1.89e5, 2.38e5),
    "TCC_EA0_WRREQ_STALL": (6.16e4, 1.75e5),
    "TCC_TAG_STALL": (0, 0),
    "TCP_TCR_TCP_STALL_CYCLES": (0, 0),
}
FILL = {
    "TCC_EA0_WRREQ_LEVEL": (1.107e8, 1.107e8),
    "TCP_PENDING_STALL_CYCLES": (9.86e5, 9.86e5),
    "TCP_GATE_EN1": (2.41e6, 2.41e6),
    "TCP_GATE_EN2": (1.042e6, 1.042e6),
    "TD_TD_BUSY": (1.021e6, 1.021e6),
    "TD_TC_STALL": (9.97e5, 9.97e5),
    "TA_TA_BUSY": (5.49e5, 5.49e5),
    "TCP_TCR_TCP_STALL_CYCLES": (4.26e5, 4.26e5),
    "TA_DATA_STALLED_BY_TC_CYCLES": (1.30e5, 7.10e5),
}
PRODUCTS = {
    "gemm_64x64x8": {
        "TCC_EA0_RDREQ_LEVEL": (2.671e8, 2.671e8),
        "TCC_EA0_WRREQ_LEVEL": (6.64e7, 6.64e7),
        "TCP_PENDING_STALL_CYCLES": (4.31e6, 4.31e6),
        "TCP_GATE_EN1": (1.726e7, 1.726e7),
        "TCP_GATE_EN2": (1.525e7, 1.525e7),
        "TD_TD_BUSY": (1.516e7, 1.516e7),
        "TD_TC_STALL": (1.006e7, 1.006e7),
        "TA_TA_BUSY": (1.376e7, 1.376e7),
        "TA_ADDR_STALLED_BY_TC_CYCLES": (7.76e6, 7.76e6),
        "TA_DATA_STALLED_BY_TC_CYCLES": (1.47e6, 1.47e6),
        "TCP_TCR_TCP_STALL_CYCLES": (6.67e4, 6.67e4),
    },
    "gemm_128x128x16": {
        "TCC_EA0_RDREQ_LEVEL": (1.904e8, 1.904e8),
        "TCP_PENDING_STALL_CYCLES": (4.44e6, 4.44e6),
        "TCP_GATE_EN1": (9.18e6, 9.18e6),
        "TCP_GATE_EN2": (6.42e6, 6.42e6),
        "TD_TD_BUSY": (6.30e6, 6.30e6),
        "TD_TC_STALL": (5.28e6, 5.28e6),
        "TA_TA_BUSY": (4.63e6, 4.63e6),
        "TCC_EA0_WRREQ_LEVEL": (6.07e7, 6.07e7),
        "TA_ADDR_STALLED_BY_TC_CYCLES": (2.32e6, 2.32e6),
        "TA_DATA_STALLED_BY_TC_CYCLES": (3.10e5, 3.10e5),
        "TCP_TCR_TCP_STALL_CYCLES": (1.12e5, 1.12e5),
    },
}
SCALAR_LATENCY = {"gemm_64x64x8": 355, "gemm_128x128x16": 445}


REASONS = {
    "TA_ADDR_STALLED_BY_TC_CYCLES": "which of two full queues is blamed for the wait is a guess",
    "TA_DATA_STALLED_BY_TC_CYCLES": "which of two full queues is blamed for the wait is a guess",
    "TCC_EA0_WRREQ_STALL": "the L2 writes evicted lines in bursts; the model has no such bursts",
    "TCC_EA0_WRREQ_LEVEL": "the model's L2 writes lines back late, all of them at the end",
    "TCP_TCR_TCP_STALL_CYCLES": "stores at the end of long waves are not followed",
    "SQ_INST_LEVEL_SMEM": "waves that begin together miss the scalar cache together on the chip; "
    "the model has one miss and hits",
}  # fmt: skip


def section(bench: Bench) -> Section:
    copies = bench.run("vec_copy", counters=True, variables=veccopy.RUNTIME)
    fills = bench.run("fill", counters=True)
    products = by_name(bench.run("batched_gemm", counters=True))
    return Section(
        "Waiting",
        TEXT,
        [
            *_rows("copy, cold", copies[0], COLD_COPY, veccopy.RECORDED, Group.REPRODUCED),
            *_rows("copy", copies[-1], WARM_COPY, veccopy.RECORDED, Group.REPRODUCED),
            *_rows("fill", fills[-1], FILL, RECORDED_FILL, Group.REPRODUCED),
            Quantity("fill: duration", "ns", figure(5514, RECORDED_FILL),
                     fills[-1].duration_ns, Group.REPRODUCED, Kind.DURATION),
            *(row for name in PRODUCTS for row in _product(name, products[name][-1])),
        ],
    )  # fmt: skip


def _product(name: str, launch: Launch) -> list[Quantity]:
    counters = launch.counters
    scalar_latency = counters["accumulate(SQ_INST_LEVEL_SMEM)"] / counters["SQ_INSTS_SMEM"]
    return [
        *_rows(name, launch, PRODUCTS[name], gemm.RECORDED, Group.PREDICTED),
        Quantity(f"{name}: accumulated SQ_INST_LEVEL_SMEM / SQ_INSTS_SMEM", "cycles",
                 figure(SCALAR_LATENCY[name], gemm.RECORDED), scalar_latency, Group.PREDICTED,
                 Kind.LATENCY, reason=REASONS["SQ_INST_LEVEL_SMEM"]),
    ]  # fmt: skip


def _rows(
    what: str,
    launch: Launch,
    recorded: Mapping[str, tuple[float, float]],
    source: str,
    group: Group,
) -> list[Quantity]:
    return [
        Quantity(f"{what}: {name}", "", Published(low, high, source), launch.counters[name],
                 group, Kind.WAITING, reason=REASONS.get(name, ""),
                 counts_as=_same_time(what, launch.counters[name]))
        for name, (low, high) in recorded.items()
    ]  # fmt: skip


def _same_time(what: str, cycles: float) -> str:
    """Some counters are one time in the model, always (TD_TD_BUSY and TCP_GATE_EN2) or for a kernel
    that only stores. Zeros may have different causes."""
    return f"{what}: {cycles} cycles" if cycles else ""


TEXT = (
    "Cycles summed over CUs or L2 channels, from the simulation of one XCD. The copy is that of "
    "the first table, in its first launch, when nothing is in the Infinity Cache and no page is "
    "known, and in a later one. How many requests the fabric holds, and how long one may wait for "
    "the L2 before its CU does, was fitted to the copy and the fill. Counters that the model has "
    "as one time, and therefore with one value, count once and miss if one of them does. Of long "
    "waves parts are simulated: what they do once (stores at the end of the first product) may not "
    "be seen. Copies of the recorded "
    "runtime miss translations in every launch, those of ROCm 7 in the first one only, as here. "
    "Tag stalls of the cold copy (26,000 to 47,000 cycles in 128 channels) do not come out."
)
