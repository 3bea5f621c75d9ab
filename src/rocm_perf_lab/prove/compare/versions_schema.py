"""What ``rocm-perf replay compare`` prints with ``--json``, version 1.0."""

from __future__ import annotations

from typing import Final, Literal, Optional

from pydantic import BaseModel, ConfigDict, Field

from rocm_perf_lab.replay.replay_schema import ReplayEnvironment, Timing
from rocm_perf_lab.replay.verify import Verification

SCHEMA_VERSION: Final = "1.0"
OfTimes = Literal["faster", "slower", "no_change", "inconclusive"]
Outcome = Literal["faster", "slower", "no_change", "inconclusive", "different", "unverified"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class TimesJudged(_Strict):
    verdict: OfTimes = Field(description="of B against A")
    speedup: float = Field(description="time of A / time of B")
    low: Optional[float] = Field(description="of the 99 % interval; null when nothing bounds it")
    high: Optional[float]
    p: float = Field(description="exact probability of the same code looking at least as fast")
    rounds: int
    reason: str
    needed: Optional[str]


class ComparedVersion(_Strict):
    hsaco_path: str
    timing: Timing
    verification: Verification


class VersionsDocument(_Strict):
    schema_version: Literal["1.0"]
    kernel: str
    verdict: Outcome = Field(
        description="of the times only when both outputs are proven, else of the outputs"
    )
    reason: str
    variants: tuple[ComparedVersion, ...] = Field(description="A and B")
    again: ComparedVersion = Field(description="the code of A once more, as the judge needs it")
    order_seed: int = Field(description="of the order of the three in every round")
    judgement: TimesJudged = Field(description="of the times alone, whatever was computed in them")
    environment: ReplayEnvironment
