"""A copy of 8 MiB whose counters and durations were recorded on an MI300X."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

from benchmarks.calibrate.limits import Group, Kind
from benchmarks.calibrate.program import Bench
from benchmarks.calibrate.quantity import Published, Quantity, Section, figure

RECORDED = "rocprofiler-compute, vecCopy workload of an MI300X"
READ_BYTES = 8 << 20
# Recorded with a HIP runtime that kept kernel arguments in host memory: 1.6 uncached requests for
# each scalar cache, where those of ROCm 7.1 have 0.1.
RUNTIME = {"HIP_FORCE_DEV_KERNARG": "0"}
# Decided by the code and by the addresses of its lanes.
COUNTS = {
    "SQ_WAVES": 16384,
    "SQ_INSTS_VALU": 98304,
    "SQ_INSTS_SALU": 49152,
    "SQ_INSTS_SMEM": 65536,
    "SQ_INSTS_VMEM_RD": 16384,
    "SQ_INSTS_VMEM_WR": 16384,
    "TCP_TCC_WRITE_REQ": 131072,
    "TCP_TOTAL_CACHE_ACCESSES": 524288,
    "TA_FLAT_READ_WAVEFRONTS": 16384,
    "TA_FLAT_WRITE_WAVEFRONTS": 16384,
}
# What the caches make of it.
REQUESTS = {
    "TCP_TCC_READ_REQ": (65536, 65536),
    "TCC_EA0_RDREQ": (65751, 65791),
    "TCC_BUBBLE": (65536, 65536),
    "TCC_EA0_WRREQ": (131072, 131072),
    "TCC_EA0_WRREQ_64B": (131072, 131072),
    "TCC_HIT": (65536, 66160),
    "TCC_MISS": (131291, 131345),
}
# All requests to memory are whole here, so that two counters are one figure.
WHOLE_WRITES = ("TCC_EA0_WRREQ", "TCC_EA0_WRREQ_64B")
DURATION = Published(13979, 13979, RECORDED)
MEAN_VMEM_LATENCY = Published(902, 1231, RECORDED)


def section(bench: Bench) -> Section:
    launches = bench.run("vec_copy", counters=True, variables=RUNTIME)
    counters = launches[-1].counters
    rows = [
        Quantity(name, "", figure(value, RECORDED), counters[name], Group.BY_CONSTRUCTION,
                 Kind.COUNT)
        for name, value in COUNTS.items()
    ]  # fmt: skip
    rows += [
        Quantity(name, "", Published(low, high, RECORDED), counters[name], Group.PREDICTED,
                 Kind.REQUESTS, counts_as=WHOLE_WRITES[0] if name in WHOLE_WRITES else "")
        for name, (low, high) in REQUESTS.items()
    ]  # fmt: skip
    # Not counted: whoever counts lets the queue run empty before each kernel.
    durations = [launch.duration_ns for launch in bench.run("vec_copy", variables=RUNTIME)]
    rows += [*_identities(counters), *_times(counters, median(durations))]
    return Section("vecCopy", TEXT, rows)


def _identities(counters: Mapping[str, float]) -> list[Quantity]:
    """What holds in every recording, whatever the numbers are."""
    read = (
        counters["TCC_BUBBLE"] * 128
        + (counters["TCC_EA0_RDREQ"] - counters["TCC_BUBBLE"] - counters["TCC_EA0_RDREQ_32B"]) * 64
        + counters["TCC_EA0_RDREQ_32B"] * 32
    )
    identities = {
        "bytes read by formula / bytes of the array": (1.0, read / READ_BYTES),
        "64 x WRREQ_64B / bytes of the array": (
            1.0, counters["TCC_EA0_WRREQ_64B"] * 64 / READ_BYTES,
        ),
        "accumulated SQ_LEVEL_WAVES / SQ_WAVE_CYCLES": (
            4.0, counters["accumulate(SQ_LEVEL_WAVES)"] / counters["SQ_WAVE_CYCLES"],
        ),
        "SQ_CYCLES / GRBM_GUI_ACTIVE": (
            4.0, counters["SQ_CYCLES"] / counters["GRBM_GUI_ACTIVE"],
        ),
    }  # fmt: skip
    source = "identity that the recordings satisfy"
    return [
        Quantity(name, "", figure(value, source), modelled, Group.BY_CONSTRUCTION, Kind.IDENTITY)
        for name, (value, modelled) in identities.items()
    ]


def _times(counters: Mapping[str, float], duration_ns: float) -> list[Quantity]:
    """What the fabric holds, and what arguments in host memory cost, was taken from this kernel."""
    latency = counters["accumulate(SQ_INST_LEVEL_VMEM)"] / counters["SQ_INSTS_VMEM"]
    return [
        Quantity("accumulated SQ_INST_LEVEL_VMEM / SQ_INSTS_VMEM", "cycles", MEAN_VMEM_LATENCY,
                 latency, Group.REPRODUCED, Kind.LATENCY,
                 "mean latency of the three recorded dispatches"),
        Quantity("duration, median", "ns", DURATION, duration_ns,
                 Group.REPRODUCED, Kind.DURATION),
    ]  # fmt: skip


TEXT = (
    "`c[id] = a[id]` on 1,048,576 doubles in workgroups of 256. Instruction counts depend on the "
    "compiler, too; ours (LLVM 19) makes the same ones. The recorded durations span 11.7 to 46 us. "
    "The recorded HIP runtime kept kernel arguments in host memory, which takes microseconds to "
    "read; so does this run (HIP_FORCE_DEV_KERNARG=0). Everywhere else they are in device memory, "
    "as in ROCm 7. The recorded launches took 6.6 us longer than their waves, a fill that another "
    "profiler recorded only 3.2 us, most of which is its write-back: the recording of the copy "
    "shows the command processor busy for 150 us around each launch, that of the fill for 12 us. "
    "So the copies are launched in sequence, in a queue that is not idle, where "
    "timestamps begin with the end of what was there before; the fill and the products in an idle "
    "queue."
)
