"""``explain`` as a function: what limits the application, why, and what to try first."""

from __future__ import annotations

from rocm_perf_lab.analysis.documents.schemas.explain import ExplanationDocument
from rocm_perf_lab.measure.examine import examine
from rocm_perf_lab.measure.request import ExplainRequest


def explain(request: ExplainRequest) -> ExplanationDocument:
    return examine(request).explanation
