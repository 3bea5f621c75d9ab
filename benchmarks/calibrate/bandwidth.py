"""Bandwidth: STREAM kernels out of HBM, and reads of regions that each level of memory holds."""

from __future__ import annotations

from benchmarks.calibrate.latency import MIB
from benchmarks.calibrate.limits import Group, Kind
from benchmarks.calibrate.program import Bench, Launch, by_name, marginal_rate
from benchmarks.calibrate.quantity import Published, Quantity, Section

STREAMS = "RRZE gpu-benches"
ROOFS = "roofline benchmark of rocprofiler-compute, RRZE gpu-benches"
STREAM_MIB = 512  # each array is twice the Infinity Cache
STREAM = {
    "copy": Published(4.0, 4.0, STREAMS),
    "scale": Published(4.0, 4.0, STREAMS),
    "triad": Published(3.87, 3.87, STREAMS),
    "read": Published(4.14, 4.24, STREAMS),
    "write": Published(4.6, 4.8, STREAMS),
}
SIZES = (
    16, 64, 256, 1 * MIB, 2 * MIB, 3 * MIB, 4 * MIB, 8 * MIB, 16 * MIB, 32 * MIB, 64 * MIB,
    128 * MIB, 192 * MIB, 256 * MIB, 512 * MIB, 1024 * MIB,
)  # fmt: skip
REGIONS = {
    16: ("vector cache, 16 KB", Published(33, 39, ROOFS)),
    2 * MIB: ("L2, 2 MB", Published(19.5, 28, ROOFS)),
    64 * MIB: ("Infinity Cache, 64 MB", Published(5.0, 6.8, ROOFS)),
    1024 * MIB: ("HBM, 1 GB", Published(4.14, 4.24, ROOFS)),
}
LDS = Published(73.0, 73.0, "roofline benchmark of rocprofiler-compute")
LDS_NAME = "lds"


def curve(bench: Bench, sizes: tuple[int, ...] = SIZES) -> dict[str, float]:
    """``region_<KiB>`` and ``lds`` -> TB/s."""
    groups = by_name(bench.run("read_bandwidth", *sizes))
    return {name: marginal_rate(launches) / 1000 for name, launches in groups.items()}


def section(bench: Bench, rates: dict[str, float]) -> Section:
    streams = by_name(bench.run("stream", STREAM_MIB))
    rows = [
        _reproduced(f"{name}, {STREAM_MIB} MB arrays", published, _rate(streams[name][-1]))
        for name, published in STREAM.items()
    ]
    rows += [
        _reproduced(f"read, {name}", published, rates[f"region_{size}"])
        for size, (name, published) in REGIONS.items()
    ]
    rows.append(_reproduced("read, LDS", LDS, rates[LDS_NAME]))
    return Section("Bandwidth", TEXT, rows)


def _rate(launch: Launch) -> float:
    return launch.work / launch.duration_ns / 1000


def _reproduced(name: str, published: Published, rate: float) -> Quantity:
    return Quantity(name, "TB/s", published, rate, Group.REPRODUCED, Kind.BANDWIDTH)


TEXT = (
    "STREAM kernels on arrays of twice the Infinity Cache, whole launches; reads of a region "
    "that 1216 workgroups share, difference of two launches."
)
