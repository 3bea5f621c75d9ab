"""The numbers that advice is chosen by and that its sentences name."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Optional, Union

from rocm_perf_lab.analysis.kernels.launch_groups import counter
from rocm_perf_lab.analysis.thread_traces.causes import BARRIER, GLOBAL, LDS, SCALAR
from rocm_perf_lab.analysis.thread_traces.roles import Role
from rocm_perf_lab.analysis.verdicts.advice.bounds import MEMORY, shares
from rocm_perf_lab.analysis.verdicts.advice.causes import DOUBLE, SCATTERED, work_for
from rocm_perf_lab.analysis.verdicts.advice.launch_figures import BetweenLaunches, possible
from rocm_perf_lab.analysis.verdicts.advice.row import number
from rocm_perf_lab.analysis.verdicts.compute_unit import ComputeUnit
from rocm_perf_lab.analysis.verdicts.formulas import memory_least
from rocm_perf_lab.analysis.verdicts.kernels import KernelVerdict
from rocm_perf_lab.analysis.verdicts.measured import TracedWaits
from rocm_perf_lab.analysis.verdicts.waiting import way_and_line

_REQUESTED = 2.0  # bytes for each of 64 lanes, with a request of 128
_MOSTLY = 0.5  # of the products
_DWORD = 4.0  # bytes of a register
_COALESCED = 4.0  # pieces of 64 bytes for 64 lanes of 4 bytes, or fewer
_AROUND_DOUBLE = 3.0  # conversions for one operation: of its operands and of its result


def figures_of(
    found: KernelVerdict, everything: Sequence[KernelVerdict], between: BetweenLaunches
) -> dict[str, Union[float, str]]:
    """``everything``: the verdicts of all kernels, which could be fused with this one."""
    figures: dict[str, Union[float, str]] = dict(found.verdict.metrics)
    figures.update(_launch(found))
    figures.update(possible(found, everything, between))
    figures.update(_derived(found))
    figures.update(_traced(found.kernel.trace))
    figures.update(_through_l1(figures))
    figures.update(_products(figures))
    figures.update(_matrix_rate(figures, found.kernel.facts.compute_unit))
    figures.update(way_and_line(figures, found.kernel.facts.load_latencies))
    known = shares(figures)
    if known:
        figures["busiest"] = max(known.values())
    if MEMORY in known:
        figures["reached_memory"] = known[MEMORY]
        least = memory_least(found.kernel.facts)
        if least is not None:
            figures["memory_least"] = least
    if found.kernel.facts.of_hbm is not None:
        figures["of_hbm"] = found.kernel.facts.of_hbm
    if "tail" in figures and "busiest" in figures:  # slots that are left empty beside busy units
        figures["lost_tail"] = min(float(figures["tail"]), 1.0 - float(figures["busiest"]))
    if found.kernel.next_up:
        figures["next_up"] = found.kernel.next_up
    return figures


def _traced(trace: Optional[TracedWaits]) -> dict[str, float]:
    """Shares of the time of the traced waves."""
    if trace is None:
        return {"untraced": 1.0}
    of_time = {cause: share * trace.stall_fraction for cause, share in trace.waiting.items()}
    found = {
        "traced_stall": trace.stall_fraction,
        "traced_idle": trace.idle_fraction,
        "traced_barrier": of_time.get(BARRIER, 0.0),
        "traced_memory": of_time.get(GLOBAL, 0.0) + of_time.get(SCALAR, 0.0),
        "traced_vector": of_time.get(GLOBAL, 0.0),
        "traced_lds": of_time.get(LDS, 0.0),
    }
    if trace.signs is not None:
        signs = {name: value for name, value in asdict(trace.signs).items() if value is not None}
        found.update(_with_accesses(trace.roles, found))
        found["traced_lds"] += signs.pop("lds_queue")
        found["traced_vector"] += signs["memory_queue"]
        found["traced_atomics"] = signs.pop("atomics")
        if signs.get("scratch"):
            found["scratch_accesses"] = signs["scratch"]
        found.update(signs)
    found.update({f"time_{role}": share for role, share in trace.roles.items()})
    if "time_polynomials" in found:
        found["sequences"] = found.get("sequences", 0.0) + work_for("polynomials", found)
    if trace.deciding_loads is not None:
        found["deciding_loads"] = trace.deciding_loads
    return found


def _with_accesses(roles: Mapping[str, float], waits: Mapping[str, float]) -> dict[str, float]:
    """What goes with narrow loads, or with accesses of the LDS: they, their addresses, and waiting;
    what they stand in line for is in their own time."""
    narrow, lds = roles.get(Role.NARROW_LOADS.value), roles.get(Role.LDS.value)
    found = {}
    if narrow:
        found["narrow_time"] = min(1.0, narrow + waits["traced_vector"])
    if lds:
        lds += roles.get(Role.LDS_ADDRESSES.value, 0.0)
        found["lds_time"] = min(1.0, lds + waits["traced_lds"])
    return found


def _through_l1(figures: Mapping[str, Union[float, str]]) -> dict[str, float]:
    """A cycle brings 64 bytes, though more pieces may be looked up for lanes that are apart.

    However narrow a load, L1 counts four pieces: known is better how much of it L2 brought.
    """
    known = {name: value for name, value in figures.items() if isinstance(value, float)}
    lines, size = known.get("lines_per_access"), known.get("access_bytes")
    if not lines or not size:
        return {}
    found = {}
    if "l1_busy" in known:
        found["l1_moves"] = known["l1_busy"] * min(1.0, size / lines)
    if "untraced" not in known and "requests_per_access" in known:
        # What is stored is asked for in pieces of 64 bytes, what is loaded in those of 128.
        requests = known["requests_per_access"] * (1.0 - known.get("written", 0.0) / 2.0)
        found["spread"] = min(lines / max(_COALESCED, size), requests * _REQUESTED / size)
    if "l1_hits" in known and "untraced" not in known and size < _DWORD:
        brought = _REQUESTED * known["requests_per_access"] / size
        found["l1_hits"] = min(known["l1_hits"], max(0.0, 1.0 - brought))
    return found


def _products(figures: Mapping[str, Union[float, str]]) -> dict[str, float]:
    """What is loaded for each product, and whether those that are traced are of narrow operands."""
    known = {name: value for name, value in figures.items() if isinstance(value, float)}
    found = {"products": known.get("product_share", 0.0)}
    found["operands_per_product"] = known.get("operands_per_fma", 0.0)
    narrow = known.get("time_narrow_products", 0.0)
    if narrow > known.get("time_products", 0.0):
        works = 1.0 - known.get("time_rest", 0.0) - known.get("time_lds", 0.0)
        made = (narrow + known.get("time_operands", 0.0)) / works
        found |= {"narrow_products": 1.0, "products": max(found["products"], made)}
        if not known.get("operands_per_fma"):  # integers, of which no counter tells the products
            found["operands_per_product"] = known.get("accesses_per_instruction", 0.0) / made
    if found["products"] and "stored" in known:
        stores = known["stored"] * known.get("accesses_per_instruction", 0.0)
        found["stores_per_product"] = stores / found["products"]
    return found


def _matrix_rate(
    figures: Mapping[str, Union[float, str]], unit: Optional[ComputeUnit]
) -> dict[str, float]:
    """Of the matrix units for operands of the type that is multiplied now."""
    if unit is None:
        return {}
    if (number(figures, "narrow_products") or 0.0) >= _MOSTLY:
        return {"matrix_rate": unit.matrix_rate_narrow}
    is_double = DOUBLE.holds(number(figures, "double_share") or 0.0)
    return {"matrix_rate": unit.matrix_rate_double if is_double else unit.matrix_rate_single}


def _launch(found: KernelVerdict) -> dict[str, float]:
    kernel, facts = found.kernel, found.kernel.facts
    numbers = {
        "workgroups": facts.workgroups,
        "workgroup_size": facts.workgroup_size,
        "wave_size": facts.wave_size,
        "cu_count": facts.cu_count,
        "launches": kernel.launches,
        "vgpr": kernel.vgpr,
        "lds_bytes": kernel.lds_bytes,
        "scratch_bytes": kernel.scratch_bytes,
    }
    known = {name: float(value) for name, value in numbers.items() if value is not None}
    if facts.workgroups is not None and facts.cu_count:
        known["idle_cus"] = max(0.0, 1.0 - facts.workgroups / facts.cu_count)
    if facts.compute_unit is not None:
        unit = facts.compute_unit
        known["simds"], known["slots_per_simd"] = float(unit.simds), float(unit.slots_per_simd)
        waves = found.verdict.metrics.get("waves")
        if waves is not None and facts.cu_count:
            known["waves_per_simd"] = waves / (facts.cu_count * unit.simds)
    return known


def _derived(found: KernelVerdict) -> dict[str, float]:
    """Figures that combine metrics: shares of shares."""
    metrics = found.verdict.metrics
    derived = {}
    requests = metrics.get("requests_per_access", 0.0)
    if SCATTERED.holds(requests) and requests > metrics.get("lines_per_access", 0.0):
        derived["lines_per_access"] = requests  # behind L1: at least as many were looked up in it
    # L1 looks at least four pieces up, however narrow: what L2 is asked for tells, 2 bytes for each
    # of 64 lanes by a request; a thread trace tells better.
    if "requests_per_access" in metrics:
        derived["access_bytes"] = _REQUESTED * requests
    if "wait_share" not in metrics:
        derived["uncounted"] = 1.0
    counted = found.kernel.facts.counters
    pieces, stored = (
        counter(counted, "TCP_TOTAL_CACHE_ACCESSES"),
        counter(counted, "TCP_TCC_WRITE_REQ"),
    )
    if pieces and stored is not None:
        derived["stored"] = stored / pieces
        derived["results"] = derived["stored"] * metrics.get("accesses_per_wave", 0.0)
    read = counter(counted, "TCP_TCC_READ_REQ")
    if stored and read is not None:
        derived["written"] = stored / (stored + read)
    accesses, vector = counter(counted, "SQ_INSTS_LDS"), counter(counted, "SQ_INSTS_VALU")
    if accesses is not None and vector:
        derived["lds_per_instruction"] = accesses / vector
    others = [metrics.get(name, 0.0) for name in ("vector_busy", "matrix_busy", "memory_reached")]
    if "lds_busy" in metrics and max(others) > 0.0:
        derived["lds_over_others"] = metrics["lds_busy"] / max(others)
    if "lds_conflicts" in metrics and "lds_busy" not in metrics:
        derived["lds_uncounted"] = 1.0
    if "lds_busy" in metrics and "lds_conflicts" in metrics:
        derived["conflict_time"] = metrics["lds_busy"] * metrics["lds_conflicts"]
    if "double_share" in metrics and "conversion_share" in metrics:
        around = min(metrics["conversion_share"], _AROUND_DOUBLE * metrics["double_share"])
        derived["double_work"] = metrics["double_share"] + around
    if "lanes_active" in metrics:
        derived["lanes_of_filled"] = metrics["lanes_active"] / metrics.get("lane_fill", 1.0)
    if "cus_busy" in metrics and "mean_time" in metrics:
        derived["idle_us"] = (1.0 - metrics["cus_busy"]) * metrics["mean_time"]
    if metrics.get("occupancy") and "occupancy_limit" in metrics:
        derived["unfilled"] = metrics["occupancy_limit"] / metrics["occupancy"]
    scratch = scratch_accesses(found)
    if scratch is not None:
        derived["scratch_accesses"] = scratch
    return {**derived, **_lives(metrics)}


def _lives(metrics: Mapping[str, float]) -> dict[str, float]:
    """Of the time of a launch that a wave lives, in the mean, where all of them begin at once: the
    slots that they fill over time against those that they were given."""
    rounds, filled = metrics.get("rounds", math.inf), metrics.get("occupancy")
    given = rounds * metrics.get("occupancy_limit", 0.0) * (1.0 - metrics.get("launch_floor", 0.0))
    if rounds > 1.0 or not given or filled is None:
        return {}
    lived = min(1.0, filled / given)
    return {"lived": lived, "outlived_us": (1.0 - lived) * metrics.get("mean_time", 0.0)}


def scratch_accesses(found: KernelVerdict) -> Optional[float]:
    """Of a wave's memory accesses, at least: what is spilled is stored and loaded once, an array
    that is indexed by data as often as the program likes."""
    per_wave = found.verdict.metrics.get("accesses_per_wave")
    if not per_wave or not found.kernel.scratch_bytes:
        return None
    return min(1.0, 2.0 * found.kernel.scratch_bytes / _DWORD / per_wave)
