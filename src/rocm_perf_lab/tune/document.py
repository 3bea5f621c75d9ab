"""A tuning as a document."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict
from typing import Literal, Optional

from rocm_perf_lab.tune.finalist import Judgement
from rocm_perf_lab.tune.measurement import Measurement
from rocm_perf_lab.tune.request import Tuned, TuneRequest
from rocm_perf_lab.tune.triton_table import triton_table
from rocm_perf_lab.tune.tuning_schema import (
    SCHEMA_VERSION,
    AttemptModel,
    CodeModel,
    ConfigurationModel,
    JudgementModel,
    ParetoModel,
    QualityModel,
    TritonTable,
    TuningDocument,
)

ADVICE = (
    "measure more: a larger --budget or --seed-fraction",
    "tune fewer parameters at a time",
    "look at the run-to-run variation: rocm-perf profile says how stable the program is",
)


def tuning_document(tuned: Tuned, request: TuneRequest) -> TuningDocument:
    tuning, unit = tuned.tuning, tuned.unit
    best, default = tuning.best, tuning.default
    is_low = tuning.quality.is_low and len(tuning.measurements) < tuning.space.size
    speedup = None
    if best is not None and default is not None and best.value and default.value:
        speedup = default.value / best.value
    failures = Counter(one.status for one in tuning.measurements if one.status != "ok")
    return TuningDocument(
        schema_version=SCHEMA_VERSION,
        search_space_size=tuning.space.size,
        size_is_estimate=tuning.space.size_is_estimate,
        evaluated_configs=len(tuning.measurements),
        budget=tuning.budget,
        fraction=len(tuning.measurements) / tuning.space.size,
        resumed=tuning.resumed,
        objective=request.objective,
        seed=request.search.seed,
        simulated=request.simulate is not None,
        virtual=tuned.virtual,
        best_config=_configuration(best, unit),
        default_config=_configuration(default, unit),
        speedup=speedup,
        judgement=None if tuned.judgement is None else _judgement(tuned.judgement),
        not_judged=tuned.not_judged,
        pareto=tuple(map(_pareto, tuning.pareto)),
        machines=dict(tuning.machines),
        mixed_machines=len(tuning.machines) > 1,
        under_way=request.under_way,
        model=QualityModel(r2=tuning.quality.r2, residual_std=tuning.quality.residual_std),
        importance=tuning.quality.importance,
        warning="low_model_confidence" if is_low else None,
        advice=ADVICE if is_low else (),
        failures=dict(sorted(failures.items())),
        measurements=tuple(map(_attempt, tuning.measurements)),
        triton=_triton(tuned, request),
    )


def _triton(tuned: Tuned, request: TuneRequest) -> Optional[TritonTable]:
    if request.triton is None or tuned.looked is None:
        return None
    return triton_table(tuned.tuning, tuned.looked, request.triton, tuned.virtual)


def _configuration(measurement: Optional[Measurement], unit: str) -> Optional[ConfigurationModel]:
    if measurement is None or measurement.value is None:
        return None
    return ConfigurationModel(
        parameters=dict(measurement.configuration),
        runtime_ms=measurement.value if unit == "ms" else None,
        value=measurement.value,
        code=_code(measurement),
    )


_VERDICTS: dict[str, Literal["faster", "slower", "no_change", "inconclusive"]] = {
    "ACCEPT": "faster",
    "REJECT": "slower",
    "NO_CHANGE": "no_change",
    "INCONCLUSIVE": "inconclusive",
}


def _judgement(judgement: Judgement) -> JudgementModel:
    verdict = judgement.verdict
    return JudgementModel(
        verdict=_VERDICTS[verdict.verdict],
        speedup=verdict.effect,
        low=verdict.low if verdict.low > 0 else None,
        high=verdict.high if math.isfinite(verdict.high) else None,
        claim=verdict.claim,
        blocks=verdict.blocks,
        processes=judgement.processes,
        reason=verdict.reason,
        output=judgement.output,
        output_reason=judgement.output_reason,
        accepted=judgement.accepted,
        evidence=str(judgement.evidence),
    )


def _pareto(measurement: Measurement) -> ParetoModel:
    assert measurement.value is not None
    assert measurement.second is not None
    return ParetoModel(
        parameters=dict(measurement.configuration),
        value=measurement.value,
        second=measurement.second,
    )


def _attempt(measurement: Measurement) -> AttemptModel:
    return AttemptModel(
        parameters=dict(measurement.configuration),
        status=measurement.status,
        value=measurement.value,
        second=measurement.second,
        reason=measurement.reason,
        unstable=measurement.unstable,
        code=_code(measurement),
    )


def _code(measurement: Measurement) -> Optional[CodeModel]:
    return None if measurement.code is None else CodeModel(**asdict(measurement.code))
