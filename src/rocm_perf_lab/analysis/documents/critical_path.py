"""Adds the critical path to a profile document, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional, cast

import numpy as np

from rocm_perf_lab.analysis.documents.schemas import critical_path as schema
from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.analysis.documents.unavailable import Reasons
from rocm_perf_lab.analysis.graph.dag import NONE, Cause, Dag, NodeKind
from rocm_perf_lab.analysis.path.critical_path import CriticalPath, KernelOnPath
from rocm_perf_lab.analysis.path.gaps import Idle, IdleTime
from rocm_perf_lab.analysis.path.run_path import RunPath
from rocm_perf_lab.analysis.path.schedule import Schedule
from rocm_perf_lab.analysis.path.what_if import Scenario, WhatIf, what_if
from rocm_perf_lab.strict_json import replace

FIELD = "critical_path"
HOW_TO_RECORD = (
    "rocm-perf profile --critical-path -- ./app, or rocprofv3 --runtime-trace with rocpd output"
)
GAPS_IN_PROFILE = 5
PLANNED_FACTOR = 2.0  # what the plan's kernels are tried with when nothing else was asked
_NAMES_IN_A_HINT = 5


def with_critical_path(
    profile: ProfileDocument, found: Optional[RunPath], scenarios: Sequence[Scenario]
) -> ProfileDocument:
    if found is None:
        why = "only counter passes were recorded, which run kernels one after the other"
        return without_critical_path(profile, why, HOW_TO_RECORD)
    reasons = Reasons()
    model = _model(profile, found, scenarios, reasons)
    unavailable = [*profile.unavailable, *reasons.listed()]
    return replace(profile, critical_path=model, unavailable=unavailable)


def without_critical_path(
    profile: ProfileDocument, reason: str, next_step: Optional[str]
) -> ProfileDocument:
    """The profile as it is, with the reason why the path that was asked for is not there."""
    reasons = Reasons()
    reasons.add(FIELD, reason, next_step)
    return replace(profile, unavailable=[*profile.unavailable, *reasons.listed()])


def _model(
    profile: ProfileDocument, found: RunPath, scenarios: Sequence[Scenario], reasons: Reasons
) -> schema.CriticalPathModel:
    path = found.path
    dag = path.dag
    pid = dag.trace.processes[dag.process].pid
    shown = {row.name for row in profile.kernels}
    if not path.dag.calls:
        reasons.add(
            f"{FIELD}.idle",
            "no API calls were recorded, so that gaps cannot be explained and waits are not known",
            HOW_TO_RECORD,
        )
    return schema.CriticalPathModel(
        critical_path_ns=path.critical_path_ns,
        dominant_symbol=path.dominant_symbol,
        fraction=_of_path(path),
        span_fraction=path.fraction,
        ceiling=path.ceiling,
        span_ns=path.span_ns,
        kernel_ns=path.critical_path_ns - path.copy_ns,
        copy_ns=path.copy_ns,
        idle=idle_model(path.idle),
        bound=_bound(path),
        run=found.run,
        runs=found.runs,
        pid=pid if pid >= 0 else None,
        processes=len(found.paths),
        confidence=path.confidence,
        dependencies=_dependencies(path),
        plan=[kernel.name for kernel in path.plan()],
        kernels=[_kernel_model(kernel) for kernel in path.kernels if kernel.name in shown],
        gaps=_largest_gaps(path),
        gap_count=len(path.gaps),
        what_if=_what_ifs(path, scenarios, reasons),
        notes=_notes(found),
    )


def _of_path(path: CriticalPath) -> float:
    if path.dominant is None or not path.critical_path_ns:
        return 0.0
    return path.dominant.path_ns / path.critical_path_ns


def idle_model(idle: IdleTime) -> schema.IdleModel:
    return schema.IdleModel(**vars(idle))


def idle_name(kind: Idle) -> schema.IdleKind:
    return cast(schema.IdleKind, kind.name.lower())


def cause_name(cause: int) -> schema.CauseName:
    return cast(schema.CauseName, Cause(cause).name.lower())


def _bound(path: CriticalPath) -> schema.Bound:
    """Of equal parts, work counts before waiting."""
    parts: dict[schema.Bound, int] = {
        "kernel": path.critical_path_ns - path.copy_ns,
        "copy": path.copy_ns,
    }
    for kind, length in zip(Idle, vars(path.idle).values()):
        parts[idle_name(kind)] = length
    return max(parts, key=lambda part: parts[part])


def _kernel_model(kernel: KernelOnPath) -> schema.KernelOnPathModel:
    return schema.KernelOnPathModel(
        name=kernel.name,
        runtime_internal=kernel.is_runtime_blit,
        path_ns=kernel.path_ns,
        fraction=kernel.fraction,
        ceiling=kernel.ceiling,
        dispatches=kernel.dispatches,
        dispatches_on_path=kernel.dispatches_on_path,
        least_slack_ns=kernel.least_slack_ns,
    )


def _dependencies(path: CriticalPath) -> list[schema.DependencyModel]:
    dag = path.dag
    of_chains = np.bincount(dag.chain_cause, minlength=len(Cause))
    of_chains[Cause.START] = 0
    count = of_chains + np.bincount(dag.edges.cause, minlength=len(Cause))
    count[Cause.HOST_ORDER] += np.count_nonzero(dag.host_wait != NONE)
    least = np.ones(len(Cause))  # of the host's order, too
    np.minimum.at(least, dag.edges.cause, dag.edges.confidence)
    for kind in np.flatnonzero(of_chains).tolist():
        least[kind] = min(least[kind], dag.chain_confidence[dag.chain_cause == kind].min())
    on_path = np.bincount(path.cause, minlength=len(Cause))
    return [
        schema.DependencyModel(
            cause=cause_name(kind),
            count=int(count[kind]),
            on_path=int(on_path[kind]),
            least_confidence=float(least[kind]),
        )
        for kind in Cause
        if count[kind]
    ]


def _largest_gaps(path: CriticalPath) -> list[schema.GapModel]:
    gaps = path.gaps
    models = []
    for place in gaps.largest(GAPS_IN_PROFILE).tolist():
        parts = gaps.parts[place].tolist()
        length = int(gaps.length[place])
        models.append(
            schema.GapModel(
                begin_ns=int(gaps.begin[place]) - path.dag.first_begin,
                length_ns=length,
                share=length / max(path.span_ns, 1),
                kind=idle_name(Idle(int(np.argmax(parts)))),
                parts=idle_model(IdleTime(*parts)),
                before=_work_name(path.dag, int(gaps.node[place])),
            )
        )
    return models


def _work_name(dag: Dag, node: int) -> str:
    row = int(dag.row[node])
    if dag.kind[node] == NodeKind.DISPATCH:
        return dag.trace.kernels[int(dag.trace.dispatches.kernel[row])].name
    return dag.trace.strings[int(dag.trace.copies.direction[row])]


def _what_ifs(
    path: CriticalPath, scenarios: Sequence[Scenario], reasons: Reasons
) -> list[schema.WhatIfModel]:
    planned = [] if scenarios else [kernel.name for kernel in path.plan()]
    if not scenarios and not planned:
        return []
    schedule = Schedule(path.dag)
    if not scenarios:
        return [_what_if(name, what_if(schedule, {name: PLANNED_FACTOR})) for name in planned]
    names = [kernel.name for kernel in path.kernels]
    models = []
    together: dict[str, float] = {}
    for scenario in scenarios:
        chosen = {name: scenario.factor for name in names if scenario.pattern.search(name)}
        if chosen:
            models.append(_what_if(scenario.text, what_if(schedule, chosen)))
            together.update(chosen)
        else:
            known = ", ".join(name[:60] for name in names[:_NAMES_IN_A_HINT])
            reasons.add(
                f"{FIELD}.what_if",
                f"no kernel matches --what-if '{scenario.text}'",
                f"recorded kernels: {known}",
            )
    if len(models) > 1:
        models.append(_what_if("all of these", what_if(schedule, together)))
    return models


def _what_if(change: str, answer: WhatIf) -> schema.WhatIfModel:
    return schema.WhatIfModel(
        change=change,
        factors=dict(answer.factors),
        before_ns=answer.before_ns,
        after_ns=answer.after_ns,
        speedup=answer.speedup,
    )


def _notes(found: RunPath) -> list[str]:
    dag, notes = found.path.dag, []
    if len(found.paths) > 1:
        pid = dag.trace.processes[dag.process].pid
        notes.append(
            f"{len(found.paths)} processes used the GPU; this is process {pid}, which took longest"
        )
    guessed = int(np.count_nonzero(dag.edges.cause == Cause.INFERRED))
    if dag.unlaunched:
        notes.append(
            f"API calls were recorded in part only: no call that waits, and none that launched "
            f"{dag.unlaunched} of the kernels and copies. Whatever ended last is taken for what "
            "the next stream waited for, and gaps are not explained"
        )
    elif guessed:
        least = float(dag.edges.confidence[dag.edges.cause == Cause.INFERRED].min())
        notes.append(
            f"dependencies inferred from timestamps alone: {guessed}, "
            f"confidence at least {least:.2f}"
        )
    elif not dag.calls:
        notes.append("only the order within each stream is known")
    if (dag.chain_cause == Cause.INFERRED).any():
        notes.append("streams were not recorded: hardware queues are taken for them")
    if (dag.chain_cause == Cause.GRAPH_ORDER).any():
        notes.append(
            "kernels of one graph launch are taken to depend on each other in the order they ran"
        )
    if dag.silent_calls:
        notes.append(
            f"{dag.silent_calls} calls that order work were recorded without their arguments: "
            "which streams and events they mean is guessed. A rocpd recording has them"
        )
    return notes
