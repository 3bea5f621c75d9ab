"""Everything that is known of an application's runs: what ``explain`` and ``report`` tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.analysis.documents.critical_path import with_critical_path
from rocm_perf_lab.analysis.documents.profile import build_profile
from rocm_perf_lab.analysis.documents.schemas.explain import ExplanationDocument
from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.analysis.documents.verdicts.explanation import explanation_of
from rocm_perf_lab.analysis.documents.verdicts.measured import timing_of
from rocm_perf_lab.analysis.documents.verdicts.models import judge_profile, with_verdicts
from rocm_perf_lab.analysis.documents.verdicts.origins import with_origins
from rocm_perf_lab.analysis.documents.walls import hot_lines, with_walls
from rocm_perf_lab.analysis.path.run_path import RunPath, path_of_runs
from rocm_perf_lab.analysis.path.timeline import (
    busiest_queue,
    checks,
    kernels_in_series,
    kernels_of_busiest,
    queues_used,
    read_backs,
    uploads,
)
from rocm_perf_lab.analysis.path.waits import host_waits
from rocm_perf_lab.analysis.verdicts.explain import limiting, wants_trace
from rocm_perf_lab.analysis.verdicts.kernels import KernelVerdict
from rocm_perf_lab.analysis.verdicts.timing import Queues
from rocm_perf_lab.measure.request import ExplainRequest
from rocm_perf_lab.measure.runs import Runs, opened
from rocm_perf_lab.measure.walls.walls import QUICK_S
from rocm_perf_lab.trace.model import Trace


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
    with opened(request.source, with_path=True) as runs:
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
        )
        explanation = with_origins(explanation_of(profile, verdicts, queues), list(traces))
        lines = hot_lines(profile, explanation.kernel)
        explanation = _with_walls(request, runs, explanation, lines)
        profile = with_verdicts(profile, verdicts)
        return Examined(profile, explanation, path, traces, runs.everything())


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
    name = limiting(verdicts).kernel.name
    profile = runs.with_analysis(profile, name, code=request.deep_analysis is True)
    return profile, judge_profile(profile, runs.everything())
