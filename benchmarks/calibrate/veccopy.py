"""A copy of 8 MiB whose counters and durations were recorded on an MI300X."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

from benchmarks.calibrate.program import Bench
from benchmarks.calibrate.quantity import EXACT, Published, Quantity, Section, figure

RECORDED = "rocprofiler-compute, vecCopy workload of an MI300X"
READ_BYTES = 8 << 20
# Recorded with a HIP runtime that kept kernel arguments in host memory: 1.6 uncached requests for
# each scalar cache, where those of ROCm 7.1 have 0.1.
RUNTIME = {"HIP_FORCE_DEV_KERNARG": "0"}
COUNTERS = {
    "SQ_WAVES": (figure(16384, RECORDED), EXACT),
    "SQ_INSTS_VALU": (figure(98304, RECORDED), EXACT),
    "SQ_INSTS_SALU": (figure(49152, RECORDED), EXACT),
    "SQ_INSTS_SMEM": (figure(65536, RECORDED), EXACT),
    "SQ_INSTS_VMEM_RD": (figure(16384, RECORDED), EXACT),
    "SQ_INSTS_VMEM_WR": (figure(16384, RECORDED), EXACT),
    "TCC_EA0_WRREQ": (figure(131072, RECORDED), EXACT),
    "TCC_EA0_WRREQ_64B": (figure(131072, RECORDED), EXACT),
    "TCC_BUBBLE": (figure(65536, RECORDED), EXACT),
    "TCP_TCC_READ_REQ": (figure(65536, RECORDED), EXACT),
    "TCP_TCC_WRITE_REQ": (figure(131072, RECORDED), EXACT),
    "TCP_TOTAL_CACHE_ACCESSES": (figure(524288, RECORDED), EXACT),
    "TA_FLAT_READ_WAVEFRONTS": (figure(16384, RECORDED), EXACT),
    "TA_FLAT_WRITE_WAVEFRONTS": (figure(16384, RECORDED), EXACT),
    "TCC_EA0_RDREQ": (Published(65751, 65791, RECORDED), 0.01),
    "TCC_HIT": (Published(65536, 66160, RECORDED), 0.01),
    "TCC_MISS": (Published(131291, 131345, RECORDED), 0.01),
}
DURATION = Published(13979, 13979, RECORDED)
MEAN_VMEM_LATENCY = Published(902, 1231, RECORDED)


def section(bench: Bench) -> Section:
    launches = bench.run("vec_copy", counters=True, variables=RUNTIME)
    counters = launches[-1].counters
    rows = [
        Quantity(name, "", published, counters[name], allowed)
        for name, (published, allowed) in COUNTERS.items()
    ]
    rows += _invariants(counters)
    # Not counted: whoever counts lets the queue run empty before each kernel.
    durations = [x.duration_ns for x in bench.run("vec_copy", variables=RUNTIME)]
    rows.append(Quantity("duration, median", "ns", DURATION, median(durations), 0.25))
    return Section("vecCopy", TEXT, rows)


def _invariants(counters: Mapping[str, float]) -> list[Quantity]:
    """What holds in every recording, whatever the numbers are."""
    read = (
        counters["TCC_BUBBLE"] * 128
        + (counters["TCC_EA0_RDREQ"] - counters["TCC_BUBBLE"] - counters["TCC_EA0_RDREQ_32B"]) * 64
        + counters["TCC_EA0_RDREQ_32B"] * 32
    )
    identity = "identity that the recordings satisfy"
    return [
        Quantity("bytes read by formula / bytes of the array", "", figure(1.0, identity),
                 read / READ_BYTES, 0.01),
        Quantity("64 x WRREQ_64B / bytes of the array", "", figure(1.0, identity),
                 counters["TCC_EA0_WRREQ_64B"] * 64 / READ_BYTES, EXACT),
        Quantity("accumulated SQ_LEVEL_WAVES / SQ_WAVE_CYCLES", "", figure(4.0, identity),
                 counters["accumulate(SQ_LEVEL_WAVES)"] / counters["SQ_WAVE_CYCLES"], 0.05),
        Quantity("SQ_CYCLES / GRBM_GUI_ACTIVE", "", figure(4.0, identity),
                 counters["SQ_CYCLES"] / counters["GRBM_GUI_ACTIVE"], 0.05),
        Quantity("accumulated SQ_INST_LEVEL_VMEM / SQ_INSTS_VMEM", "cycles", MEAN_VMEM_LATENCY,
                 counters["accumulate(SQ_INST_LEVEL_VMEM)"] / counters["SQ_INSTS_VMEM"], None,
                 "mean latency of the three recorded dispatches"),
    ]  # fmt: skip


TEXT = (
    "`c[id] = a[id]` on 1,048,576 doubles in workgroups of 256. Instruction counts depend on the "
    "compiler, too; ours (LLVM 19) makes the same ones. The recorded durations span 11.7 to 46 us. "
    "The recorded HIP runtime kept kernel arguments in host memory, which takes microseconds to "
    "read; so does this run (HIP_FORCE_DEV_KERNARG=0). Everywhere else they are in device memory, "
    "as in ROCm 7. The recorded launches took 6.6 us longer than their waves, a fill that another "
    "profiler recorded only 3.2 us, most of which is its write-back: the recording of the copy "
    "shows the command processor busy for 150 us around each launch, that of the fill for 12 us. "
    "So the copies are launched one behind the other, in a queue that is not idle, where "
    "timestamps begin with the end of what was there before; the fill and the products in an idle "
    "queue."
)
