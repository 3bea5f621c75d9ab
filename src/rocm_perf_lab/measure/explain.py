"""``explain`` as a function: what limits the application, why, and what to try first."""

from __future__ import annotations

from rocm_perf_lab.analysis.documents.critical_path import path_of_runs, with_critical_path
from rocm_perf_lab.analysis.documents.profile import build_profile
from rocm_perf_lab.analysis.documents.schemas.explain import ExplanationDocument
from rocm_perf_lab.analysis.verdicts.explain import explain as explain_profile
from rocm_perf_lab.analysis.verdicts.kernels import judge_kernels
from rocm_perf_lab.analysis.verdicts.origins import with_origins
from rocm_perf_lab.measure.request import ExplainRequest
from rocm_perf_lab.measure.runs import opened


def explain(request: ExplainRequest) -> ExplanationDocument:
    with opened(request.source, with_path=True) as runs:
        profile = build_profile(runs.inputs, runs.origin)
        path = path_of_runs([run.trace for run in runs.inputs])
        profile = with_critical_path(profile, path, ())
        profile = runs.with_roofline(profile, request.ceilings)
        if request.deep_analysis or runs.has_traces:
            profile = runs.with_analysis(profile)
        document = explain_profile(profile, judge_kernels(profile, runs.everything()))
        return with_origins(document, [run.trace for run in runs.inputs])
