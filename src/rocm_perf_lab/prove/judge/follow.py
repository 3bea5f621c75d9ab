"""Following a plan: blocks are asked for up to the next look, and no verdict but at a look."""

from __future__ import annotations

from collections.abc import Iterator

from rocm_perf_lab.errors import SamplesError
from rocm_perf_lab.prove.judge.rule import JudgePlan
from rocm_perf_lab.prove.judge.samples import Block, Samples
from rocm_perf_lab.prove.judge.verdict import Verdict, could_accept, judge


def follow(
    plan: JudgePlan, blocks: Iterator[Block], *, unit: str = "ns", candidates: int = 1
) -> tuple[Verdict, Samples]:
    """The first verdict that is not INCONCLUSIVE, or the last one, and what it was made of. Where
    only a confirmation is missing, more of the same blocks decide nothing."""
    taken: list[Block] = []
    for number, look in enumerate(plan.looks):
        for block in blocks:
            taken.append(block)
            if len(taken) == look.blocks:
                break
        if len(taken) < look.blocks:
            raise SamplesError(
                f"{len(taken)} blocks were measured, but the look is at {look.blocks}",
                "a verdict before the look that was declared would accept by luck",
            )
        samples = Samples(unit, tuple(taken))
        verdict = judge(samples, candidates=candidates, rule=plan.rule_at(number))
        if verdict.verdict != "INCONCLUSIVE" or verdict.wants_confirmation:
            break
    return verdict, samples


def accepts(plan: JudgePlan, blocks: tuple[Block, ...], *, candidates: int = 1) -> bool:
    """Whether the plan accepts at any of its looks; quick where it does not, for trials.

    A plan that stops before with NO CHANGE or REJECT accepts less often than this says."""
    for number, look in enumerate(plan.looks):
        samples, rule = Samples("ns", blocks[: look.blocks]), plan.rule_at(number)
        if could_accept(samples, candidates=candidates, rule=rule):
            verdict = judge(samples, candidates=candidates, rule=rule)
            if verdict.verdict == "ACCEPT":
                return True
    return False
