"""What ``rocm-perf judge`` prints with ``--json``, version 1.0."""

from __future__ import annotations

import math
from typing import Final, Literal, Optional

from pydantic import BaseModel, ConfigDict, Field

from rocm_perf_lab.prove.judge.rule import JudgeRule
from rocm_perf_lab.prove.judge.verdict import Verdict, VerdictName

SCHEMA_VERSION: Final = "1.0"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class RuleModel(_Strict):
    min_gain: float
    alpha: float = Field(description="of a false accept, over all candidates")
    interval_miss: float = Field(description="how often the interval may miss, both sides together")
    confirmation_alpha: float
    confirm: bool = Field(description="nothing is accepted without confirmation")
    level: float = Field(
        description="of the first blocks: alpha, or alpha / confirmation_alpha with confirmation"
    )
    most_outliers: float = Field(description="share of the processes; with more, inconclusive")
    least_blocks: int


class JudgeDocument(_Strict):
    schema_version: Literal["1.0"]
    verdict: VerdictName
    effect: float = Field(description="time of the baseline / time of the candidate")
    low: Optional[float] = Field(description="of the interval; null when nothing bounds it")
    high: Optional[float]
    claim: Optional[float] = Field(description="what may be said: the low end, when accepted")
    p: float = Field(description="exact probability of a no-op that looks at least as fast")
    p_slower: float
    floor: Optional[float] = Field(description="the least effect that the noise lets through")
    blocks: int
    outliers: int = Field(description="processes far above the others; none is left out")
    value: Literal["low", "whole"] = Field(description="which part of the times was compared")
    candidates: int
    confirmed: Optional[bool]
    reason: str
    needed: Optional[str]
    more_blocks: Optional[int]
    rule: RuleModel
    notes: tuple[str, ...]


def judge_document(verdict: Verdict, rule: JudgeRule, notes: tuple[str, ...] = ()) -> JudgeDocument:
    return JudgeDocument(
        schema_version=SCHEMA_VERSION,
        verdict=verdict.verdict,
        effect=verdict.effect,
        low=verdict.low if verdict.low > 0 else None,
        high=_finite(verdict.high),
        claim=verdict.claim,
        p=verdict.p,
        p_slower=verdict.p_slower,
        floor=_finite(verdict.floor),
        blocks=verdict.blocks,
        outliers=verdict.outliers,
        value=verdict.value,
        candidates=verdict.candidates,
        confirmed=verdict.confirmed,
        reason=verdict.reason,
        needed=verdict.needed,
        more_blocks=verdict.more_blocks,
        rule=RuleModel(
            min_gain=rule.min_gain,
            alpha=rule.alpha,
            interval_miss=rule.interval_miss,
            confirmation_alpha=rule.confirmation_alpha,
            confirm=rule.confirm,
            level=rule.level,
            most_outliers=rule.most_outliers,
            least_blocks=rule.least_blocks(verdict.candidates),
        ),
        notes=notes,
    )


def _finite(value: float) -> Optional[float]:
    return value if math.isfinite(value) else None
