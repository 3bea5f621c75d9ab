"""What ``rocm-perf judge`` prints with ``--json``, version 1.0."""

from __future__ import annotations

import math
from typing import Annotated, Final, Literal, Optional

from rocm_perf_lab.prove.judge.rule import JudgeRule
from rocm_perf_lab.prove.judge.verdict import Verdict, VerdictName
from rocm_perf_lab.strict_json import Strict, says

SCHEMA_VERSION: Final = "1.0"


class RuleModel(Strict):
    min_gain: float
    alpha: Annotated[float, says("of a false accept, over all candidates")]
    interval_miss: Annotated[float, says("how often the interval may miss, both sides together")]
    confirmation_alpha: float
    confirm: Annotated[bool, says("nothing is accepted without confirmation")]
    level: Annotated[
        float, says("of the first blocks: alpha, or alpha / confirmation_alpha with confirmation")
    ]
    most_outliers: Annotated[float, says("share of the processes; with more, inconclusive")]
    least_blocks: int


class JudgeDocument(Strict):
    schema_version: Literal["1.0"]
    verdict: VerdictName
    effect: Annotated[
        float,
        says(
            "time of the baseline / time of the candidate, of all launches of a process together;"
            " never above totals when the candidate is faster"
        ),
    ]
    low: Annotated[Optional[float], says("of the interval; null when nothing bounds it")]
    high: Optional[float]
    claim: Annotated[Optional[float], says("what may be said: the low end, when accepted")]
    p: Annotated[float, says("exact probability of a no-op that looks at least as fast")]
    p_slower: float
    floor: Annotated[Optional[float], says("the least effect that the noise lets through")]
    blocks: int
    outliers: Annotated[int, says("processes far above the others; none is left out")]
    value: Annotated[
        Literal["low", "whole"],
        says("whose low end is the smaller one: the low part of the launches, or all of them"),
    ]
    candidates: int
    confirmed: Optional[bool]
    reason: str
    needed: Optional[str]
    more_blocks: Optional[int]
    rule: RuleModel
    notes: tuple[str, ...]
    totals: Annotated[
        Optional[float], says("all time of the baseline / all time of the candidate, as summed")
    ] = None
    typical: Annotated[
        Optional[float], says("of the low part of the launches: of one launch, not of the run")
    ] = None
    later: Annotated[
        Optional[float], says("without the first launch of each process; null: there is but one")
    ] = None
    launches: Annotated[Optional[int], says("of one process")] = None


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
        totals=verdict.totals,
        typical=verdict.typical,
        later=verdict.later,
        launches=verdict.launches,
    )


def _finite(value: float) -> Optional[float]:
    return value if math.isfinite(value) else None
