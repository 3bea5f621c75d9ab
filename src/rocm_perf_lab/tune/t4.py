"""A tuning in the T4 format of auto-tuning results, as Kernel Tuner writes and reads it."""

from __future__ import annotations

import json
from typing import Any

from rocm_perf_lab.tune.measurement import Measurement
from rocm_perf_lab.tune.tuning import Tuning

_INVALIDITY = {
    "ok": "correct",
    "build-failed": "compile",
    "failed": "runtime",
    "timeout": "timeout",
    "wrong": "correctness",
    "no-time": "runtime",
}


def t4_text(tuning: Tuning, unit: str) -> str:
    """``miliseconds`` is how the format spells it."""
    content = {
        "schema_version": "1.0.0",
        "metadata": {"timeunit": "miliseconds" if unit == "ms" else unit},
        "results": [_result(one, unit) for one in tuning.measurements],
    }
    return json.dumps(content, indent=1) + "\n"


def _result(measurement: Measurement, unit: str) -> dict[str, Any]:
    is_good = measurement.status == "ok"
    times: dict[str, Any] = {"compilation": 0, "framework": 0, "search_algorithm": 0}
    times["validation"] = 0
    if is_good:
        times["runtimes"] = list(measurement.times) or [measurement.value]
    value = measurement.value if is_good else _INVALIDITY[measurement.status]
    return {
        "configuration": dict(measurement.configuration),
        "times": times,
        "invalidity": _INVALIDITY[measurement.status],
        "correctness": int(is_good),
        "measurements": [{"name": "time", "value": value, "unit": unit}],
        "objectives": ["time"],
    }
