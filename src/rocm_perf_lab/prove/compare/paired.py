"""Judging interleaved blocks: every kernel with a part in the time, and the whole, look by look."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.measure.blocks import A2, ROLES, A, B, BlockTimes, kernel_times
from rocm_perf_lab.measure.process_times import ProcessTimes, Times
from rocm_perf_lab.prove.compare.judgement import INCONCLUSIVE, Judgement, from_verdict
from rocm_perf_lab.prove.compare.subjects import END_TO_END, Subject, launched_alike, subjects_of
from rocm_perf_lab.prove.judge import Block, JudgePlan, JudgeRule, Look, Samples, judge

# A comparison is looked at by somebody, unlike each of a search's candidates: one wrong word in a
# thousand comparisons of equal programs, over all of their kernels together.
ALPHA = 1e-3
_SHARES = ((1 / 4, 0.2), (1 / 2, 0.3), (1.0, 0.5))  # part of the blocks, share of the probabilities


@dataclass(frozen=True)
class Judged:
    blocks: tuple[BlockTimes, ...]
    judgements: dict[Subject, Judgement]

    def samples(self) -> dict[Subject, Samples]:
        """Of everything that was judged, for whoever judges again."""
        return {subject: samples_of(self.blocks, subject) for subject in self.judgements}


def judge_blocks(blocks: Iterator[BlockTimes], most: int, threshold: float) -> Judged:
    """Looks when a quarter, half and all of the blocks are there, and stops when all is decided.
    What one look decided stays, whatever later blocks would say."""
    measured: list[BlockTimes] = []
    decided: dict[Subject, Judgement] = {}
    looks = looks_of(most)
    for number, look in enumerate(looks):
        measured.extend(islice(blocks, look.blocks - len(measured)))
        subjects = subjects_of(bases_of(measured), heads_of(measured))
        rule = JudgeRule(min_gain=threshold, alpha=ALPHA / max(1, len(subjects)))
        rule = JudgePlan(rule, looks).rule_at(number)
        for subject in subjects:
            if subject not in decided or decided[subject].word == INCONCLUSIVE:
                decided[subject] = from_verdict(judge(samples_of(measured, subject), rule=rule))
        if all(judgement.word != INCONCLUSIVE for judgement in decided.values()):
            break
    return Judged(tuple(measured), decided)


def looks_of(most: int) -> tuple[Look, ...]:
    """Said before the first block is measured. A few blocks are looked at once."""
    if most < 1:
        raise UsageError(f"{most} blocks measure nothing", "use --blocks 24 or more")
    if most < 12:
        return (Look(most, 1.0),)
    return tuple(Look(math.ceil(most * part), share) for part, share in _SHARES)


def bases_of(blocks: Sequence[BlockTimes]) -> list[ProcessTimes]:
    return [block.processes[role] for block in blocks for role in (A, A2)]


def heads_of(blocks: Sequence[BlockTimes]) -> list[ProcessTimes]:
    return [block.processes[B] for block in blocks]


def samples_of(blocks: Sequence[BlockTimes], subject: Subject) -> Samples:
    times = _whole(blocks) if subject is END_TO_END else _kernel(blocks, subject)
    return Samples("ns", tuple(Block(*map(_floats, three)) for three in times))


def _kernel(blocks: Sequence[BlockTimes], kernel: str) -> list[tuple[Times, Times, Times]]:
    """Launch by launch. Where the processes launched it differently often, no launch is the same as
    one of another process: then all of its time in a process is one time."""
    times = kernel_times(blocks, kernel)
    if launched_alike([*bases_of(blocks), *heads_of(blocks)], kernel):
        return times
    return [((sum(a),), (sum(a2),), (sum(b),)) for a, a2, b in times]


def _whole(blocks: Sequence[BlockTimes]) -> list[tuple[Times, Times, Times]]:
    found: list[tuple[Times, Times, Times]] = []
    for block in blocks:
        a, a2, b = ((block.processes[role].critical_path_ns or 0,) for role in ROLES)
        found.append((a, a2, b))
    return found


def _floats(times: Times) -> tuple[float, ...]:
    return tuple(map(float, times))
