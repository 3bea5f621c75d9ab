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
    code: Optional[CodeModel] = Field(description="what the compiler made; null: nothing built")


class QualityModel(_Strict):
    r2: Optional[float] = Field(description="of held-out folds, of the logarithm; null: too few")
    residual_std: Optional[float]


class CodeModel(_Strict):
    """Of the kernel that needs most; occupancy with the largest workgroup that it declares."""

    vgprs: int
    sgprs: int
    lds_bytes: int
    scratch_bytes: int = Field(description="of each thread")
    spills: int
    occupancy: Optional[float] = Field(description="0 to 1; null: nothing known of the target")


class AttemptModel(_Strict):
    parameters: dict[str, Scalar]
    status: Literal["ok", "build-failed", "failed", "timeout", "wrong", "no-time"]
    value: Optional[float]
    second: Optional[float] = Field(description="of a second objective")
    reason: str
    unstable: bool = Field(description="repeats still differ by more than 5 %")
    code: Optional[CodeModel] = Field(description="what the compiler made; null: nothing built")


class ParetoModel(_Strict):
    parameters: dict[str, Scalar]
    value: float
    second: float


class JudgementModel(_Strict):
    """The best against the default, on processes that the search did not use."""

    verdict: Literal["faster", "slower", "no_change", "inconclusive"]
    speedup: float = Field(description="default / best")
    low: Optional[float] = Field(description="of the interval; null when nothing bounds it")
    high: Optional[float]
    claim: Optional[float] = Field(description="what may be said: the low end, when faster")
    blocks: int
    processes: int = Field(description="started for it; none counts as search")
    reason: str
    output: Literal["equal", "within_tolerance", "unverified"] = Field(
        description="of the best against the default; within_tolerance: by the user's check"
    )
    output_reason: str
    accepted: bool = Field(description="faster, and the output proven to be the same")
    evidence: str = Field(description="folder of the bundle")


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
    speedup: Optional[float] = Field(description="default / best, as measured in the search")
    judgement: Optional[JudgementModel]
    not_judged: Optional[str] = Field(description="why there is no judgement")
    pareto: tuple[ParetoModel, ...] = Field(
        description="with two objectives: what no other one beats in both, the fastest first"
    )
    machines: dict[str, int] = Field(description="what was measured on, and how many on each")
    mixed_machines: bool = Field(description="one model of times of different machines")
    under_way: int = Field(description="questions asked before the answers of those before them")
    model: QualityModel
    importance: dict[str, float]
    warning: Optional[Literal["low_model_confidence"]]
    advice: tuple[str, ...]
    failures: dict[str, int]
    measurements: tuple[AttemptModel, ...] = Field(description="in the order they were made")
