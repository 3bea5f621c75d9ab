"""A tuning as a document."""

from __future__ import annotations

from collections import Counter
from typing import Optional

from rocm_perf_lab.tune.measurement import Measurement
from rocm_perf_lab.tune.tuning import Tuning
from rocm_perf_lab.tune.tuning_schema import (
    SCHEMA_VERSION,
    AttemptModel,
    ConfigurationModel,
    QualityModel,
    TuningDocument,
)

ADVICE = (
    "measure more: a larger --budget or --seed-fraction",
    "tune fewer parameters at a time",
    "look at the run-to-run variation: rocm-perf profile says how stable the program is",
)


def tuning_document(
    tuning: Tuning, *, objective: str, unit: str, seed: int, simulated: bool, virtual: bool
) -> TuningDocument:
    best, default = tuning.best, _default(tuning)
    is_low = tuning.quality.is_low
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
        objective=objective,
        seed=seed,
        simulated=simulated,
        virtual=virtual,
        best_config=_configuration(best, unit),
        default_config=_configuration(default, unit),
        speedup=speedup,
        model=QualityModel(r2=tuning.quality.r2, residual_std=tuning.quality.residual_std),
        importance=tuning.quality.importance,
        warning="low_model_confidence" if is_low else None,
        advice=ADVICE if is_low else (),
        failures=dict(sorted(failures.items())),
        measurements=tuple(map(_attempt, tuning.measurements)),
    )


def _default(tuning: Tuning) -> Optional[Measurement]:
    """What the user has today: the configuration of all defaults, when it was measured."""
    row = tuning.space.default
    if row is None:
        return None
    wanted = tuning.space.configuration(row)
    found = (one for one in tuning.measurements if dict(one.configuration) == wanted)
    return next((one for one in found if one.value is not None), None)


def _configuration(measurement: Optional[Measurement], unit: str) -> Optional[ConfigurationModel]:
    if measurement is None or measurement.value is None:
        return None
    return ConfigurationModel(
        parameters=dict(measurement.configuration),
        runtime_ms=measurement.value if unit == "ms" else None,
        value=measurement.value,
    )


def _attempt(measurement: Measurement) -> AttemptModel:
    return AttemptModel(
        parameters=dict(measurement.configuration),
        status=measurement.status,
        value=measurement.value,
        reason=measurement.reason,
    )
