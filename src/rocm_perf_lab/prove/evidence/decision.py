"""What was decided, by which rule, from what: `decision.json`, version 1.0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any, Final, Literal, Optional

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.prove.judge import JudgePlan, JudgeRule, Look, Samples, Verdict, judge
from rocm_perf_lab.prove.judge.document import JudgeDocument, judge_document
from rocm_perf_lab.strict_json import Strict, says

SCHEMA_VERSION: Final = "1.0"
NAME: Final = "decision.json"
PROVEN = ("equal", "within_tolerance", "within_budget")


class OracleSays(Strict):
    """The verdict on the output, and which report of the bundle it stands in."""

    verdict: str
    report: Optional[str] = None


@dataclass(frozen=True)
class RestsOn:
    """What a decision names besides the samples; see the fields of the same names."""

    bundle: Optional[str] = None
    search: Optional[str] = None
    files: Optional[Mapping[str, str]] = None
    stages: Optional[Mapping[str, str]] = None


class LookModel(Strict):
    blocks: int
    share: float


class Decision(Strict):
    schema_version: Literal["1.0"]
    candidates: Annotated[int, says("tried in the search until then")]
    rule: Annotated[dict[str, Any], says("of the whole plan, before it is shared by looks")]
    looks: Annotated[tuple[LookModel, ...], says("as they were declared")]
    look: Annotated[int, says("the one at which it was decided")]
    kernel: JudgeDocument
    application: Optional[JudgeDocument]
    oracle: OracleSays
    guards: Annotated[tuple[str, ...], says("what the guards refused; empty when nothing")]
    accepted: bool
    order_seed: Annotated[Optional[int], says("of the order of the processes in each block")]
    bundle: Annotated[Optional[str], says("the folder's name; null in earlier versions")] = None
    search: Annotated[
        Optional[str], says("hash of the first line of the search's log; null: of no search")
    ] = None
    files: Annotated[
        Optional[dict[str, str]],
        says("SHA-256 of every file that it was made of: code objects, reports, samples, sources"),
    ] = None
    stages: Annotated[
        Optional[dict[str, str]], says("each report of a stage, and what it says of the candidate")
    ] = None


def plan_of(decision: Decision) -> JudgePlan:
    looks = tuple(Look(look.blocks, look.share) for look in decision.looks)
    return JudgePlan(JudgeRule(**decision.rule), looks)


def decide(
    samples: Samples,
    *,
    plan: JudgePlan,
    candidates: int,
    oracle: OracleSays,
    guards: Sequence[str] = (),
    confirmation: Optional[Samples] = None,
    application: Optional[Samples] = None,
    order_seed: Optional[int] = None,
    rests_on: Optional[RestsOn] = None,
) -> Decision:
    """Everything that is kept can be computed again from the samples and this."""
    rests_on = rests_on or RestsOn()
    look = _look_of(plan, samples)
    rule = plan.rule_at(look)
    kernel = judge(samples, candidates=candidates, rule=rule, confirmation=confirmation)
    whole = None
    if application is not None:  # it must not be slower; nobody confirms by it
        alone = replace(rule, confirm=False)
        whole = judge(application, candidates=candidates, rule=alone)
    return Decision(
        schema_version=SCHEMA_VERSION,
        candidates=candidates,
        rule=asdict(plan.rule),
        looks=tuple(LookModel(blocks=look.blocks, share=look.share) for look in plan.looks),
        look=look,
        kernel=judge_document(kernel, rule),
        application=None if whole is None else judge_document(whole, replace(rule, confirm=False)),
        oracle=oracle,
        guards=tuple(guards),
        accepted=is_accepted(kernel, whole, oracle, guards),
        order_seed=order_seed,
        bundle=rests_on.bundle,
        search=rests_on.search,
        files=None if rests_on.files is None else dict(rests_on.files),
        stages=None if rests_on.stages is None else dict(rests_on.stages),
    )


def is_accepted(
    kernel: Verdict, application: Optional[Verdict], oracle: OracleSays, guards: Sequence[str]
) -> bool:
    """Faster, with the same output, allowed, and the whole application no slower."""
    slower = application is not None and application.verdict == "REJECT"
    return kernel.verdict == "ACCEPT" and oracle.verdict in PROVEN and not guards and not slower


def _look_of(plan: JudgePlan, samples: Samples) -> int:
    declared = [look.blocks for look in plan.looks]
    if len(samples.blocks) not in declared:
        raise UsageError(
            f"{len(samples.blocks)} blocks are not a declared look: {declared}",
            "decide at a look of the plan, with all of its blocks",
        )
    return declared.index(len(samples.blocks))
