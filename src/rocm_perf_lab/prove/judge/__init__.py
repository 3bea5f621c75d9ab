"""The judge: a change is faster only when samples prove it. Pure and deterministic."""

from rocm_perf_lab.prove.judge.rule import JudgePlan, JudgeRule, Look
from rocm_perf_lab.prove.judge.samples import Block, Samples
from rocm_perf_lab.prove.judge.verdict import Verdict, could_accept, judge

__all__ = ["Block", "JudgePlan", "JudgeRule", "Look", "Samples", "Verdict", "could_accept", "judge"]
