"""The one-page answer: what limits the application, why, what it could gain, what to try first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal, Optional

from rocm_perf_lab.analysis.kernels.launch_groups import counter
from rocm_perf_lab.analysis.path.critical_path import ceiling_of
from rocm_perf_lab.analysis.verdicts.advice.causes import SCATTERED
from rocm_perf_lab.analysis.verdicts.advice.choose import (
    FIND_OUT,
    MOST,
    advice_for_kernel,
    advice_outside,
    chosen,
    for_collective,
    nearly_advised,
    next_steps,
)
from rocm_perf_lab.analysis.verdicts.advice.launch_figures import (
    BetweenLaunches,
    beside_each_other,
    least_ns,
    queued_ns,
    unlike_beside_each_other,
)
from rocm_perf_lab.analysis.verdicts.advice.row import Advice
from rocm_perf_lab.analysis.verdicts.figures import figures_of
from rocm_perf_lab.analysis.verdicts.formulas import MEMORY_ROOFS
from rocm_perf_lab.analysis.verdicts.headroom import application_speedup
from rocm_perf_lab.analysis.verdicts.kernels import KernelVerdict, named
from rocm_perf_lab.analysis.verdicts.metrics import METRICS
from rocm_perf_lab.analysis.verdicts.timing import Queues, TimeSplit, Timing

_COMPARABLE = 0.5  # of the largest part of the time
_MAKER_COMPARABLE = 0.2  # where that is a kernel that only makes data
_SIMPLE, _ONLY_STORES = 0.02, 0.01  # accesses for each instruction, loads for each store
_COUNTED = "wait_share"  # a kernel without a label may still have causes that were counted
_ONE_QUEUE = 0.9  # of the time of all launches: others hold what was prepared
_OVERLAP = 0.02  # of the time of all launches: clocks of queues differ a little
_LARGE = 0.5  # copies, launching or host code with more of the span than this limit it
_WORTH_ADVICE = 0.1  # of the critical path
_WORTH_SAYING = 1.05  # times faster end to end
_WORTH_A_NOTE = 0.05  # of the time of all kernels
_NEGLIGIBLE = 1e-4  # a smaller share of a ceiling bounds nothing: the gain would be a fantasy


Limit = Literal["kernel", "communication", "copies", "launching", "host", "unexplained"]


@dataclass(frozen=True)
class Gain:
    """Times faster; upper bounds that nothing promises to be reached."""

    kernel: float  # at its nearest ceiling, with the same work
    application: float  # end to end if the kernel did that
    ceiling: Optional[float]  # the same if the kernel took no time at all


@dataclass(frozen=True)
class Explanation:
    limit: Limit
    time: TimeSplit
    kernel: KernelVerdict  # the one that limits the application
    gain: Optional[Gain]
    advice: tuple[Advice, ...]
    notes: tuple[str, ...]


def explain(
    verdicts: Sequence[KernelVerdict], timing: Timing, kernel: Optional[str] = None
) -> Explanation:
    """``verdicts`` of all kernels, in their order of importance; ``kernel``: which one is asked
    for, as a regular expression."""
    time, asked = timing.split(), named(verdicts, kernel)
    limit = "kernel" if asked else _limit(time, timing)
    found = asked or _found(limit, verdicts, timing)
    return Explanation(
        limit=limit,
        time=time,
        kernel=found,
        gain=_gain(found),
        advice=tuple(_advice(found, verdicts, timing, limit)),
        notes=(
            *_notes(timing, found),
            *_beside(verdicts, timing),
            *_moved(found),
            *(_more_to_gain(verdicts, found) if limit != "launching" else ()),
        ),
    )


def _found(limit: Limit, verdicts: Sequence[KernelVerdict], timing: Timing) -> KernelVerdict:
    if limit == "launching":
        return _most_launched(verdicts)
    named = timing.communication.kernel if timing.communication else None
    collective = next((one for one in verdicts if one.kernel.name == named), None)
    return collective if limit == "communication" and collective else limiting(verdicts)


def limiting(verdicts: Sequence[KernelVerdict]) -> KernelVerdict:
    """The kernel with the largest part of the time, or of those with a comparable part the one that
    counters expect to gain most; the runtime's own, and what only makes data, only if there is no
    other."""
    ranked = sorted(_own(verdicts), key=lambda one: (-one.criticality, -one.kernel.total_ns))
    comparable = _MAKER_COMPARABLE if _makes_data(ranked[0]) else _COMPARABLE
    near = [one for one in ranked if one.criticality >= comparable * ranked[0].criticality]
    near = [one for one in near if not _makes_data(one)] or near
    return near[0] if len(near) == 1 else max(near, key=_counted_gain)


def _makes_data(found: KernelVerdict) -> bool:
    """A few instructions for each store, no loads and no atomics: others are tried with what it
    makes."""
    counted, metrics = found.kernel.facts.counters, found.verdict.metrics
    read, stored = counter(counted, "TCP_TCC_READ_REQ"), counter(counted, "TCP_TCC_WRITE_REQ")
    simple = metrics.get("accesses_per_instruction", 0.0) >= _SIMPLE
    simple &= metrics.get("atomic_share", 0.0) <= _ONLY_STORES
    return bool(simple and stored and read is not None and read <= _ONLY_STORES * stored)


def _counted_gain(found: KernelVerdict) -> float:
    """End to end, of the best change to the kernel itself. A thread trace is made of one kernel
    only: what it tells would not be compared with the same of others."""
    changes = _counted_changes(found)
    return max((one.expected or 1.0 for one in changes), default=1.0)


def _counted_changes(found: KernelVerdict) -> list[Advice]:
    """To the kernel itself, whatever others do: as if it were the only one."""
    counted = replace(found, kernel=replace(found.kernel, trace=None))
    figures = figures_of(counted, [counted], BetweenLaunches(0.0))
    limiter, label = found.kernel.occupancy_limiter, found.verdict.label
    advice = advice_for_kernel(label, figures, limiter, found.criticality)
    return [one for one in advice if one.kernel_gain]


def _with_another(
    said: list[Advice],
    nearly: Sequence[Advice],
    found: KernelVerdict,
    verdicts: Sequence[KernelVerdict],
) -> list[Advice]:
    """The last place is another kernel's where that gains more end to end than what is there, or
    where that only ``nearly`` applies."""
    first, last = said[: MOST - 1], [one for one in said[MOST - 1 :] if one not in nearly]
    mends = {one.mend for one in first}
    others = [
        replace(one, what=f"In {other.kernel.name.partition('(')[0]}: {one.what}")
        for other in _own(verdicts)
        if other is not found and other.criticality >= _WORTH_ADVICE and not _makes_data(other)
        for one in _counted_changes(other)
        if one.mend not in mends and (one.expected or 1.0) >= _WORTH_SAYING
    ]
    best = min(others, key=lambda one: one.order, default=None)
    if best is None or any((one.expected or 1.0) >= (best.expected or 1.0) for one in last):
        return said
    return [*first, best]


def _most_launched(verdicts: Sequence[KernelVerdict]) -> KernelVerdict:
    """Where launching takes the time, kernels have next to none of the path, whichever they are."""
    return max(_own(verdicts), key=lambda found: (found.kernel.launches, found.criticality))


def _own(verdicts: Sequence[KernelVerdict]) -> list[KernelVerdict]:
    single = [found for found in verdicts if found.stands_for == 1]
    return [found for found in single if not found.kernel.runtime_internal] or single


def wants_trace(verdicts: Sequence[KernelVerdict], timing: Timing) -> bool:
    """Whether a thread trace of the limiting kernel would tell more than its counters do: not
    where launching or something outside of kernels is what limits."""
    return bool(verdicts) and _limit(timing.split(), timing) == "kernel"


def _limit(time: TimeSplit, timing: Timing) -> Limit:
    """Exposed communication first: while it lasts the GPU computes nothing, whatever the path."""
    unexplained = timing.unexplained_share
    if timing.communication is not None and timing.communication.is_largest:
        return "communication"
    if (time.copies or 0.0) > _LARGE:
        return "copies"
    if (time.launching or 0.0) > _LARGE:
        return "launching"
    if (time.host or 0.0) > _LARGE:
        return "host"
    return "unexplained" if (unexplained or 0.0) > _LARGE else "kernel"


def _between_launches(timing: Timing, verdicts: Sequence[KernelVerdict]) -> BetweenLaunches:
    """Of one launch, whichever kernel's."""
    time, launches = timing.split(), sum(found.kernel.launches for found in verdicts)
    launching = time.launching or 0.0
    return BetweenLaunches(
        ns=launching * time.span_ms * 1e6 / launches,
        share=min(1.0, time.kernels + launching),
        read_backs=timing.queues.read_backs,
        batches=None if timing.queues.all is None else timing.queues.in_series,
    )


def _shares(verdicts: Sequence[KernelVerdict], timing: Timing) -> dict[str, float]:
    """Of the critical path, for what takes the time outside of kernels."""
    time = timing.split()
    shares = {name: share for name, share in asdict(time).items() if isinstance(share, float)}
    if timing.serial_share is not None:
        shares["serial"] = timing.serial_share
    elif time.span_ms:
        run = sum(one.kernel.total_ns for one in verdicts)
        shares["busiest_queue"] = timing.queues.busiest * run / (time.span_ms * 1e6)
    shares.update(_communication(timing))
    if time.span_ms:
        shares["once"] = timing.queues.once_ns / (time.span_ms * 1e6)
    shares["checks"] = time.kernels * timing.queues.checks
    launches = sum(found.kernel.launches for found in verdicts)
    shares["uploads_per_launch"] = timing.queues.uploads / launches if launches else 0.0
    if time.span_ms:
        shares["least"] = least_ns(verdicts) / (time.span_ms * 1e6)
        if timing.queues.waited_ns is not None:
            shares["waited"] = timing.queues.waited_ns / (time.span_ms * 1e6)
            shares["answers"] = timing.queues.answers_ns / (time.span_ms * 1e6)
    queued = queued_ns(verdicts)
    if queued is not None and time.span_ms:
        shares["held_up"] = float(timing.queues.sends_unasked)
        shares["queued"] = timing.queues.busiest * queued / (time.span_ms * 1e6)
    return shares


def _communication(timing: Timing) -> dict[str, float]:
    found = timing.communication
    if found is None:
        return {}
    shares = {
        "exposed": found.exposed,
        "least_exposed": found.least_exposed,
        "most_work": found.most_work,
        "mean_work": found.mean_work,
    }
    if found.straggler is not None:
        shares["imbalance"] = found.most_work - found.mean_work
    return shares


def _advice(
    found: KernelVerdict,
    verdicts: Sequence[KernelVerdict],
    timing: Timing,
    limit: Limit,
) -> list[Advice]:
    """What could gain most, of the kernel and outside of it."""
    time, shares = timing.split(), _shares(verdicts, timing)
    straggler = timing.communication.straggler if timing.communication else None
    named = {"straggler": straggler} if straggler else {}
    outside = advice_outside({**shares, **named}, unexplained=limit == "unexplained")
    if limit == "communication":
        return for_collective(
            outside, figures_of(found, verdicts, _between_launches(timing, verdicts))
        )
    if found.verdict.label is None and _COUNTED not in found.verdict.metrics:
        return outside[:MOST]
    figures = figures_of(found, verdicts, _between_launches(timing, verdicts))
    if found.kernel.name in timing.queues.in_series:
        figures["in_series"] = float(timing.queues.in_series[found.kernel.name])
        figures.update(beside_each_other(found, verdicts, time))
    in_line = _of_one_queue(verdicts, timing.queues)
    if not in_line and _never_beside(verdicts, timing):
        in_line, figures["streams_wait"] = _work(verdicts), 1.0
    figures.update(unlike_beside_each_other(found, in_line, time))
    known = found.verdict.label, figures, found.kernel.occupancy_limiter, found.criticality
    own, steps = advice_for_kernel(*known), next_steps(figures)
    own = [one for one in own if one.mend not in {other.mend for other in outside}]
    if limit == "unexplained":  # what nobody recorded comes before everything else
        return [*outside, *chosen(own, (), steps)][:MOST]
    applied = {FIND_OUT, *(one.mend for one in (*own, *outside))}
    changes = [step for step in steps if step.mend not in applied]
    nearly = nearly_advised(*known)
    later = [*steps, *nearly_advised(*known, far=True)]
    said = chosen(own, outside, later, [*changes, *nearly])
    return _with_another(said, nearly, found, verdicts) if limit == "kernel" else said


def _of_one_queue(verdicts: Sequence[KernelVerdict], queues: Queues) -> Sequence[KernelVerdict]:
    """Kernels that stand in one queue; none where others do work of their own. What only makes data
    or fills them is prepared, wherever that is."""
    if queues.busiest >= _ONE_QUEUE:
        return verdicts
    work = _work(verdicts)
    here = [one for one in work if one.kernel.name in queues.of_busiest]
    time = sum(one.kernel.total_ns for one in work)
    return here if sum(one.kernel.total_ns for one in here) >= _ONE_QUEUE * time else []


def _never_beside(verdicts: Sequence[KernelVerdict], timing: Timing) -> bool:
    """Whether a kernel of one queue waits for those of others: all of them together take as long as
    the GPU is busy."""
    run = sum(one.kernel.total_ns for one in verdicts)
    busy = (timing.gpu_busy_ms or 0.0) * 1e6
    return (timing.queues.all or 1) > 1 and abs(run - busy) <= _OVERLAP * busy


def _work(verdicts: Sequence[KernelVerdict]) -> list[KernelVerdict]:
    return [one for one in _own(verdicts) if not _makes_data(one)]


def _gain(found: KernelVerdict) -> Optional[Gain]:
    headroom = found.headroom
    if headroom is None or headroom.reached < _NEGLIGIBLE:
        return None
    return Gain(
        kernel=headroom.kernel_speedup,
        application=application_speedup(headroom, found.criticality),
        ceiling=ceiling_of(found.criticality),
    )


def _notes(timing: Timing, found: KernelVerdict) -> list[str]:
    notes = []
    if timing.path is not None and timing.trusted_path is None:
        notes.append(
            "the critical path is not used: most of the GPU's work is not on it, so dependencies "
            "must be missing from the recording"
        )
    if found.verdict.label is not None and found.verdict.missing:
        count = len(found.verdict.missing)
        notes.append(
            f"{count} number{'s are' if count > 1 else ' is'} missing, which makes the verdict "
            f"less sure: {', '.join(found.verdict.missing)}"
        )
    return [*notes, *_suspect(found)]


def _moved(found: KernelVerdict) -> list[str]:
    metrics = found.verdict.metrics
    pieces = max(metrics.get(name, 0.0) for name in ("lines_per_access", "requests_per_access"))
    is_of_memory = found.headroom is not None and found.headroom.bound in MEMORY_ROOFS
    if not (is_of_memory and SCATTERED.holds(pieces)):
        return []
    return ["the gain is for the bytes that are moved now; moving fewer of them gains more"]


def _suspect(found: KernelVerdict) -> list[str]:
    return [
        f"{name.replace('_', ' ')} would be {100 * value:.0f} %, which cannot be: its counters are "
        "of different launches, or wrong; no verdict rests on it"
        if METRICS[name].unit == "share"
        else f"{name.replace('_', ' ')} is {value:g} {METRICS[name].unit}, which cannot be: the "
        "recorded times are wrong or were rounded; no verdict rests on it"
        for name, value in found.verdict.suspect.items()
    ]


def _beside(verdicts: Sequence[KernelVerdict], timing: Timing) -> list[str]:
    """Kernels with a part of the time that run beside the critical path, the longest first."""
    path = timing.trusted_path
    if path is None:
        return []
    slack = {name: on.least_slack_ns for name, on in path.kernels.items() if on.path_ns == 0}
    kernels = sorted((found.kernel for found in verdicts), key=lambda one: -one.total_ns)
    return [
        f"{one.name} runs beside the critical path: it may take {slack[one.name] / 1e3:.1f} us "
        "longer, and making it faster gains nothing"
        for one in kernels
        if one.share >= _WORTH_A_NOTE
        and slack.get(one.name, 0) >= one.mean_ns
        and not one.runtime_internal
    ]


def _more_to_gain(verdicts: Sequence[KernelVerdict], chosen: KernelVerdict) -> list[str]:
    """The kernel with the largest part of the time need not be the one with the most to gain."""
    best = verdicts[0]
    if best is chosen or best.score is None or chosen.score is None or best.score <= chosen.score:
        return []
    label = f", {best.verdict.label}," if best.verdict.label else ""
    return [
        f"{best.kernel.name}{label} has more to gain end to end: score {best.score:.2f} against "
        f"{chosen.score:.2f}"
    ]
