"""What the counters, the launch and the recording say about one kernel, as a table of metrics.

A metric whose inputs are missing is unknown and says which: it is never 0. Counters stand only
here, beside their formula. On CDNA the counters of waves and of active instructions tick every
fourth cycle, and a compute unit has four SIMDs, so that the two fours cancel in shares of a CU.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Callable, Optional

from rocm_perf_lab.analysis.launch_groups import counter
from rocm_perf_lab.analysis.roofs import HBM, INFINITY_CACHE

_CDNA = ("gfx90a", "gfx942", "gfx950")
_QUAD = 4  # cycles per tick of SQ_WAVE_CYCLES on CDNA
_ACTIVE = "GRBM_GUI_ACTIVE"  # cycles of every XCC, summed
_ROUNDING = 0.05  # counters of several passes: a share may come out a little above all of it
MEMORY_ROOFS = (HBM, INFINITY_CACHE, "l2")


@dataclass(frozen=True)
class KernelFacts:
    """Everything known about one kernel; what is not known is None or absent."""

    kernel: str
    target: Optional[str] = None
    mean_ns: Optional[float] = None
    workgroups: Optional[int] = None
    workgroup_size: Optional[int] = None
    wave_size: Optional[int] = None
    cu_count: Optional[int] = None
    xcc_count: Optional[int] = None
    max_clock_mhz: Optional[float] = None
    wave_slots_per_cu: Optional[int] = None
    theoretical_occupancy: Optional[float] = None
    launch_share: Optional[float] = None  # of the application's time on the GPU
    launch_floor_ns: Optional[float] = None  # of a kernel that does nothing
    is_collective: bool = False  # waits for other GPUs
    reached: Mapping[str, float] = field(default_factory=dict)  # ceiling -> share of it
    measured: frozenset[str] = frozenset()  # ceilings that were measured, not computed
    makes_no_flops: bool = False  # known from counters
    counters: Mapping[str, float] = field(default_factory=dict)  # per launch
    trace_waits: Optional[float] = None  # s_waitcnt and its successors, of all latency


Counted = Mapping[str, float]


@dataclass(frozen=True)
class Metric:
    """``value`` is called only when all ``counters`` are known; it may still not know."""

    name: str
    unit: str  # "share", "us", "per CU", ...
    meaning: str
    needs: str  # for people: what would make it known
    value: Callable[[KernelFacts, Counted], Optional[float]]
    counters: tuple[str, ...] = ()
    instead: Optional[str] = None  # where that one is known, this one is not missed


def _of_all_cus(name: str, per_cu: int = 1) -> Callable[[KernelFacts, Counted], Optional[float]]:
    """A counter as a share of the cycles of all CUs while the GPU was active."""

    def share(facts: KernelFacts, counted: Counted) -> Optional[float]:
        cycles = _cu_cycles(facts, counted)
        return None if cycles is None else counted[name] / (per_cu * cycles)

    return share


def _cu_cycles(facts: KernelFacts, counted: Counted) -> Optional[float]:
    """Cycles of all CUs while the kernel ran.

    A counter pass can be active long before and after its kernel: there are never more cycles than
    the kernel's time has at the highest clock.
    """
    if not facts.cu_count or not facts.xcc_count or not counted[_ACTIVE]:
        return None
    cycles = counted[_ACTIVE] / facts.xcc_count
    if facts.mean_ns and facts.max_clock_mhz:
        cycles = min(cycles, facts.mean_ns * facts.max_clock_mhz / 1e3)
    return cycles * facts.cu_count


def _cus_busy(facts: KernelFacts, counted: Counted) -> Optional[float]:
    """A launch begins and ends on an idle device, however even its work is."""
    cycles = _cu_cycles(facts, counted)
    floor = _launch_floor(facts, counted) or 0.0
    if cycles is None or floor >= 1.0:
        return None
    return min(1.0, counted["SQ_BUSY_CU_CYCLES"] / (cycles * (1.0 - floor)))


def _ratio(above: str, below: str) -> Callable[[KernelFacts, Counted], Optional[float]]:
    def ratio(_: KernelFacts, counted: Counted) -> Optional[float]:
        if not counted[above]:
            return 0.0
        return counted[above] / counted[below] if counted[below] else None

    return ratio


def _launch_floor(facts: KernelFacts, _: Counted) -> Optional[float]:
    if facts.launch_floor_ns is None or not facts.mean_ns:
        return None
    return min(1.0, facts.launch_floor_ns / facts.mean_ns)


def _memory_reached(*, measured: bool) -> Callable[[KernelFacts, Counted], Optional[float]]:
    def nearest(facts: KernelFacts, _: Counted) -> Optional[float]:
        names = [name for name in MEMORY_ROOFS if (name in facts.measured) is measured]
        return max((facts.reached[n] for n in names if n in facts.reached), default=None)

    return nearest


def _compute_reached(*, measured: bool) -> Callable[[KernelFacts, Counted], Optional[float]]:
    """Of the precision whose ceiling is nearest; pipes are named unit.precision."""

    def nearest(facts: KernelFacts, _: Counted) -> Optional[float]:
        pipes = {name: value for name, value in facts.reached.items() if "." in name}
        rates = [value for name, value in pipes.items() if (name in facts.measured) is measured]
        if not pipes and not measured and facts.makes_no_flops:
            return 0.0
        return max(rates, default=None)

    return nearest


def _round_fill(facts: KernelFacts, _: Counted) -> Optional[float]:
    """Of workgroups that run side by side as many as fit; a round that is begun counts whole.

    Within one round some compute units get a workgroup more than others.
    """
    waves = _waves(facts, {})
    if not waves or not facts.workgroups or not facts.wave_slots_per_cu or not facts.cu_count:
        return None
    if not facts.theoretical_occupancy:
        return None
    resident = facts.theoretical_occupancy * facts.wave_slots_per_cu * facts.workgroups / waves
    per_cu = facts.workgroups / facts.cu_count
    rounds = per_cu / max(1, round(resident))
    turns = rounds if rounds > 1.0 else max(1.0, per_cu)
    return turns / math.ceil(turns)


def _waves(facts: KernelFacts, _: Counted) -> Optional[float]:
    if facts.workgroups is None or not facts.workgroup_size or not facts.wave_size:
        return None
    return float(facts.workgroups * -(-facts.workgroup_size // facts.wave_size))


def _lanes(facts: KernelFacts, counted: Counted) -> Optional[float]:
    instructions = counted["SQ_ACTIVE_INST_VALU"]
    if not instructions or not facts.wave_size:
        return None
    return counted["SQ_THREAD_CYCLES_VALU"] / instructions / facts.wave_size


def _occupancy(facts: KernelFacts, counted: Counted) -> Optional[float]:
    cycles = _cu_cycles(facts, counted)
    if cycles is None or not facts.wave_slots_per_cu:
        return None
    return _QUAD * counted["SQ_WAVE_CYCLES"] / (cycles * facts.wave_slots_per_cu)


def _per_cu(facts: KernelFacts, _: Counted) -> Optional[float]:
    if facts.workgroups is None or not facts.cu_count:
        return None
    return facts.workgroups / facts.cu_count


def _lane_fill(facts: KernelFacts, _: Counted) -> Optional[float]:
    """Lanes of a workgroup over those of the waves that it takes."""
    if not facts.workgroup_size or not facts.wave_size:
        return None
    waves = -(-facts.workgroup_size // facts.wave_size)
    return facts.workgroup_size / (waves * facts.wave_size)


def _requests(_: KernelFacts, counted: Counted) -> Optional[float]:
    accesses = counted["TA_TOTAL_WAVEFRONTS"]
    if not accesses:
        return None
    return (counted["TCP_TCC_READ_REQ"] + counted["TCP_TCC_WRITE_REQ"]) / accesses


def _l2_hits(_: KernelFacts, counted: Counted) -> Optional[float]:
    looked_up = counted["TCC_HIT"] + counted["TCC_MISS"]
    return counted["TCC_HIT"] / looked_up if looked_up else None


_COUNT = "hardware counters: rocm-perf explain -- ./app"
_ROOFS = "the counters and ceilings of a roofline: rocm-perf explain -- ./app"
_CALLS = "HIP API calls in the recording: rocprofv3 --runtime-trace"
_SHAPE = "grid, workgroup size and the GPU in the recording"
_TRACE = "a thread trace: rocm-perf profile --deep-analysis -- ./app"

_TABLE = (
    Metric(
        "launch_share",
        "share",
        "of the time from first to last GPU work passes in launching calls and until work begins, "
        "or between a kernel and the next",
        _CALLS,
        lambda facts, _: facts.launch_share,
    ),
    Metric(
        "launch_floor",
        "share",
        "of the time of a launch is what a kernel that does nothing takes as well",
        "a GPU whose shortest launch is known (MI300X)",
        _launch_floor,
    ),
    Metric(
        "collective",
        "yes",
        "means that it exchanges data with other GPUs, by its name",
        "the name of the kernel",
        lambda facts, _: 1.0 if facts.is_collective else None,
    ),
    Metric(
        "mean_time",
        "us",
        "is the mean time of a launch",
        "a recording with times",
        lambda facts, _: None if facts.mean_ns is None else facts.mean_ns / 1e3,
    ),
    Metric(
        "memory_reached",
        "share",
        "of the roof of HBM, Infinity Cache or L2 is reached, whichever is nearest",
        _ROOFS,
        _memory_reached(measured=False),
        instead="memory_of_measured",
    ),
    Metric(
        "memory_of_measured",
        "share",
        "of the measured bandwidth of HBM, Infinity Cache or L2 is reached, whichever is nearest",
        _ROOFS,
        _memory_reached(measured=True),
    ),
    Metric(
        "compute_reached",
        "share",
        "of the roof of the floating point operations it makes is reached",
        _ROOFS,
        _compute_reached(measured=False),
        instead="compute_of_measured",
    ),
    Metric(
        "compute_of_measured",
        "share",
        "of the measured rate of the floating point operations it makes is reached",
        _ROOFS,
        _compute_reached(measured=True),
    ),
    Metric(
        "matrix_busy",
        "share",
        "of the time the matrix units work",
        _COUNT,
        _of_all_cus("SQ_VALU_MFMA_BUSY_CYCLES", per_cu=4),
        ("SQ_VALU_MFMA_BUSY_CYCLES", _ACTIVE),
    ),
    Metric(
        "vector_busy",
        "share",
        "of the time the vector units work",
        _COUNT,
        _of_all_cus("SQ_ACTIVE_INST_VALU"),
        ("SQ_ACTIVE_INST_VALU", _ACTIVE),
    ),
    Metric(
        "lanes_active",
        "share",
        "of the lanes are switched on while the vector units work",
        _COUNT,
        _lanes,
        ("SQ_THREAD_CYCLES_VALU", "SQ_ACTIVE_INST_VALU"),
    ),
    Metric(
        "lane_fill",
        "share",
        "of the lanes of its waves belong to a work-item",
        _SHAPE,
        _lane_fill,
    ),
    Metric(
        "lds_busy",
        "share",
        "of the time the LDS (shared memory) works, conflicts included",
        _COUNT,
        _of_all_cus("SQ_LDS_IDX_ACTIVE"),
        ("SQ_LDS_IDX_ACTIVE", _ACTIVE),
    ),
    Metric(
        "lds_conflicts",
        "share",
        "of the time that the LDS works is lost to bank conflicts",
        _COUNT,
        _ratio("SQ_LDS_BANK_CONFLICT", "SQ_LDS_IDX_ACTIVE"),
        ("SQ_LDS_BANK_CONFLICT", "SQ_LDS_IDX_ACTIVE"),
    ),
    Metric(
        "wait_share",
        "share",
        "of the life of a wave is waiting for memory, LDS or a barrier",
        _COUNT,
        _ratio("SQ_WAIT_ANY", "SQ_WAVE_CYCLES"),
        ("SQ_WAIT_ANY", "SQ_WAVE_CYCLES"),
    ),
    Metric(
        "cus_busy",
        "share",
        "of the time after launching a compute unit holds waves, in the mean over all of them",
        _COUNT,
        _cus_busy,
        ("SQ_BUSY_CU_CYCLES", _ACTIVE),
    ),
    Metric(
        "occupancy",
        "share",
        "of the wave slots are filled on average",
        _COUNT,
        _occupancy,
        ("SQ_WAVE_CYCLES", _ACTIVE),
    ),
    Metric(
        "occupancy_limit",
        "share",
        "of the wave slots is the most that its registers, LDS and workgroup size allow",
        "registers, LDS and workgroup size in the recording",
        lambda facts, _: facts.theoretical_occupancy,
    ),
    Metric(
        "workgroups_per_cu",
        "per CU",
        "workgroups are launched for each compute unit",
        _SHAPE,
        _per_cu,
    ),
    Metric(
        "round_fill",
        "share",
        "of the rounds in which the device runs the workgroups is filled, the last one included",
        _SHAPE,
        _round_fill,
    ),
    Metric(
        "waves",
        "waves",
        "waves are launched",
        _SHAPE,
        _waves,
    ),
    Metric(
        "atomic_share",
        "share",
        "of the requests to L2 are atomics",
        _COUNT,
        _ratio("TCC_ATOMIC", "TCC_REQ"),
        ("TCC_ATOMIC", "TCC_REQ"),
    ),
    Metric(
        "requests_per_access",
        "requests",
        "requests to L2 follow from one memory instruction of a wave",
        _COUNT,
        _requests,
        ("TCP_TCC_READ_REQ", "TCP_TCC_WRITE_REQ", "TA_TOTAL_WAVEFRONTS"),
    ),
    Metric(
        "l2_hits",
        "share",
        "of the requests to L2 are answered there",
        _COUNT,
        _l2_hits,
        ("TCC_HIT", "TCC_MISS"),
    ),
    Metric(
        "trace_waits",
        "share",
        "of the time in instructions is spent in s_waitcnt, in a thread trace",
        _TRACE,
        lambda facts, _: facts.trace_waits,
    ),
)
METRICS: Mapping[str, Metric] = {metric.name: metric for metric in _TABLE}


def metric_counters(target: str) -> tuple[tuple[str, ...], ...]:
    """What to collect for the metrics, in groups that belong into one run."""
    if target not in _CDNA:
        return ()
    return tuple(metric.counters for metric in _TABLE if metric.counters)


def evaluate_metrics(facts: KernelFacts) -> dict[str, float]:
    """Every metric that is known and can be right, by name."""
    return {
        name: value for name, value in _evaluated(facts).items() if not _is_suspect(name, value)
    }


def suspect_metrics(facts: KernelFacts) -> dict[str, float]:
    """Metrics whose value cannot be: a number that feeds them must be wrong."""
    return {name: value for name, value in _evaluated(facts).items() if _is_suspect(name, value)}


def _is_suspect(name: str, value: float) -> bool:
    if name == "mean_time":
        return value <= 0.0
    return METRICS[name].unit == "share" and not -_ROUNDING <= value <= 1.0 + _ROUNDING


def _evaluated(facts: KernelFacts) -> dict[str, float]:
    found = {}
    for metric in _TABLE:
        counted = {name: counter(facts.counters, name) for name in metric.counters}
        known = {name: value for name, value in counted.items() if value is not None}
        if len(known) < len(counted) or (counted and facts.target not in _CDNA):
            continue
        value = metric.value(facts, known)
        if value is not None:
            found[metric.name] = value
    return found
