"""What other launches would gain: fewer of them, some beside each other, none waited for."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.analysis.kernels.families import family_of
from rocm_perf_lab.analysis.kernels.launch_groups import counter
from rocm_perf_lab.analysis.verdicts.advice.bounds import MEMORY, in_registers
from rocm_perf_lab.analysis.verdicts.advice.causes import SCATTERED
from rocm_perf_lab.analysis.verdicts.formulas import MEMORY_ROOFS, memory_least
from rocm_perf_lab.analysis.verdicts.headroom import headroom_of
from rocm_perf_lab.analysis.verdicts.kernels import KernelVerdict
from rocm_perf_lab.analysis.verdicts.launch_floor import launch_floor_ns
from rocm_perf_lab.analysis.verdicts.rules import SMALL_GRID
from rocm_perf_lab.analysis.verdicts.timing import TimeSplit

_NEGLIGIBLE = 1e-4  # a smaller share of a ceiling bounds nothing: the gain would be a fantasy
_WAYS_OF_COPIES = 2.0
# As probable are unlike kernels in one queue not to need each other: nobody records what one makes
# and another uses.
_INDEPENDENT = 0.5
_ALIKE = 2.0 / 3.0  # and launches of one kernel: other parts of the work, or its next step
_STREAMS = 8.0  # that somebody makes: for more launches one is made of them
_BESIDES_NS = 1e3  # of a launch with work: arguments, a load, a store
_PASSED_ON = 2.0 / 3.0  # as probable a launch goes on with what the one before it stored
_OF_NEIGHBOURS = 0.5  # and as probable with what others stored, where it reads neighbours
_PASSES = 4  # launches, at least: of two or three less traffic says the same
_NEIGHBOURS, _LOOP = 0.1, 8.0  # found in L1, accesses of a wave: there are none
_MOVES = 0.4  # of the roof of memory


@dataclass(frozen=True)
class BetweenLaunches:
    """What launching takes, and what of it stays however much is done in one launch."""

    ns: float  # of each launch
    share: float = 1.0  # of the time is kernels and launching, no copies and no host
    read_backs: int = 0  # times that the host waits for a result before it launches more
    # Kernels whose launches follow each other, with no other between them; None: nobody knows.
    batches: Optional[Collection[str]] = None


def possible(
    found: KernelVerdict, everything: Sequence[KernelVerdict], between: BetweenLaunches
) -> dict[str, float]:
    """How many times faster all launches could be in one, or this kernel with its work even.

    Upper bounds: one launch may keep in registers what several pass on through memory, which is
    then moved as by one of them.
    """
    now = sum(one.kernel.launches * (one.kernel.mean_ns + between.ns) for one in everything)
    if not now:  # the recorded times are rounded to nothing
        return {}
    floor = _floor(found)
    alone = launch_floor_ns(found.kernel.facts.target, 1, None)  # with no other to be waited for
    one_launch = min(found.kernel.mean_ns * floor, alone or math.inf) + between.ns
    computes = sum(_work_ns(one, moves=False) for one in everything)
    moves = max(_work_ns(one) / one.kernel.launches for one in everything)
    possible = {"fused": now / (max(computes, moves) + one_launch)}
    possible["fused_likely"] = _fused_likely(everything, between, now)
    if _passes_by(found):
        possible["passes"] = float(sum(one.kernel.launches for one in _passing(everything)))
    busy = found.verdict.metrics.get("cus_busy")
    if busy:
        possible["even"] = 1.0 / (busy * (1.0 - floor) + floor)
    return possible


def _fused_likely(
    everything: Sequence[KernelVerdict], between: BetweenLaunches, now: float
) -> float:
    """In as few launches as the host lets be, end to end, as probable as kernels are nothing but
    launching: what needs all of the step before cannot be fused, and that is the rule where a
    kernel has work of its own. Launches that leave compute units free run beside each other then.
    What is expected is the time, not how many times faster it is: one half of nothing is half."""
    launches = sum(one.kernel.launches for one in everything)
    kernels = sum(one.kernel.launches * one.kernel.mean_ns for one in everything)
    floors = sum(one.kernel.launches * one.kernel.mean_ns * _floor(one) for one in everything)
    if not kernels:
        return 1.0
    left = min(launches, between.read_backs + 1)
    passing = _passing(everything)
    alone = [one for one in everything if one not in passing]
    work = sum(_beside_ns(one, left, between.batches) for one in alone)
    work += left * max((_once_ns(one) for one in passing), default=0.0)
    passed = sum(one.kernel.launches * one.kernel.mean_ns for one in passing)
    probable = max(sum(map(_alone_ns, everything)), _PASSED_ON * passed) / kernels
    faster = now / (work + left * (floors / launches + between.ns))
    return 1.0 / (1.0 - between.share * probable * (1.0 - 1.0 / max(1.0, faster)))


def _alone_ns(one: KernelVerdict) -> float:
    """What any launch takes, of launches that need nothing which others made in the step before: as
    probably as not where L1 finds what neighbours load as well, and there are other workgroups."""
    floor = one.kernel.launches * one.kernel.mean_ns * _floor(one)
    neighbours = one.verdict.metrics.get("l1_hits", 0.0) >= _NEIGHBOURS
    return floor * (
        _OF_NEIGHBOURS if neighbours and (one.kernel.facts.workgroups or 0) > 1 else 1.0
    )


def _passing(everything: Sequence[KernelVerdict]) -> list[KernelVerdict]:
    """Kernels whose launches may be passes over the same values, where these are several."""
    found = [one for one in everything if _passes_by(one)]
    return found if sum(one.kernel.launches for one in found) >= _PASSES else []


def _passes_by(one: KernelVerdict) -> bool:
    """At the roof of memory each work-item loads a few values that no other loads, and stores: it
    needs none that others made in the launch before."""
    metrics, counted = one.verdict.metrics, one.kernel.facts.counters
    stored, read = counter(counted, "TCP_TCC_WRITE_REQ"), counter(counted, "TCP_TCC_READ_REQ")
    alone = metrics.get("l1_hits", 1.0) < _NEIGHBOURS
    alone &= not SCATTERED.holds(metrics.get("lines_per_access", math.inf))
    short = metrics.get("accesses_per_wave", math.inf) <= _LOOP
    return bool(alone and short and stored and read and _reached(one) >= _MOVES)


def _reached(one: KernelVerdict) -> float:
    reached = one.kernel.facts.reached
    return max((reached[name] for name in MEMORY_ROOFS if name in reached), default=0.0)


def _once_ns(one: KernelVerdict) -> float:
    return one.kernel.mean_ns * (1.0 - _floor(one))


def _beside_ns(one: KernelVerdict, groups: int, batches: Optional[Collection[str]]) -> float:
    """The work of a kernel's launches where those of a group share the device. Steps with other
    kernels between them do not: but what each of them takes besides is taken once."""
    once = _once_ns(one)
    work = one.kernel.launches * once
    grid = one.verdict.metrics.get("workgroups_per_cu") or 1.0
    if grid >= 1.0:
        return work
    if batches is not None and one.kernel.name not in batches:
        return work - max(0, one.kernel.launches - groups) * min(_BESIDES_NS, once)
    together = max(1.0, one.kernel.launches / groups)
    return work / min(together, 1.0 / grid)


def beside_each_other(
    found: KernelVerdict, everything: Sequence[KernelVerdict], time: TimeSplit
) -> dict[str, float]:
    """End to end, where all launches of a template run at once: at most as fast as one of them and
    without launching, beside copies, probably as many at a time as there is room for, a workgroup
    for each compute unit: on streams as many as these are, in one launch all of them. Of what
    gains many times or nothing the mean of the logarithms is expected."""
    family = family_of(found.kernel.name)
    same = [one for one in everything if family_of(one.kernel.name) == family]
    launches = float(sum(one.kernel.launches for one in same))
    share = sum(one.criticality for one in same)
    grid = found.verdict.metrics.get("workgroups_per_cu") or 1.0
    together = min(launches, 1.0 / min(1.0, grid))
    on_streams = min(together, _STREAMS)
    one = share / launches * (1.0 - _floor(found))  # it need not be handed over by another
    return {
        "alike": launches,
        "beside": 1.0 / _left_beside(share, one, time),
        "beside_likely": 1.0 / (1.0 - share * (1.0 - on_streams**-_ALIKE)),
        "batched_likely": 1.0 / (1.0 - share * (1.0 - together**-_ALIKE)),
    }


def _left_beside(share: float, one: float, time: TimeSplit) -> float:
    """Without ``share`` of the time but for ``one``; to the device and back at once there are
    copies, too, and each way they stand in line."""
    copies = time.copies or 0.0
    gone = share + (time.launching or 0.0) + (time.host or 0.0) + copies
    return max(1e-3, 1.0 - gone + max(one, copies / _WAYS_OF_COPIES))


def unlike_beside_each_other(
    found: KernelVerdict, everything: Sequence[KernelVerdict], time: TimeSplit
) -> dict[str, float]:
    """End to end, where kernels that leave compute units free run beside each other: at most all
    launches as long as the longest, probably the longest chain, if they do not need each other."""
    small = [one for one in everything if _leaves_room(one)]
    chains: dict[str, float] = {}
    for one in small:
        family = family_of(one.kernel.name)
        chains[family] = chains.get(family, 0.0) + one.criticality
    if len(chains) < 2:
        return {}
    share = sum(chains.values())
    longest = max((1.0 - _floor(one)) * one.criticality / one.kernel.launches for one in small)
    own = chains.get(family_of(found.kernel.name), 0.0)
    return {
        "unlike": float(len(chains)),
        "small_others": (share - own) / share if share else 0.0,
        "unlike_beside": 1.0 / _left_beside(share, longest, time),
        "unlike_likely": 1.0 / (1.0 - _INDEPENDENT * (share - max(chains.values()))),
    }


def _leaves_room(one: KernelVerdict) -> bool:
    grid = one.verdict.metrics.get("workgroups_per_cu")
    is_own = one.stands_for == 1 and not one.kernel.runtime_internal
    return is_own and grid is not None and SMALL_GRID.holds(grid)


def queued_ns(everything: Sequence[KernelVerdict]) -> Optional[float]:
    """What all launches take where the host is ahead; None where nobody measured it.

    Whether one is handed over while the one before still runs depends on how fast the host is:
    half of the time that it takes counts.
    """
    hand_over = [one.kernel.facts.hand_over_ns for one in everything]
    if not hand_over or None in hand_over:
        return None
    return sum(
        one.kernel.launches * (one.kernel.mean_ns + (more or 0.0) / 2.0)
        for one, more in zip(everything, hand_over)
    )


def least_ns(everything: Sequence[KernelVerdict]) -> float:
    """What no order of the same launches can undercut: they may run beside each other and beside
    copies, but the unit that is busiest in each has its work to do, and the longest takes its time.
    """
    longest = max((one.kernel.mean_ns for one in everything), default=0.0)
    return max(longest, sum(map(_work_ns, everything)))


def _floor(found: KernelVerdict) -> float:
    return found.verdict.metrics.get("launch_floor", 0.0)


def _work_ns(found: KernelVerdict, *, moves: bool = True) -> float:
    """What is left of a kernel's launches without launching, at the nearest ceiling that it surely
    stands under; not ``moves``: without its loads and stores, and what makes their addresses."""
    facts, metrics = found.kernel.facts, found.verdict.metrics
    if not moves:
        metrics = {**metrics, "vector_busy": in_registers(metrics, "accesses_per_instruction")}
    ceilings = {name: share for name, share in facts.reached.items() if name not in MEMORY_ROOFS}
    memory = memory_least(facts) if moves else None
    if memory is not None:
        ceilings[MEMORY] = memory
    nearest = headroom_of(ceilings, metrics)
    work = 1.0 - _floor(found)
    if nearest and nearest.reached >= _NEGLIGIBLE:
        work = min(work, nearest.reached)
    elif not moves:  # it does nothing but move bytes, or nobody counted what it does
        work = 0.0
    return found.kernel.launches * found.kernel.mean_ns * work
