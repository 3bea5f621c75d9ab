"""What ``rocm-perf autotune --json`` prints, version 1.0."""

from __future__ import annotations

from typing import Literal, Optional, Union

from pydantic import BaseModel, ConfigDict, Field

SCHEMA_VERSION = "1.0"
Scalar = Union[bool, int, float, str]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ConfigurationModel(_Strict):
    parameters: dict[str, Scalar]
    runtime_ms: Optional[float] = Field(description="null when the objective is no time")
    value: float = Field(description="what was made small")


class QualityModel(_Strict):
    r2: Optional[float] = Field(description="of held-out folds, of the logarithm; null: too few")
    residual_std: Optional[float]


class AttemptModel(_Strict):
    parameters: dict[str, Scalar]
    status: Literal["ok", "build-failed", "failed", "timeout", "wrong", "no-time"]
    value: Optional[float]
    reason: str


class TuningDocument(_Strict):
    schema_version: Literal["1.0"]
    search_space_size: int
    size_is_estimate: bool
    evaluated_configs: int
    budget: int
    fraction: float = Field(description="evaluated of all")
    resumed: int = Field(description="of the evaluated, answered by the journal")
    objective: str
    seed: int
    simulated: bool = Field(description="answers came from a recorded space, nothing ran")
    virtual: bool = Field(description="measured on the virtual device")
    best_config: Optional[ConfigurationModel]
    default_config: Optional[ConfigurationModel]
    speedup: Optional[float] = Field(description="default / best, as measured; not judged")
    model: QualityModel
    importance: dict[str, float]
    warning: Optional[Literal["low_model_confidence"]]
    advice: tuple[str, ...]
    failures: dict[str, int]
    measurements: tuple[AttemptModel, ...] = Field(description="in the order they were made")
