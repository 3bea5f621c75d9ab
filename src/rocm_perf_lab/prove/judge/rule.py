"""The rule of the judge: every number that decides, fixed before a sample is seen."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from rocm_perf_lab.errors import UsageError

PROCESSES = 3  # of a block: A, A2, B
LEAST_BLOCKS_TO_CONFIRM = 10  # before a confirmation: few blocks say little about the noise


@dataclass(frozen=True)
class JudgeRule:
    """`alpha` is the probability of a false accept over all candidates of a search; it is one in
    50,000, because nobody looks at a search's accepted changes again."""

    min_gain: float = 0.01  # a smaller gain is no gain: 1 %
    alpha: float = 2e-5
    interval_miss: float = 0.01  # both sides together: a 99 % interval
    confirmation_alpha: float = 0.005  # fresh blocks, one candidate: nothing was chosen by them
    confirm: bool = False  # accept nothing that was not confirmed on fresh blocks
    # Of the processes. The test counts the slowest quarter alike; with more outliers than that it
    # would weigh disturbances, so that the blocks decide nothing.
    most_outliers: float = 0.25

    def __post_init__(self) -> None:
        shares = (self.alpha, self.interval_miss, self.confirmation_alpha)
        if not all(0 < share < 0.5 for share in shares):
            raise UsageError("probabilities of a judge's rule are between 0 and 0.5")
        if not 0.0 <= self.most_outliers <= 1.0:
            raise UsageError(f"{self.most_outliers} is not a share of outliers", "0.25 is usual")
        if not 0.0 <= self.min_gain < 10.0:
            raise UsageError(f"{self.min_gain} is not a least gain", "0.01 asks for at least 1 %")

    @property
    def level(self) -> float:
        """How improbable the first blocks must be. What needs a confirmation is wrong only if fresh
        blocks are wrong as well, so that the two probabilities multiply to `alpha`."""
        return min(self.alpha / self.confirmation_alpha, 0.05) if self.confirm else self.alpha

    def least_blocks(self, candidates: int = 1) -> int:
        """With fewer, even a candidate that is fastest in every block proves nothing."""
        least = math.ceil(math.log(candidates / self.level) / math.log(PROCESSES))
        return max(least, LEAST_BLOCKS_TO_CONFIRM) if self.confirm else least


DEFAULT_RULE = JudgeRule()


@dataclass(frozen=True)
class Look:
    """The verdict is asked for when so many blocks are there."""

    blocks: int
    share: float  # of the probabilities to be wrong


@dataclass(frozen=True)
class JudgePlan:
    """When to look, said before the first block is measured. A driver measures up to the next look,
    judges with `rule_at`, and stops at the first verdict that is not INCONCLUSIVE. Looking more
    often than that would accept by luck; the shares of the looks add up to the whole rule."""

    rule: JudgeRule = DEFAULT_RULE
    looks: tuple[Look, ...] = (
        Look(12, 0.1),
        Look(24, 0.2),
        Look(48, 0.3),
        Look(96, 0.4),
    )

    def __post_init__(self) -> None:
        blocks = [look.blocks for look in self.looks]
        if not blocks or blocks != sorted(set(blocks)):
            raise UsageError("the looks of a plan need more and more blocks")
        if (
            any(look.share <= 0 for look in self.looks)
            or sum(look.share for look in self.looks) > 1 + 1e-9
        ):
            raise UsageError("the shares of a plan's looks are above 0 and add up to at most 1")

    def rule_at(self, look: int) -> JudgeRule:
        share = self.looks[look].share
        return replace(
            self.rule,
            alpha=self.rule.alpha * share,
            interval_miss=self.rule.interval_miss * share,
        )

    @staticmethod
    def once(blocks: int, rule: JudgeRule = DEFAULT_RULE) -> JudgePlan:
        return JudgePlan(rule, (Look(blocks, 1.0),))


DEFAULT_PLAN = JudgePlan()
