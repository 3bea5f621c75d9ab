"""Verdicts of interleaved blocks: what is found, what is not, and how the words come about."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from simulated_blocks import MACHINE, blocks, process

from rocm_perf_lab.errors import NotComparable, UsageError
from rocm_perf_lab.measure.blocks import BlockTimes, order_of
from rocm_perf_lab.measure.meter import Command
from rocm_perf_lab.measure.process_times import ProcessTimes
from rocm_perf_lab.prove.compare.compare import CompareRequest, compare_blocks
from rocm_perf_lab.prove.compare.compare_schema import ComparisonDocument
from rocm_perf_lab.prove.compare.paired import looks_of
from rocm_perf_lab.prove.compare.sides import CommandSide
from rocm_perf_lab.prove.judge import JudgeRule, judge

BASE = CommandSide("./old", Command(("./old",)))
HEAD = CommandSide("./new", Command(("./new",)))


def compared(seed: int, slower: float, most: int = 24, whole: bool = False) -> ComparisonDocument:
    request = CompareRequest(BASE, HEAD, blocks=most, seed=seed)
    return compare_blocks(request, blocks(seed, slower, whole)).document


def of_block(**kernels: tuple[tuple[int, ...], tuple[int, ...]]) -> BlockTimes:
    """Times of base and head by kernel; no times: it was not launched."""
    sides = [{name: t[side] for name, t in kernels.items() if t[side]} for side in (0, 1)]
    base, head = (ProcessTimes(times, 1000, MACHINE) for times in sides)
    return BlockTimes(1, ("A", "A2", "B"), {"A": base, "A2": base, "B": head})


def test_a_kernel_five_percent_slower_is_found_in_95_of_100() -> None:
    words = Counter(compared(seed, 0.05).verdict for seed in range(100))
    assert words["regression"] >= 95, words
    assert set(words) <= {"regression", "inconclusive"}


def test_the_same_program_twice_is_no_change() -> None:
    words = Counter(compared(seed, 0.0).verdict for seed in range(1000, 1060))
    assert words["no change"] >= 55, words
    assert set(words) <= {"no change", "inconclusive"}


def test_a_gain_is_an_improvement_and_its_interval_holds_it() -> None:
    found = compared(3, -0.1)
    (kernel,) = found.kernels
    assert found.verdict == kernel.verdict == "improvement"
    assert kernel.low is not None
    assert kernel.high is not None
    assert kernel.low < -0.1 < kernel.high < 0
    assert kernel.change == pytest.approx(-0.1, abs=0.02)


def test_clear_changes_need_fewer_blocks_and_orders_are_told() -> None:
    found = compared(1, 0.3, most=48)
    assert found.method.blocks == 12
    assert found.method.orders == [list(order_of(1, number)) for number in range(1, 13)]
    assert (found.base.runs, found.head.runs) == (24, 12)


def test_the_whole_is_judged_beside_the_kernels() -> None:
    found = compared(2, 0.2, most=48, whole=True)
    assert found.end_to_end.verdict == "regression"
    assert found.end_to_end.quantity == "critical_path"
    assert found.end_to_end.kernel is None
    assert found.end_to_end.change == pytest.approx(0.2, abs=0.05)
    without = compared(2, 0.2, whole=False).end_to_end
    assert without.verdict == "not judged"
    assert "began and ended" in without.reason


def test_kernels_of_one_version_and_small_ones_are_shown_and_not_judged() -> None:
    block = of_block(
        big=((10_000,), (10_000,)), old=((500,), ()), new=((), (500,)), tiny=((10,), (20,))
    )
    request = CompareRequest(BASE, HEAD, blocks=12)
    given = [replace(block, number=n) for n in range(1, 13)]
    found = compare_blocks(request, iter(given)).document
    rows = {row.kernel: row for row in found.kernels}
    assert {name: row.verdict for name, row in rows.items() if name != "big"} == {
        "old": "not judged",
        "new": "not judged",
        "tiny": "not judged",
    }
    assert rows["old"].reason == "only in BASE"
    assert (rows["old"].head_ns, rows["old"].change) == (None, None)
    assert rows["new"].reason == "only in HEAD"
    assert rows["tiny"].reason == "less than 1% of the time"
    assert rows["tiny"].change == 1.0
    assert rows["big"].verdict == "no change"
    assert found.verdict == "no change"
    assert [row.kernel for row in found.kernels] == ["big", "old", "new", "tiny"]


def test_other_numbers_of_launches_are_compared_by_their_sum() -> None:
    """Each launch takes half of the time, and there are twice as many: no change."""
    block = of_block(same=((8_000, 8_000), (4_000,) * 4), more=((1_000,), (1_000, 1_000)))
    given = [replace(block, number=n) for n in range(1, 13)]
    found = compare_blocks(CompareRequest(BASE, HEAD, blocks=12), iter(given)).document
    rows = {row.kernel: row for row in found.kernels}
    assert {row.quantity for row in found.kernels} == {"kernel_time"}
    assert (rows["same"].base_ns, rows["same"].head_ns) == (16_000, 16_000)
    assert (rows["same"].base_launches, rows["same"].head_launches) == (2, 4)
    assert rows["same"].verdict == "no change"
    assert rows["more"].verdict == "regression"
    assert rows["more"].change == pytest.approx(1.0, rel=0.001)
    assert found.output == "not compared"


def test_few_blocks_decide_nothing_and_say_how_many_would() -> None:
    found = compared(1, 0.5, most=4)
    assert found.verdict == "inconclusive"
    assert found.kernels[0].needed == "at least 7 blocks"


def test_what_a_look_decided_stays() -> None:
    """Blocks that say the contrary come too late; they were asked for because of another kernel."""
    random = np.random.default_rng(6)

    def block(number: int) -> BlockTimes:
        clear = 130 if number <= 12 else 70
        unclear = (int(t) for t in random.normal(100_000, 20_000, 3))
        times = {"A": 100, "A2": 100, "B": clear}
        made = {
            role: ProcessTimes(
                {"clear": (1000 * time,), "unclear": (next(unclear),)}, None, MACHINE
            )
            for role, time in times.items()
        }
        return BlockTimes(number, ("A", "A2", "B"), made)

    request = CompareRequest(BASE, HEAD, blocks=48)
    found = compare_blocks(request, (block(number) for number in range(1, 49))).document
    rows = {row.kernel: row for row in found.kernels}
    assert (rows["unclear"].verdict, rows["unclear"].blocks) == ("inconclusive", 48)
    assert (rows["clear"].verdict, rows["clear"].blocks) == ("regression", 12)


def test_a_dispatch_that_took_no_time_is_not_judged() -> None:
    block = of_block(big=((10_000,), (10_000,)), coarse=((0, 4000), (0, 4000)))
    given = [replace(block, number=n) for n in range(1, 13)]
    found = compare_blocks(CompareRequest(BASE, HEAD, blocks=12), iter(given)).document
    (coarse,) = (row for row in found.kernels if row.kernel == "coarse")
    assert coarse.verdict == "not judged"
    assert coarse.reason == "not every run launched it with a time above 0"


def test_the_samples_give_the_same_verdict_again() -> None:
    request = CompareRequest(BASE, HEAD, blocks=12)
    compared = compare_blocks(request, blocks(4, 0.1, whole=True))
    samples = compared.samples
    assert set(samples) == {None, "spin"}
    row = compared.document.kernels[0]
    assert row.blocks == 12 == len(samples["spin"].blocks)
    again = judge(samples["spin"], rule=JudgeRule(min_gain=0.02, alpha=0.5e-3 / 2))
    assert (again.verdict, row.verdict) == ("REJECT", "regression")
    assert again.p_slower == row.p_slower


def test_processes_of_different_devices_are_never_judged() -> None:
    random = np.random.default_rng(1)
    other = replace(MACHINE, virtual=True)
    mixed = [
        replace(block, processes={**block.processes, "B": process(random, 0.0, other)})
        for block in blocks(1, most=12)
    ]
    with pytest.raises(NotComparable, match="HEAD is of the virtual device, BASE is not"):
        compare_blocks(CompareRequest(BASE, HEAD, blocks=12), iter(mixed))


def test_when_to_look_is_fixed_before_the_first_block() -> None:
    assert [look.blocks for look in looks_of(48)] == [12, 24, 48]
    assert [look.blocks for look in looks_of(11)] == [11]
    for most in range(1, 200):
        looks = looks_of(most)
        assert looks[-1].blocks == most
        assert sum(look.share for look in looks) == pytest.approx(1)
    with pytest.raises(UsageError, match="0 blocks"):
        looks_of(0)


@pytest.mark.parametrize("threshold", [0.0, 0.005, 1.0, float("nan")])
def test_a_threshold_below_what_can_be_shown_is_refused(threshold: float) -> None:
    with pytest.raises(UsageError, match="threshold"):
        CompareRequest(BASE, HEAD, threshold=threshold)
