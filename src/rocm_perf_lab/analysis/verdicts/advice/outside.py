"""Advice for what takes the time where it is no kernel; figures are shares of the critical path."""

from __future__ import annotations

from typing import Optional

from rocm_perf_lab.analysis.verdicts.advice.causes import faster
from rocm_perf_lab.analysis.verdicts.advice.row import EASIER, Bound, Figures, Row, number
from rocm_perf_lab.analysis.verdicts.rules import at_least

_WORTH = 0.15  # of the path
_WORTH_BALANCE = 0.05  # of the time: the least of what is said of ranks
_OF_A_GRAPH = 0.1  # of what the host takes to launch, where it waits for nothing


def _gone(*names: str) -> Bound:
    """Without these shares at all, but never shorter than what one queue has to run."""

    def bound(figures: Figures) -> float:
        left = 1.0 - sum(number(figures, name) or 0.0 for name in names)
        checks = (number(figures, "checks") or 0.0) if "checks" in names else 0.0
        return 1.0 / max(1e-3, left, (number(figures, "serial") or 0.0) - checks)

    return bound


def _launched_ahead(figures: Figures) -> Optional[float]:
    """Waits of the host go with launching, copies where they are what blocks, and kernels whose
    only result is whether to go on. Queues that wait for the host no more run beside each other:
    the busiest one is left."""
    gone = _gone("launching", "host", "copies", "checks")(figures)
    busiest = number(figures, "busiest_queue")
    if busiest is None or number(figures, "serial") is not None:
        return gone
    return max(gone or 1.0, 1.0 / max(1e-3, busiest))


def _overlapped(figures: Figures) -> float:
    """Without copies and without what they hold up. On other streams kernels run beside each other,
    too, but not in less than the work of their busiest units."""
    names = ("copies", "launching", "host")
    left = 1.0 - sum(number(figures, name) or 0.0 for name in names)
    least = number(figures, "least")
    return 1.0 / max(1e-3, left if least is None else min(left, least))


def _queued(figures: Figures) -> Optional[float]:
    """Kernels one behind the other in a queue that never runs empty, or what the host takes to
    launch them if that is longer. Copies stay what they are, but for answers that it waits for."""
    kernels, waited = number(figures, "queued"), number(figures, "waited")
    if kernels is None:
        return None
    left = kernels + _copies_of_data(figures)
    if waited is not None:
        launching = max(0.0, (number(figures, "launching") or 0.0) - waited)
        left = max(left, 1.0 - waited - _OF_A_GRAPH * launching)
    return max(1.0, 1.0 / max(1e-3, left))


def _copies_of_data(figures: Figures) -> float:
    return max(0.0, (number(figures, "copies") or 0.0) - (number(figures, "answers") or 0.0))


def _copied_before(figures: Figures) -> Optional[float]:
    """Without the copies but answers that the host waits for; what is copied to the GPU between
    launches keeps them apart, too."""
    copies = _copies_of_data(figures)
    # What crosses once is hidden behind the rest at best, or the rest behind it.
    left = max(1.0 - copies, min(copies, number(figures, "once") or 0.0))
    gone = faster(1.0 - left)
    return max(gone or 1.0, _not_held_up(figures) or 1.0) if number(figures, "held_up") else gone


def _not_held_up(figures: Figures) -> Optional[float]:
    kernels = number(figures, "queued")
    return None if kernels is None else max(1.0, 1.0 / max(1e-3, kernels))


def _left(name: str) -> Bound:
    """What computes and copies is left, even if all that waits for other GPUs goes too."""
    return lambda figures: 1.0 / max(1e-3, number(figures, name) or 0.0)


OUTSIDE = (
    Row(
        "overlap",
        "Overlap communication with work that does not need its result: another stream, smaller "
        "buckets that are sent as soon as they are filled.",
        "the GPU communicates and computes nothing for {exposed:.0%} of the time",
        (at_least("least_exposed", _WORTH),),
        _left("most_work"),
        expected=_gone("least_exposed"),
    ),
    Row(
        "balance",
        "Give {straggler} less to do, or find what it does longer than the others: they wait for "
        "it in collectives.",
        "it computes and copies for {most_work:.0%} of the time, all ranks for {mean_work:.0%} on "
        "average",
        (at_least("imbalance", _WORTH_BALANCE),),
        _left("mean_work"),
        expected=_gone("imbalance"),
    ),
    Row(
        "copies",
        "Copy less: leave data on the GPU between steps, use pinned memory (hipHostMalloc) and "
        "overlap copies with kernels on other streams.",
        "copies take {copies:.0%} of the critical path, kernels {kernels:.0%}",
        (at_least("copies", _WORTH),),
        _overlapped,  # a copy that blocks holds up the launches behind it
        expected=_copied_before,
    ),
    # Of memory that is not pinned a copy takes its time in the call, and little on the GPU.
    Row(
        "copies",
        "Copy without holding up the host: pinned memory (hipHostMalloc), hipMemcpyAsync and other "
        "streams, or leave data on the GPU between steps.",
        "launching takes {launching:.0%} of the critical path, and for each launch there are "
        "{uploads_per_launch:.1f} copies to the GPU",
        (at_least("launching", _WORTH), at_least("uploads_per_launch", 0.5)),
        _overlapped,
        expected=_not_held_up,
    ),
    Row(
        "ahead",
        "Launch ahead, or less often: no waiting for the GPU between launches "
        "(hipDeviceSynchronize, blocking copies), a graph (hipGraphLaunch), fused kernels.",
        "launching takes {launching:.0%} of the critical path, kernels {kernels:.0%}",
        (at_least("launching", _WORTH),),
        _launched_ahead,
        expected=_queued,
        ease=EASIER,
    ),
    Row(
        "host",
        "Let the GPU run ahead: submit the next work before waiting for the last, move host work "
        "to another thread.",
        "the host takes {host:.0%} of the critical path, kernels {kernels:.0%}",
        (at_least("host", _WORTH),),
        _gone("host"),
    ),
)

UNEXPLAINED = Row(
    "record",
    "Record what the host does meanwhile: rocm-perf explain -- ./app, or rocprofv3 "
    "--runtime-trace.",
    "no kernel runs for {other:.0%} of the time, and no API calls were recorded that would tell "
    "why",
)
