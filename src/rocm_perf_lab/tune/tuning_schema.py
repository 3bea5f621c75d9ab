"""What ``rocm-perf autotune --json`` prints, version 1.0."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Optional, Union

from rocm_perf_lab.strict_json import Strict, says

SCHEMA_VERSION: Final = "1.0"
Scalar = Union[bool, int, float, str]


class ConfigurationModel(Strict):
    parameters: dict[str, Scalar]
    runtime_ms: Annotated[Optional[float], says("null when the objective is no time")]
    value: Annotated[float, says("what was made small")]
    code: Annotated[Optional[CodeModel], says("what the compiler made; null: nothing built")]


class QualityModel(Strict):
    r2: Annotated[Optional[float], says("of held-out folds, of the logarithm; null: too few")]
    residual_std: Optional[float]


class CodeModel(Strict):
    """Of the kernel that needs most; occupancy with the largest workgroup that it declares."""

    vgprs: int
    sgprs: int
    lds_bytes: int
    scratch_bytes: Annotated[int, says("of each thread")]
    spills: int
    occupancy: Annotated[Optional[float], says("0 to 1; null: nothing known of the target")]


class AttemptModel(Strict):
    parameters: dict[str, Scalar]
    status: Literal["ok", "build-failed", "failed", "timeout", "wrong", "no-time"]
    value: Optional[float]
    second: Annotated[Optional[float], says("of a second objective")]
    reason: str
    unstable: Annotated[bool, says("repeats still differ by more than 5 %")]
    code: Annotated[Optional[CodeModel], says("what the compiler made; null: nothing built")]


class ParetoModel(Strict):
    parameters: dict[str, Scalar]
    value: float
    second: float


class JudgementModel(Strict):
    """The best against the default, on processes that the search did not use."""

    verdict: Literal["faster", "slower", "no_change", "inconclusive"]
    speedup: Annotated[float, says("default / best")]
    low: Annotated[Optional[float], says("of the interval; null when nothing bounds it")]
    high: Optional[float]
    claim: Annotated[Optional[float], says("what may be said: the low end, when faster")]
    blocks: int
    processes: Annotated[int, says("started for it; none counts as search")]
    reason: str
    output: Annotated[
        Literal["equal", "within_tolerance", "unverified"],
        says("of the best against the default; within_tolerance: by the user's check"),
    ]
    output_reason: str
    accepted: Annotated[bool, says("faster, and the output proven to be the same")]
    evidence: Annotated[str, says("folder of the bundle")]


class TritonConfigModel(Strict):
    """The arguments of ``triton.Config``; values that are not plain, as text."""

    kwargs: dict[str, Optional[Scalar]]
    options: Annotated[dict[str, Optional[Scalar]], says("num_warps, num_stages, ...")]
    exact: Annotated[bool, says("all of it is plain values, so that it can be written as code")]


class TritonChoiceModel(Strict):
    key: Annotated[dict[str, Optional[Scalar]], says("the arguments that the decorator names")]
    dtypes: Annotated[tuple[str, ...], says("of the arguments, also part of Triton's key")]
    config: TritonConfigModel
    ms: Annotated[float, says("of a launch, the median")]
    default_ms: Annotated[Optional[float], says("with the first configuration; null: failed")]


class TritonTable(Strict):
    """The best configuration of each key."""

    schema_version: Literal["1.0"]
    file: str
    kernel: str
    key: tuple[str, ...]
    virtual: Annotated[bool, says("measured on the virtual device")]
    table: tuple[TritonChoiceModel, ...]
    reason: Annotated[Optional[str], says("why a key, or all, are missing in the table")]


class TuningDocument(Strict):
    schema_version: Literal["1.0"]
    search_space_size: int
    size_is_estimate: bool
    evaluated_configs: int
    budget: int
    fraction: Annotated[float, says("evaluated of all")]
    resumed: Annotated[int, says("of the evaluated, answered by the journal")]
    objective: str
    seed: int
    simulated: Annotated[bool, says("answers came from a recorded space, nothing ran")]
    virtual: Annotated[bool, says("measured on the virtual device")]
    best_config: Optional[ConfigurationModel]
    default_config: Optional[ConfigurationModel]
    speedup: Annotated[Optional[float], says("default / best, as measured in the search")]
    judgement: Optional[JudgementModel]
    not_judged: Annotated[Optional[str], says("why there is no judgement")]
    pareto: Annotated[
        tuple[ParetoModel, ...],
        says("with two objectives: what no other one beats in both, the fastest first"),
    ]
    machines: Annotated[dict[str, int], says("what was measured on, and how many on each")]
    mixed_machines: Annotated[bool, says("one model of times of different machines")]
    under_way: Annotated[int, says("questions asked before the answers of those before them")]
    model: QualityModel
    importance: dict[str, float]
    warning: Optional[Literal["low_model_confidence"]]
    advice: tuple[str, ...]
    failures: dict[str, int]
    measurements: Annotated[tuple[AttemptModel, ...], says("in the order they were made")]
    triton: Annotated[Optional[TritonTable], says("null: without --triton")] = None
