"""The judge: a change is faster only when samples prove it. Pure and deterministic."""

from rocm_perf_lab.prove.judge.follow import accepts, follow
from rocm_perf_lab.prove.judge.rule import DEFAULT_PLAN, DEFAULT_RULE, JudgePlan, JudgeRule, Look
from rocm_perf_lab.prove.judge.samples import Block, Samples
from rocm_perf_lab.prove.judge.verdict import Verdict, could_accept, judge

__all__ = [
    "DEFAULT_PLAN",
    "DEFAULT_RULE",
    "Block",
    "JudgePlan",
    "JudgeRule",
    "Look",
    "Samples",
    "Verdict",
    "accepts",
    "could_accept",
    "follow",
    "judge",
]
