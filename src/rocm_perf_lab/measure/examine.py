"""Everything that is known of an application's runs: what ``explain`` and ``report`` tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Optional

from rocm_perf_lab.analysis.documents.critical_path import with_critical_path
from rocm_perf_lab.analysis.documents.profile import build_profile
from rocm_perf_lab.analysis.documents.schemas.explain import ExplanationDocument, SteadyModel
from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.analysis.documents.verdicts.explanation import explanation_of
from rocm_perf_lab.analysis.documents.verdicts.measured import timing_of
from rocm_perf_lab.analysis.documents.verdicts.models import judge_profile, with_verdicts
from rocm_perf_lab.analysis.documents.verdicts.origins import with_origins, with_regions
from rocm_perf_lab.analysis.documents.walls import hot_lines, with_walls
from rocm_perf_lab.analysis.path.run_path import RunPath, path_of_runs
from rocm_perf_lab.analysis.path.steady import Steady, steady_part
from rocm_perf_lab.analysis.path.timeline import (
    busiest_queue,
    checks,
    copied_ns,
    kernels_in_series,
    kernels_of_busiest,
    once_ns,
    queues_used,
    read_backs,
    uploads,
)
from rocm_perf_lab.analysis.path.waits import host_waits
from rocm_perf_lab.analysis.verdicts.explain import limiting, wants_trace
from rocm_perf_lab.analysis.verdicts.kernels import KernelVerdict, named
from rocm_perf_lab.analysis.verdicts.timing import Queues
from rocm_perf_lab.measure.request import ExplainRequest
from rocm_perf_lab.measure.runs import Runs, opened
from rocm_perf_lab.measure.walls.walls import QUICK_S
from rocm_perf_lab.strict_json import replace as replaced
from rocm_perf_lab.trace.model import Trace
from rocm_perf_lab.trace.part import Part, part_of

_MOSTLY = 0.5  # of the time of copies


@dataclass(frozen=True)
class Examined:
    """The documents, and what is too large for them: the graph and the columns of the runs."""

    profile: ProfileDocument
    explanation: ExplanationDocument
    path: Optional[RunPath]
    runs: tuple[Trace, ...]
    everything: Trace  # the runs and their counter passes as one


def explain(request: ExplainRequest) -> ExplanationDocument:
    """What limits the application, why, and what to try first."""
    return examine(request).explanation


def examine(request: ExplainRequest) -> Examined:
    with opened(request.source, with_path=True, part=request.part) as runs:
        found = _examined(request, runs)
        repeats = _set_up_limits(request, found)
        if repeats is not None:
            runs.choose(Part(dispatches=(repeats.first, repeats.last)))
            found = with_whole(_examined(request, runs), repeats, found)
        lines = hot_lines(found.profile, found.explanation.kernel)
        return replace(found, explanation=_with_walls(request, runs, found.explanation, lines))


def _set_up_limits(request: ExplainRequest, found: Examined) -> Optional[Steady]:
    """The part that repeats, where copies limit the run as a whole and are not of that part."""
    asked = request.whole or request.kernel or not request.part.is_all
    if asked or found.explanation.limit != "copies":
        return None
    parts = [steady_part(trace) for trace in found.runs]
    first = parts[0]
    if first is None or any(part != first for part in parts):
        return None
    inside = [part_of(t, Part(dispatches=(first.first, first.last))).copies for t in found.runs]
    outside = [copied_ns(t.copies) - copied_ns(c) for t, c in zip(found.runs, inside)]
    all_of_them = sum(copied_ns(trace.copies) for trace in found.runs)
    return first if sum(outside) > _MOSTLY * all_of_them else None


def _examined(request: ExplainRequest, runs: Runs) -> Examined:
    profile = build_profile(runs.inputs, runs.origin)
    path = path_of_runs([run.trace for run in runs.inputs])
    profile = with_critical_path(profile, path, ())
    profile = runs.with_roofline(profile, request.ceilings)
    profile, verdicts = _judged(request, runs, profile)
    traces = tuple(run.trace for run in runs.inputs)
    queues = Queues(
        max(queues_used(trace.dispatches) for trace in traces),
        kernels_in_series(traces),
        max(map(read_backs, traces)),
        max(busiest_queue(trace.dispatches) for trace in traces),
        max(map(uploads, traces)),
        max(map(checks, traces)),
        frozenset().union(*map(kernels_of_busiest, traces)),
        *_waits(traces),
        min(map(once_ns, traces)),
    )
    explanation = with_origins(
        explanation_of(profile, verdicts, queues, request.kernel), list(traces)
    )
    explanation = with_regions(explanation, traces[profile.timing.run])
    profile = with_verdicts(profile, verdicts)
    return Examined(profile, explanation, path, traces, runs.everything())


def with_whole(found: Examined, repeats: Steady, whole: Examined) -> Examined:
    """Says of the part that repeats what it is a part of."""
    steady = SteadyModel(
        repeats=repeats.repeats,
        launches=repeats.period,
        span_ms=found.explanation.time.span_ms,
        whole_ms=whole.explanation.time.span_ms,
        copies_ms=sum(copied_ns(t.copies) for t in whole.runs) / len(whole.runs) / 1e6,
    )
    return replace(found, explanation=replaced(found.explanation, steady=steady))


def _with_walls(
    request: ExplainRequest, runs: Runs, explanation: ExplanationDocument, lines: Sequence[str]
) -> ExplanationDocument:
    """Unless it was asked for, only what a kernel is the cause of, and within a time limit."""
    if request.walls:
        return with_walls(explanation, runs.walls(explanation.kernel, None, lines))
    if request.walls is None and runs.offers_walls and explanation.limit == "kernel":
        return with_walls(explanation, runs.walls(explanation.kernel, QUICK_S, lines))
    return explanation


def _waits(traces: Sequence[Trace]) -> tuple[Optional[int], int, int]:
    """Of the run that waited least: others were held up by something else."""
    known = [waits for waits in map(host_waits, traces) if waits is not None]
    if len(known) < len(traces):
        return None, 0, 0
    least = min(known, key=lambda waits: waits.ns)
    return least.ns, least.answers_ns, least.fetched_ns


def _judged(
    request: ExplainRequest, runs: Runs, profile: ProfileDocument
) -> tuple[ProfileDocument, tuple[KernelVerdict, ...]]:
    """With a thread trace where it is wanted, or where it would tell more."""
    verdicts = judge_profile(profile, runs.everything())
    wanted = request.deep_analysis
    if wanted is None and not runs.has_traces:
        wanted = wants_trace(verdicts, timing_of(profile)) and runs.offers_traces
    if not (wanted or runs.has_traces):
        return profile, verdicts
    name = (named(verdicts, request.kernel) or limiting(verdicts)).kernel.name
    profile = runs.with_analysis(profile, name, code=request.deep_analysis is True)
    return profile, judge_profile(profile, runs.everything())
