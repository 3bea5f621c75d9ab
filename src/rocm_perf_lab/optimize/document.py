"""What ``rocm-perf optimize`` and ``llm-optimize`` print with ``--json``, version 1.0."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Optional

from rocm_perf_lab.optimize.attempt import Attempt, AttemptVerdict
from rocm_perf_lab.strict_json import Strict, says

SCHEMA_VERSION: Final = "1.0"


class SpeedupModel(Strict):
    """Times before / after, against the program as it was before the search."""

    kernel: Annotated[Optional[float], says("of the kernel that gained most")]
    kernel_low: Annotated[Optional[float], says("what may be claimed of it")]
    application: Annotated[Optional[float], says("first to last GPU work, waits included")]
    application_low: Optional[float]


class AttemptModel(Strict):
    kernel: str
    proposal: str
    stage: Annotated[str, says("where it ended: reply, G0 to G8, build or regression")]
    verdict: AttemptVerdict
    reason: str
    speedup: Annotated[Optional[float], says("of the kernel: by replay, or judged (G7, G8)")]
    rules: tuple[str, ...]
    bundle: Annotated[Optional[str], says("below the evidence")]
    proof: Annotated[Optional[str], says("why it computes the same, of those that were judged")]


class AcceptedKernelModel(Strict):
    kernel: str
    speedup: float
    low: Optional[float]
    proof: Annotated[str, says("proven for all inputs, or equal in so many trials")]
    not_varied: Annotated[tuple[str, ...], says("by those trials: what may still differ")]


class NotAppliedModel(Strict):
    """A rule that looked at a kernel and could not act, or a kernel that was left alone."""

    kernel: str
    rule: Optional[str]
    why: str
    location: Optional[str]


class ModelUseModel(Strict):
    """What the language model was asked, and what that cost."""

    provider: str
    requests: Annotated[int, says("that were answered")]
    prompt_tokens: int
    reply_tokens: int
    counted: Annotated[bool, says("by the provider; false: estimated from the texts")]
    cost: Annotated[Optional[float], says("with the prices that were given, else null")]
    ended: Annotated[Optional[str], says("why it was not asked any more; null: it could be")]


class OptimizeDocument(Strict):
    schema_version: Literal["1.0"]
    tool_version: str
    engine: Literal["rules", "llm", "both"]
    verdict: AttemptVerdict
    reason: str
    speedup: SpeedupModel
    kernels: Annotated[tuple[AcceptedKernelModel, ...], says("that were changed")]
    attempts: tuple[AttemptModel, ...]
    output: Annotated[Optional[str], says("the file with the accepted code")]
    outputs: Annotated[tuple[str, ...], says("all of them, if several files changed")]
    written: Annotated[bool, says("the output is the user's own file")]
    diff: str
    evidence: Annotated[str, says("the folder of the search")]
    sources: tuple[str, ...]
    flags: tuple[str, ...]
    device: Literal["rocm", "virtual"]
    not_applied: tuple[NotAppliedModel, ...]
    seconds: float
    interrupted: bool
    model: Annotated[Optional[ModelUseModel], says("null when no model was asked")]
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
        proof=attempt.proof,
    )
