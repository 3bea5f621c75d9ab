"""The verdict on one kernel: what limits it, from which numbers, and how sure that is.

Deterministic: the same numbers give the same verdict. A number that is missing is named, and every
one of them makes the verdict less sure. Nothing is guessed: without a rule that holds there is no
label.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Optional

from rocm_perf_lab.analysis.verdicts.formulas import KernelFacts
from rocm_perf_lab.analysis.verdicts.metrics import METRICS, evaluate_metrics, is_suspect
from rocm_perf_lab.analysis.verdicts.rules import RULES, Condition, Rule

# Factor on the confidence for every number that is missing, and for a close call. One factor for
# both: a number that is missing can undo a close call, and must not make the verdict surer by that.
_DOUBT = 0.9
_CLOSE = 0.1  # a deciding number within 10 % of its threshold
# A verdict is none the worse without these: they only stand in for others.
_OPTIONAL = frozenset(
    {"trace_waits", "collective", "memory_of_measured", "compute_of_measured", "one_address"}
)


@dataclass(frozen=True)
class Evidence:
    """One number that was compared. ``holds`` says on which side of the threshold it is."""

    name: str
    value: float
    threshold: float
    unit: str
    meaning: str
    below: bool  # the condition asks for less than the threshold, not for at least that
    holds: bool
    decides: bool  # of the rule that names the bottleneck; the others only ruled something out


@dataclass(frozen=True)
class Verdict:
    label: Optional[str]  # None: too little is known
    because: Optional[str]
    runner_up: Optional[str]
    close_call: bool  # with slightly other numbers the runner-up would be the label
    confidence: float  # 0 without a label
    evidence: tuple[Evidence, ...]  # what decided first, then what was ruled out before it
    missing: tuple[str, ...]  # metrics that are not known
    metrics: Mapping[str, float]
    suspect: Mapping[str, float] = field(default_factory=dict)  # metrics that cannot be right

    @property
    def cures(self) -> tuple[str, ...]:
        """What would make the missing metrics known, each once, the most helpful first."""
        needs = [METRICS[name].needs for name in self.missing]
        return tuple(sorted(dict.fromkeys(needs), key=lambda need: -needs.count(need)))


def judge(facts: KernelFacts) -> Verdict:
    values = evaluate_metrics(facts)
    suspect = {name: value for name, value in values.items() if is_suspect(name, value)}
    verdict = judge_metrics({n: value for n, value in values.items() if n not in suspect})
    return replace(verdict, suspect=suspect) if suspect else verdict


def judge_metrics(metrics: Mapping[str, float]) -> Verdict:
    """From the metrics that are known, by their names in the table."""
    missing = _missing(frozenset(metrics))
    winner = next((index for index, rule in enumerate(RULES) if _holds(rule, metrics)), None)
    if winner is None:
        evidence = _evidence((), len(RULES), metrics)
        return Verdict(None, None, None, False, 0.0, evidence, missing, metrics)
    rule = RULES[winner]
    rival = _rival(winner, metrics)
    return Verdict(
        label=rule.label,
        because=rule.because,
        runner_up=rival or _runner_up(rule.label, metrics),
        close_call=rival is not None,
        confidence=_confidence(rule, metrics, missing),
        evidence=_evidence(rule.conditions, winner, metrics),
        missing=missing,
        metrics=metrics,
    )


def _used_metrics() -> tuple[str, ...]:
    names = dict.fromkeys(condition.metric for rule in RULES for condition in rule.conditions)
    return tuple(name for name in names if name not in _OPTIONAL)


@cache  # recordings have many kernels, and the same is known of most of them
def _missing(known: frozenset[str]) -> tuple[str, ...]:
    return tuple(
        name for name in _used_metrics() if name not in known and METRICS[name].instead not in known
    )


def _rival(winner: int, metrics: Mapping[str, float]) -> Optional[str]:
    """The label that numbers a little different would give, if any."""
    label = RULES[winner].label
    for rule in RULES[:winner]:
        known = all(c.metric in metrics for c in rule.conditions)
        if rule.label != label and known and _nearness(rule, metrics) >= 1.0 - _CLOSE:
            return rule.label
    if not any(_is_close(c, metrics[c.metric]) for c in RULES[winner].conditions):
        return None
    others = [rule.label for rule in RULES[winner + 1 :] if _holds(rule, metrics)]
    return others[0] if others and others[0] != label else None


def _nearness(rule: Rule, metrics: Mapping[str, float]) -> float:
    return min(c.nearness(metrics[c.metric]) for c in rule.conditions)


def _holds(rule: Rule, metrics: Mapping[str, float]) -> bool:
    for condition in rule.conditions:  # a plain loop: this is asked most often of all
        if condition.metric not in metrics or not condition.holds(metrics[condition.metric]):
            return False
    return True


def _runner_up(label: str, metrics: Mapping[str, float]) -> Optional[str]:
    """The other label whose rule holds or comes nearest to it; the earlier one of equals."""
    best, nearest = None, 0.0
    for rule in RULES:
        if rule.label == label or any(c.metric not in metrics for c in rule.conditions):
            continue
        near = _nearness(rule, metrics)
        if near > nearest:
            best, nearest = rule.label, near
    return best


def _confidence(rule: Rule, metrics: Mapping[str, float], missing: tuple[str, ...]) -> float:
    close = any(_is_close(condition, metrics[condition.metric]) for condition in rule.conditions)
    return rule.strength * _DOUBT ** (len(missing) + close)


def _is_close(condition: Condition, value: float) -> bool:
    return abs(value - condition.threshold) < _CLOSE * condition.threshold


def _evidence(
    deciding: tuple[Condition, ...], tried: int, metrics: Mapping[str, float]
) -> tuple[Evidence, ...]:
    """Each comparison once: a threshold with both its sides is one comparison."""
    return tuple(
        Evidence(
            name=condition.metric,
            value=metrics[condition.metric],
            threshold=condition.threshold,
            unit=METRICS[condition.metric].unit,
            meaning=METRICS[condition.metric].meaning,
            below=condition.below,
            holds=condition.holds(metrics[condition.metric]),
            decides=condition in deciding,
        )
        for condition in _compared(deciding, tried)
        if condition.metric in metrics
    )


@cache
def _compared(deciding: tuple[Condition, ...], tried: int) -> tuple[Condition, ...]:
    before = [condition for rule in RULES[:tried] for condition in rule.conditions]
    conditions: dict[tuple[str, float], Condition] = {}
    for condition in (*deciding, *before):
        conditions.setdefault((condition.metric, condition.threshold), condition)
    return tuple(conditions.values())
