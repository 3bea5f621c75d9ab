"""What ``rocm-perf judge --self-test`` says of a device, version 1.0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal, Optional

import numpy as np

from rocm_perf_lab.prove.judge.process_value import low_values
from rocm_perf_lab.prove.judge.rule import DEFAULT_PLAN, JudgePlan
from rocm_perf_lab.prove.judge.samples import Block, Samples, Times
from rocm_perf_lab.prove.judge.trials import Rate, found, smallest_gain
from rocm_perf_lab.strict_json import Strict, says

SCHEMA_VERSION: Final = "1.0"
GAINS = (0.01, 0.015, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.3, 0.5)
_SEED = 1


class RateModel(Strict):
    count: int
    trials: int
    share: float
    low: Annotated[float, says("Clopper-Pearson, 95 %, both ends together")]
    high: float


class GainModel(Strict):
    gain: float
    found: RateModel


class SelfTestDocument(Strict):
    schema_version: Literal["1.0"]
    device: Optional[str]
    virtual: bool
    kernel: str
    dispatches: Annotated[int, says("of the kernel in one process")]
    blocks: Annotated[int, says("measured; the trials draw from them with repetition")]
    looks: Annotated[tuple[int, ...], says("when the plan of the trials asks for a verdict")]
    process_noise: Annotated[float, says("standard deviation of log(A/A2) of process values")]
    false_accepts: RateModel
    gains: tuple[GainModel, ...]
    smallest_gain: Annotated[Optional[float], says("found in at least 9 of 10 trials")]


def self_test(
    blocks: Sequence[tuple[Times, Times, Times]],
    *,
    kernel: str,
    device: Optional[str],
    virtual: bool,
    trials: int = 2000,
    gain_trials: int = 50,
    plan: JudgePlan = DEFAULT_PLAN,
) -> SelfTestDocument:
    samples = Samples("ns", tuple(Block(*block) for block in blocks)).check()
    rates = smallest_gain(blocks, plan, GAINS, gain_trials, _SEED)
    gain, rate = rates[-1]
    return SelfTestDocument(
        schema_version=SCHEMA_VERSION,
        device=device,
        virtual=virtual,
        kernel=kernel,
        dispatches=len(samples.blocks[0].a),
        blocks=len(blocks),
        looks=tuple(look.blocks for look in plan.looks),
        process_noise=_noise(samples),
        false_accepts=_model(found(blocks, plan, 0.0, trials, _SEED)),
        gains=tuple(GainModel(gain=gain, found=_model(rate)) for gain, rate in rates),
        smallest_gain=gain if rate.share >= 0.9 else None,
    )


def _noise(samples: Samples) -> float:
    values = low_values(samples)
    return float(np.sqrt(np.mean((values[:, 0] - values[:, 1]) ** 2)))


def _model(rate: Rate) -> RateModel:
    low, high = (round(bound, 6) for bound in (rate.low, rate.high))
    return RateModel(count=rate.count, trials=rate.trials, share=rate.share, low=low, high=high)
