"""What the counters, the launch and the recording say about one kernel, as a table of metrics.

A metric whose inputs are missing is unknown and says which: it is never 0. Counters stand beside
their formula (``formulas``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Callable, Optional

from rocm_perf_lab.analysis.kernels.launch_groups import counter
from rocm_perf_lab.analysis.verdicts.formulas import (
    ACTIVE,
    CONVERSIONS,
    DOUBLE,
    FLOPS,
    FUSED,
    LOADS,
    PRODUCTS,
    SPECIAL,
    Counted,
    KernelFacts,
    compute_reached,
    cus_busy,
    l1_hits,
    l2_hits,
    lane_fill,
    lanes_of,
    launch_floor,
    memory_reached,
    narrow_products,
    occupancy_of,
    of_all_cus,
    one_address,
    per_wave,
    product_share,
    ratio_of,
    requests_of,
    round_fill,
    rounds_of,
    share_of,
    waves_of,
    workgroups_per_cu,
)
from rocm_perf_lab.arch.target import counts_by_type

_ROUNDING = 0.05  # counters of several passes: a share may come out a little above all of it


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


_COUNT = "hardware counters: rocm-perf explain -- ./app"
_ROOFS = "the counters and ceilings of a roofline: rocm-perf explain -- ./app"
_CALLS = "HIP API calls in the recording: rocprofv3 --runtime-trace"
_SHAPE = "grid, workgroup size and the GPU in the recording"
_TRACE = "a thread trace: rocm-perf profile --deep-analysis -- ./app"

_TABLE = (
    Metric(
        "launch_share",
        "share",
        "of the time from first to last GPU work is launching, or between a kernel and the next",
        _CALLS,
        lambda facts, _: facts.launch_share,
    ),
    Metric(
        "launch_floor",
        "share",
        "of the time of a launch is what a kernel that does nothing takes as well",
        "a GPU whose shortest launch is known (MI300X)",
        launch_floor,
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
        memory_reached(measured=False),
        instead="memory_of_measured",
    ),
    Metric(
        "memory_of_measured",
        "share",
        "of the measured bandwidth of HBM, Infinity Cache or L2 is reached, whichever is nearest",
        _ROOFS,
        memory_reached(measured=True),
    ),
    Metric(
        "compute_reached",
        "share",
        "of the roof of the floating point operations it makes is reached",
        _ROOFS,
        compute_reached(measured=False),
        instead="compute_of_measured",
    ),
    Metric(
        "compute_of_measured",
        "share",
        "of the measured rate of the floating point operations it makes is reached",
        _ROOFS,
        compute_reached(measured=True),
    ),
    Metric(
        "matrix_busy",
        "share",
        "of the time the matrix units work",
        _COUNT,
        of_all_cus("SQ_VALU_MFMA_BUSY_CYCLES", per_cu=4),
        ("SQ_VALU_MFMA_BUSY_CYCLES", ACTIVE),
    ),
    Metric(
        "vector_busy",
        "share",
        "of the time the vector units work",
        _COUNT,
        of_all_cus("SQ_ACTIVE_INST_VALU"),
        ("SQ_ACTIVE_INST_VALU", ACTIVE),
    ),
    Metric(
        "lanes_active",
        "share",
        "of the lanes are switched on while the vector units work",
        _COUNT,
        lanes_of,
        ("SQ_THREAD_CYCLES_VALU", "SQ_ACTIVE_INST_VALU"),
    ),
    Metric(
        "lane_fill", "share", "of the lanes of its waves belong to a work-item", _SHAPE, lane_fill
    ),
    Metric(
        "lds_busy",
        "share",
        "of the time the LDS (shared memory) works, conflicts included",
        _COUNT,
        of_all_cus("SQ_LDS_IDX_ACTIVE", most=1.0),
        ("SQ_LDS_IDX_ACTIVE", ACTIVE),
    ),
    Metric(
        "lds_conflicts",
        "share",
        "of the time that the LDS works is lost to bank conflicts",
        _COUNT,
        ratio_of("SQ_LDS_BANK_CONFLICT", "SQ_LDS_IDX_ACTIVE"),
        ("SQ_LDS_BANK_CONFLICT", "SQ_LDS_IDX_ACTIVE"),
    ),
    Metric(
        "wait_share",
        "share",
        "of the life of a wave is waiting for memory, LDS or a barrier",
        _COUNT,
        ratio_of("SQ_WAIT_ANY", "SQ_WAVE_CYCLES"),
        ("SQ_WAIT_ANY", "SQ_WAVE_CYCLES"),
    ),
    Metric(
        "cus_busy",
        "share",
        "of the time after launching a compute unit holds waves, in the mean over all of them",
        _COUNT,
        cus_busy,
        ("SQ_BUSY_CU_CYCLES", ACTIVE),
    ),
    Metric(
        "occupancy",
        "share",
        "of the wave slots are filled on average",
        _COUNT,
        occupancy_of,
        ("SQ_WAVE_CYCLES", ACTIVE),
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
        workgroups_per_cu,
    ),
    Metric(
        "round_fill",
        "share",
        "of the rounds in which the device runs the workgroups is filled, the last one included",
        _SHAPE,
        round_fill,
    ),
    Metric(
        "rounds",
        "rounds",
        "rounds of workgroups are needed where as many run side by side as fit",
        _SHAPE,
        rounds_of,
    ),
    Metric("waves", "waves", "waves are launched", _SHAPE, waves_of),
    Metric(
        "atomic_share",
        "share",
        "of the requests to L2 are atomics",
        _COUNT,
        ratio_of("TCC_ATOMIC", "TCC_REQ"),
        ("TCC_ATOMIC", "TCC_REQ"),
    ),
    Metric(
        "one_address",
        "share",
        "of its time is what its atomics take if all are on one address, one after the other",
        "a GPU whose atomics on one address were measured (MI300X)",
        one_address,
        ("TCC_ATOMIC",),
    ),
    Metric(
        "requests_per_access",
        "requests",
        "requests to L2 follow from one memory instruction of a wave",
        _COUNT,
        requests_of,
        ("TCP_TCC_READ_REQ", "TCP_TCC_WRITE_REQ", "TA_TOTAL_WAVEFRONTS"),
    ),
    Metric(
        "lines_per_access",
        "pieces",
        "pieces of 64 bytes are looked up for one memory instruction of a wave",
        _COUNT,
        ratio_of("TCP_TOTAL_CACHE_ACCESSES", "TA_TOTAL_WAVEFRONTS"),
        ("TCP_TOTAL_CACHE_ACCESSES", "TA_TOTAL_WAVEFRONTS"),
    ),
    Metric(
        "l1_hits",
        "share",
        "of what vector loads look up is found in L1, if every request of it is for 128 bytes",
        _COUNT,
        l1_hits,
        ("TCP_TCC_READ_REQ", "TCP_TCC_WRITE_REQ", "TCP_TOTAL_CACHE_ACCESSES"),
    ),
    Metric(
        "l1_busy",
        "share",
        "of the time the vector L1 looks pieces of 64 bytes up, one each cycle",
        _COUNT,
        of_all_cus("TCP_TOTAL_CACHE_ACCESSES", most=1.0),
        ("TCP_TOTAL_CACHE_ACCESSES", ACTIVE),
    ),
    Metric(
        "accesses_per_wave",
        "accesses",
        "memory instructions are executed by a wave",
        _COUNT,
        per_wave("TA_TOTAL_WAVEFRONTS"),
        ("TA_TOTAL_WAVEFRONTS",),
    ),
    Metric(
        "accesses_per_instruction",
        "accesses",
        "memory instructions come with each vector instruction",
        _COUNT,
        ratio_of("TA_TOTAL_WAVEFRONTS", "SQ_INSTS_VALU"),
        ("TA_TOTAL_WAVEFRONTS", "SQ_INSTS_VALU"),
    ),
    Metric(
        "flop_share",
        "share",
        "of the vector instructions are floating point operations",
        _COUNT,
        share_of(FLOPS, "SQ_INSTS_VALU"),
        (*FLOPS, "SQ_INSTS_VALU"),
    ),
    Metric(
        "conversion_share",
        "share",
        "of the vector instructions turn one type into another",
        _COUNT,
        ratio_of(CONVERSIONS, "SQ_INSTS_VALU"),
        (CONVERSIONS, "SQ_INSTS_VALU"),
    ),
    Metric(
        "product_share",
        "share",
        "of the vector instructions without conversions are products that are added up",
        _COUNT,
        product_share,
        (*PRODUCTS, CONVERSIONS, "SQ_INSTS_VALU"),
    ),
    Metric(
        "narrow_products",
        "share",
        "of the products that are added up are of half precision, or of converted operands",
        _COUNT,
        narrow_products,
        (*PRODUCTS, CONVERSIONS),
    ),
    Metric(
        "special_share",
        "share",
        "of the vector instructions are roots, reciprocals and the like, parts of a function",
        _COUNT,
        share_of(SPECIAL, "SQ_INSTS_VALU"),
        (*SPECIAL, "SQ_INSTS_VALU"),
    ),
    Metric(
        "double_share",
        "share",
        "of the vector instructions are in double precision",
        _COUNT,
        share_of(DOUBLE, "SQ_INSTS_VALU"),
        (*DOUBLE, "SQ_INSTS_VALU"),
    ),
    Metric(
        "operands_per_fma",
        "loads",
        "loads from memory or LDS come with each fused product",
        _COUNT,
        share_of(LOADS, *FUSED),
        (*LOADS, *FUSED),
    ),
    Metric(
        "l2_hits",
        "share",
        "of the requests to L2 are answered there",
        _COUNT,
        l2_hits,
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
_NOTHING: Mapping[str, float] = {}
_WITHOUT_COUNTERS = tuple(metric for metric in _TABLE if not metric.counters)


def metric_counters(target: str) -> tuple[tuple[str, ...], ...]:
    """What to collect for the metrics, in groups that belong into one run."""
    if not counts_by_type(target):
        return ()
    return tuple(metric.counters for metric in _TABLE if metric.counters)


def is_suspect(name: str, value: float) -> bool:
    """The value of this metric cannot be: a number that feeds it must be wrong."""
    if name == "mean_time":
        return value <= 0.0
    return METRICS[name].unit == "share" and not -_ROUNDING <= value <= 1.0 + _ROUNDING


def evaluate_metrics(facts: KernelFacts) -> dict[str, float]:
    """Every metric that is known, suspect ones too, by name."""
    counts = facts.target is not None and counts_by_type(facts.target)
    found = {}
    for metric in _TABLE if counts and facts.counters else _WITHOUT_COUNTERS:
        known = _counted(metric.counters, facts.counters) if metric.counters else _NOTHING
        value = None if known is None else metric.value(facts, known)
        if value is not None:
            found[metric.name] = value
    return found


def _counted(names: Sequence[str], counters: Mapping[str, float]) -> Optional[dict[str, float]]:
    """None unless all of them were recorded."""
    found = {name: counter(counters, name) for name in names}
    known = {name: value for name, value in found.items() if value is not None}
    return known if len(known) == len(found) else None
