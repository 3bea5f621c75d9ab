"""What ``rocm-perf replay compare`` prints with ``--json``, version 1.0."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Optional

from rocm_perf_lab.replay.replay_schema import ReplayEnvironment, Timing
from rocm_perf_lab.replay.verify import Verification
from rocm_perf_lab.strict_json import Strict, says

SCHEMA_VERSION: Final = "1.0"
OfTimes = Literal["faster", "slower", "no_change", "inconclusive"]
Outcome = Literal["faster", "slower", "no_change", "inconclusive", "different", "unverified"]


class TimesJudged(Strict):
    verdict: Annotated[OfTimes, says("of B against A")]
    speedup: Annotated[float, says("time of A / time of B")]
    low: Annotated[Optional[float], says("of the 99 % interval; null when nothing bounds it")]
    high: Optional[float]
    p: Annotated[float, says("exact probability of the same code looking at least as fast")]
    rounds: int
    reason: str
    needed: Optional[str]


class ComparedVersion(Strict):
    hsaco_path: str
    timing: Timing
    verification: Verification


class VersionsDocument(Strict):
    schema_version: Literal["1.0"]
    kernel: str
    verdict: Annotated[
        Outcome, says("of the times only when both outputs are proven, else of the outputs")
    ]
    reason: str
    variants: Annotated[tuple[ComparedVersion, ...], says("A and B")]
    again: Annotated[ComparedVersion, says("the code of A once more, as the judge needs it")]
    order_seed: Annotated[int, says("of the order of the three in every round")]
    judgement: Annotated[TimesJudged, says("of the times alone, whatever was computed in them")]
    environment: ReplayEnvironment
