"""The recorded spaces, and one of them as a cache file that Kernel Tuner can read."""

from __future__ import annotations

import json
import os
from pathlib import Path

from rocm_perf_lab.tune.recorded import Recorded, read_recorded

SPACES = ("convolution_MI250X_T4", "convolution_A100_T4", "dedispersion_A100_T4")


def folder() -> Path:
    root = os.environ.get("ROCM_PERF_RECORDINGS")
    here = Path(__file__).resolve().parents[3] / "shared" / "data"
    return Path(root or here) / "tuning-spaces"


def recorded_space(name: str) -> Recorded:
    return read_recorded(folder() / f"{name}.json.gz")


def best_of(recorded: Recorded) -> float:
    return min(one.value for one in recorded.answers.values() if one.value is not None)


def write_cache(recorded: Recorded, path: Path) -> None:
    """Only what a simulation needs; a failure is a word in the place of the time."""
    names = [parameter.name for parameter in recorded.space.parameters]
    entries = {}
    for answer in recorded.answers.values():
        chosen = dict(answer.configuration)
        time = "RuntimeFailedConfig" if answer.value is None else answer.value
        entries[",".join(str(chosen[name]) for name in names)] = {**chosen, "time": time}
    content = {
        "device_name": "recorded",
        "kernel_name": "recorded",
        "problem_size": [1, 1],
        "tune_params_keys": names,
        "tune_params": {p.name: list(p.values) for p in recorded.space.parameters},
        "objective": "time",
        "cache": entries,
    }
    path.write_text(json.dumps(content))
