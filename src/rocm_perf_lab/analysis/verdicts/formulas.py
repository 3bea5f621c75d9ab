"""How the metrics of a kernel follow from its counters and its launch: one formula each.

Counters stand only here and in the table of metrics. On CDNA the counters of waves and of active
instructions tick every fourth cycle, and a compute unit has four SIMDs, so that the two fours
cancel in shares of a CU.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Callable, Optional

from rocm_perf_lab.analysis.rooflines.roofs import HBM, INFINITY_CACHE
from rocm_perf_lab.analysis.verdicts.compute_unit import ComputeUnit
from rocm_perf_lab.analysis.verdicts.launch_floor import LoadLatencies

_QUAD = 4  # cycles per tick of SQ_WAVE_CYCLES on CDNA
ACTIVE = "GRBM_GUI_ACTIVE"  # cycles of every XCC, summed
FUSED = tuple(f"SQ_INSTS_VALU_FMA_{kind}" for kind in ("F16", "F32", "F64"))
DOUBLE = tuple(f"SQ_INSTS_VALU_{what}_F64" for what in ("ADD", "MUL", "TRANS", "FMA"))
FLOPS = tuple(
    f"SQ_INSTS_VALU_{what}_{kind}"
    for kind in ("F16", "F32", "F64")
    for what in ("ADD", "MUL", "TRANS", "FMA")
)
CONVERSIONS = "SQ_INSTS_VALU_CVT"
_TYPES = ("F16", "F32", "F64")
SPECIAL = tuple(f"SQ_INSTS_VALU_TRANS_{kind}" for kind in _TYPES)
PRODUCTS = tuple(
    f"SQ_INSTS_VALU_{what}_{kind}" for what in ("FMA", "MUL", "ADD") for kind in _TYPES
)
_MORE_THAN_ONE = 1.3  # of what one address can take: a turn is known to a few percent
LOADS = ("TA_TOTAL_WAVEFRONTS", "SQ_INSTS_LDS")
_ASKED_MORE_OFTEN = 1.25  # times what L2 can answer: more is no matter of L1, but a wrong number
_L2 = "l2"
MEMORY_ROOFS = (HBM, INFINITY_CACHE, _L2)


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
    compute_unit: Optional[ComputeUnit] = None
    theoretical_occupancy: Optional[float] = None
    launch_share: Optional[float] = None  # of the application's time on the GPU
    launch_floor_ns: Optional[float] = None  # of a kernel that does nothing
    hand_over_ns: Optional[float] = None  # more for a launch that waits for the one before it
    atomic_turn_ns: Optional[float] = None  # from one atomic on an address to the next
    load_latencies: Optional[LoadLatencies] = None  # of an idle memory system
    is_collective: bool = False  # waits for other GPUs
    reached: Mapping[str, float] = field(default_factory=dict)  # ceiling -> share of it
    measured: frozenset[str] = frozenset()  # ceilings that were measured, not computed
    # Of its time, what bytes beyond L2 take at least, as much of them in Infinity Cache as fit.
    fabric_least: Optional[float] = None
    of_hbm: Optional[float] = None  # the same from HBM alone: more than 1 where the cache helps
    makes_no_flops: bool = False  # known from counters
    counters: Mapping[str, float] = field(default_factory=dict)  # per launch
    trace_waits: Optional[float] = None  # s_waitcnt and its successors, of all latency


Counted = Mapping[str, float]


def of_all_cus(
    name: str, per_cu: int = 1, most: float = math.inf
) -> Callable[[KernelFacts, Counted], Optional[float]]:
    """A counter as a share of the cycles of all CUs while the GPU was active.

    ``most``: where the count is exact and the time is of a sample, it could be more than there is.
    """

    def share(facts: KernelFacts, counted: Counted) -> Optional[float]:
        cycles = _cu_cycles(facts, counted)
        return None if cycles is None else min(most, counted[name] / (per_cu * cycles))

    return share


def _cu_cycles(facts: KernelFacts, counted: Counted) -> Optional[float]:
    """Cycles of all CUs while the kernel ran.

    A counter pass can be active long before and after its kernel: there are never more cycles than
    the kernel's time has at the highest clock.
    """
    if not facts.cu_count or not facts.xcc_count or not counted[ACTIVE]:
        return None
    cycles = counted[ACTIVE] / facts.xcc_count
    if facts.mean_ns and facts.max_clock_mhz:
        cycles = min(cycles, facts.mean_ns * facts.max_clock_mhz / 1e3)
    return cycles * facts.cu_count


def cus_busy(facts: KernelFacts, counted: Counted) -> Optional[float]:
    """A launch begins and ends on an idle device, however even its work is.

    How long that takes is an estimate, so that a little more than all of the time may come out.
    """
    cycles = _cu_cycles(facts, counted)
    floor = launch_floor(facts, counted) or 0.0
    if cycles is None or floor >= 1.0:
        return None
    return min(1.0, counted["SQ_BUSY_CU_CYCLES"] / (cycles * (1.0 - floor)))


def ratio_of(above: str, below: str) -> Callable[[KernelFacts, Counted], Optional[float]]:
    def ratio(_: KernelFacts, counted: Counted) -> Optional[float]:
        if not counted[above]:
            return 0.0
        return counted[above] / counted[below] if counted[below] else None

    return ratio


def share_of(
    above: tuple[str, ...], *below: str
) -> Callable[[KernelFacts, Counted], Optional[float]]:
    """Of sums of counters."""

    def share(_: KernelFacts, counted: Counted) -> Optional[float]:
        whole = sum(counted[name] for name in below)
        return sum(counted[name] for name in above) / whole if whole else None

    return share


def product_share(_: KernelFacts, counted: Counted) -> Optional[float]:
    """Fused or as a product and a sum; operands may have to be converted first."""
    useful = counted["SQ_INSTS_VALU"] - counted[CONVERSIONS]
    if useful <= 0:
        return None
    values = [counted[name] for name in PRODUCTS]
    fused, products, sums = values[:3], values[3:6], values[6:]
    return (sum(fused) + sum(map(min, products, sums))) / useful


def narrow_products(_: KernelFacts, counted: Counted) -> Optional[float]:
    """Of half precision, or of single precision whose operands were converted for it: what is
    converted to double precision is no narrow operand of a matrix unit."""
    values = [counted[name] for name in PRODUCTS]
    fused, products, sums = values[:3], values[3:6], values[6:]
    pairs = list(map(min, products, sums))
    whole = sum(fused) + sum(pairs)
    narrow = fused[0] + pairs[0] + min(counted[CONVERSIONS], fused[1] + pairs[1])
    return min(1.0, narrow / whole) if whole else None


def per_wave(name: str) -> Callable[[KernelFacts, Counted], Optional[float]]:
    def each(facts: KernelFacts, counted: Counted) -> Optional[float]:
        waves = waves_of(facts, {})
        return counted[name] / waves if waves else None

    return each


def launch_floor(facts: KernelFacts, _: Counted) -> Optional[float]:
    if facts.launch_floor_ns is None or not facts.mean_ns:
        return None
    return min(1.0, facts.launch_floor_ns / facts.mean_ns)


def one_address(facts: KernelFacts, counted: Counted) -> Optional[float]:
    """Atomics that are more than one address can take are on many: then nothing follows."""
    if facts.atomic_turn_ns is None or not facts.mean_ns:
        return None
    turns = counted["TCC_ATOMIC"] * facts.atomic_turn_ns / facts.mean_ns
    return min(1.0, turns) if turns < _MORE_THAN_ONE else 0.0


def _of_roof(facts: KernelFacts, name: str) -> float:
    """What L1 still has when it is needed again depends on which wave comes first: the launch whose
    requests were counted may ask L2 more often than the one whose time was taken."""
    share = facts.reached[name]
    return min(1.0, share) if name == _L2 and share <= _ASKED_MORE_OFTEN else share


def memory_reached(*, measured: bool) -> Callable[[KernelFacts, Counted], Optional[float]]:
    def nearest(facts: KernelFacts, _: Counted) -> Optional[float]:
        names = [name for name in MEMORY_ROOFS if (name in facts.measured) is measured]
        return max((_of_roof(facts, n) for n in names if n in facts.reached), default=None)

    return nearest


def memory_least(facts: KernelFacts) -> Optional[float]:
    """Of its time, what memory takes at least for the same bytes: of those that could lie in
    Infinity Cache nobody knows where they lie now. Never more than what it seems to take now."""
    now = [_of_roof(facts, name) for name in MEMORY_ROOFS if name in facts.reached]
    if not now or facts.fabric_least is None:
        return max(now, default=None)
    return min(max(now), max(facts.fabric_least, facts.reached.get("l2", 0.0)))


def compute_reached(*, measured: bool) -> Callable[[KernelFacts, Counted], Optional[float]]:
    """Of the precision whose ceiling is nearest; pipes are named unit.precision."""

    def nearest(facts: KernelFacts, _: Counted) -> Optional[float]:
        pipes = {name: value for name, value in facts.reached.items() if "." in name}
        rates = [value for name, value in pipes.items() if (name in facts.measured) is measured]
        if not pipes and not measured and facts.makes_no_flops:
            return 0.0
        return max(rates, default=None)

    return nearest


def round_fill(facts: KernelFacts, _: Counted) -> Optional[float]:
    """Of workgroups that run side by side as many as fit; a round that is begun counts whole.

    Within one round some compute units get a workgroup more than others.
    """
    rounds, per_cu = rounds_of(facts, {}), workgroups_per_cu(facts, {})
    if rounds is None or per_cu is None:
        return None
    turns = rounds if rounds > 1.0 else max(1.0, per_cu)
    return turns / math.ceil(turns)


def rounds_of(facts: KernelFacts, _: Counted) -> Optional[float]:
    """Below 1: more room for workgroups would stay empty."""
    waves, per_cu = waves_of(facts, {}), workgroups_per_cu(facts, {})
    if not waves or not per_cu or not facts.workgroups or not facts.compute_unit:
        return None
    if not facts.theoretical_occupancy:
        return None
    resident = (
        facts.theoretical_occupancy * facts.compute_unit.wave_slots * facts.workgroups / waves
    )
    return per_cu / max(1, round(resident))


def waves_of(facts: KernelFacts, _: Counted) -> Optional[float]:
    if facts.workgroups is None or not facts.workgroup_size or not facts.wave_size:
        return None
    return float(facts.workgroups * -(-facts.workgroup_size // facts.wave_size))


def lanes_of(facts: KernelFacts, counted: Counted) -> Optional[float]:
    instructions = counted["SQ_ACTIVE_INST_VALU"]
    if not instructions or not facts.wave_size:
        return None
    return counted["SQ_THREAD_CYCLES_VALU"] / instructions / facts.wave_size


def occupancy_of(facts: KernelFacts, counted: Counted) -> Optional[float]:
    cycles = _cu_cycles(facts, counted)
    if cycles is None or not facts.compute_unit:
        return None
    return _QUAD * counted["SQ_WAVE_CYCLES"] / (cycles * facts.compute_unit.wave_slots)


def workgroups_per_cu(facts: KernelFacts, _: Counted) -> Optional[float]:
    if facts.workgroups is None or not facts.cu_count:
        return None
    return facts.workgroups / facts.cu_count


def lane_fill(facts: KernelFacts, _: Counted) -> Optional[float]:
    """Lanes of a workgroup over those of the waves that it takes."""
    if not facts.workgroup_size or not facts.wave_size:
        return None
    waves = -(-facts.workgroup_size // facts.wave_size)
    return facts.workgroup_size / (waves * facts.wave_size)


def requests_of(_: KernelFacts, counted: Counted) -> Optional[float]:
    accesses = counted["TA_TOTAL_WAVEFRONTS"]
    if not accesses:
        return None
    return (counted["TCP_TCC_READ_REQ"] + counted["TCP_TCC_WRITE_REQ"]) / accesses


def l1_hits(_: KernelFacts, counted: Counted) -> Optional[float]:
    """Of loads: stores go through to L2, a request for each piece of 64 bytes."""
    loaded = counted["TCP_TOTAL_CACHE_ACCESSES"] - counted["TCP_TCC_WRITE_REQ"]
    if loaded <= 0:
        return None
    return max(0.0, 1.0 - 2.0 * counted["TCP_TCC_READ_REQ"] / loaded)


def l2_hits(_: KernelFacts, counted: Counted) -> Optional[float]:
    looked_up = counted["TCC_HIT"] + counted["TCC_MISS"]
    return counted["TCC_HIT"] / looked_up if looked_up else None
