"""What ``rocm-perf optimize`` and ``llm-optimize`` print with ``--json``, version 1.0."""

from __future__ import annotations

from typing import Final, Literal, Optional

from pydantic import BaseModel, ConfigDict, Field

from rocm_perf_lab.optimize.attempt import Attempt, AttemptVerdict

SCHEMA_VERSION: Final = "1.0"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class SpeedupModel(_Strict):
    """Times before / after, against the program as it was before the search."""

    kernel: Optional[float] = Field(description="of the kernel that gained most")
    kernel_low: Optional[float] = Field(description="what may be claimed of it")
    application: Optional[float] = Field(description="first to last GPU work, waits included")
    application_low: Optional[float]


class AttemptModel(_Strict):
    kernel: str
    proposal: str
    stage: str = Field(description="where it ended: reply, G0 to G8, build or regression")
    verdict: AttemptVerdict
    reason: str
    speedup: Optional[float] = Field(description="of the kernel: by replay, or judged (G7, G8)")
    rules: tuple[str, ...]
    bundle: Optional[str] = Field(description="below the evidence")


class AcceptedKernelModel(_Strict):
    kernel: str
    speedup: float
    low: Optional[float]


class NotAppliedModel(_Strict):
    """A rule that looked at a kernel and could not act, or a kernel that was left alone."""

    kernel: str
    rule: Optional[str]
    why: str
    location: Optional[str]


class ModelUseModel(_Strict):
    """What the language model was asked, and what that cost."""

    provider: str
    requests: int = Field(description="that were answered")
    prompt_tokens: int
    reply_tokens: int
    counted: bool = Field(description="by the provider; false: estimated from the texts")
    cost: Optional[float] = Field(description="with the prices that were given, else null")
    ended: Optional[str] = Field(description="why it was not asked any more; null: it could be")


class OptimizeDocument(_Strict):
    schema_version: Literal["1.0"]
    tool_version: str
    engine: Literal["rules", "llm", "both"]
    verdict: AttemptVerdict
    reason: str
    speedup: SpeedupModel
    kernels: tuple[AcceptedKernelModel, ...] = Field(description="that were changed")
    attempts: tuple[AttemptModel, ...]
    output: Optional[str] = Field(description="the file with the accepted code")
    outputs: tuple[str, ...] = Field(description="all of them, if several files changed")
    written: bool = Field(description="the output is the user's own file")
    diff: str
    evidence: str = Field(description="the folder of the search")
    sources: tuple[str, ...]
    flags: tuple[str, ...]
    device: Literal["rocm", "virtual"]
    not_applied: tuple[NotAppliedModel, ...]
    seconds: float
    interrupted: bool
    model: Optional[ModelUseModel] = Field(description="null when no model was asked")
    notes: tuple[str, ...]


def attempt_model(attempt: Attempt) -> AttemptModel:
    return AttemptModel(
        kernel=attempt.kernel,
        proposal=attempt.proposal,
        stage=attempt.stage.value,
        verdict=attempt.verdict,
        reason=attempt.reason,
        speedup=attempt.speedup,
        rules=attempt.rules,
        bundle=attempt.bundle,
    )
