"""What the oracle says: one verdict, and the stages that led to it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Optional

Verdict = Literal["equal", "different", "unverified"]
Tier = Literal["bit_exact", "error_budget"]
StageVerdict = Literal["pass", "fail", "unverified", "skipped"]
Use = Literal["input", "output", "input and output", "untouched or unknown"]


@dataclass(frozen=True)
class Worst:
    """The element that is furthest from what it should be."""

    where: str  # "argument 0"
    index: int  # of the element behind the argument's pointer; of the byte where it has no type
    expected: Optional[float]  # None: not a number
    found: Optional[float]
    error: Optional[float]  # None: infinite or not a number
    allowed: float
    text: str = ""  # for people: found and expected


@dataclass(frozen=True)
class Stage:
    """One question. ``skipped`` could not be asked, ``unverified`` got no answer."""

    name: str
    verdict: StageVerdict
    detail: str
    exact: bool = False  # no byte was different
    compared_bytes: int = 0
    different: int = 0  # elements, or bytes where the type is not known
    over_budget: int = 0
    max_relative: Optional[float] = None
    max_ulp: Optional[float] = None
    mean_ulp: Optional[float] = None  # of the elements that are not the same
    worst: Optional[Worst] = None


@dataclass(frozen=True)
class TypedArgument:
    """What is known about a buffer, and from where."""

    argument: str
    type: Optional[str]  # None: only bytes can be compared
    source: Literal["signature", "user", "unknown"]
    use: Use
    bytes: int


@dataclass(frozen=True)
class OracleReport:
    verdict: Verdict
    tier: Optional[Tier]  # of a verdict "equal": what it rests on
    reason: str
    stage: Optional[str]  # that decided, if it is not "equal"
    reference: str  # what errors were measured against
    stages: tuple[Stage, ...]
    arguments: tuple[TypedArgument, ...] = ()
    notes: tuple[str, ...] = ()
    seed: Optional[int] = None  # of the other inputs: the same one asks the same questions
    trials: int = 0  # launches with other memory, numbers or shapes, in which both were the same
    not_varied: tuple[str, ...] = ()  # what no trial changed


def decide(
    stages: Sequence[Stage],
    reference: str,
    arguments: Sequence[TypedArgument] = (),
    notes: Sequence[str] = (),
    seed: Optional[int] = None,
) -> OracleReport:
    """Any failure is a difference; any stage without an answer leaves the question open."""

    def report(
        verdict: Verdict, reason: str, stage: Optional[Stage] = None, tier: Optional[Tier] = None
    ) -> OracleReport:
        name = None if stage is None else stage.name
        asked, typed, said = tuple(stages), tuple(arguments), tuple(notes)
        return OracleReport(verdict, tier, reason, name, reference, asked, typed, said, seed)

    for verdict, meaning in (("fail", "different"), ("unverified", "unverified")):
        for stage in stages:
            if stage.verdict == verdict:
                reason = f"{stage.name}: {stage.detail}"
                return report(
                    "different" if meaning == "different" else "unverified", reason, stage
                )
    compared = [stage for stage in stages if stage.verdict == "pass" and stage.compared_bytes]
    if not compared:
        return report("unverified", "nothing was compared")
    exact = all(stage.exact for stage in compared)
    how = "bit by bit" if exact else "within the error budget"
    return report(
        "equal",
        f"{len(compared)} comparisons agree {how}",
        tier="bit_exact" if exact else "error_budget",
    )
