"""Verdicts from stages, comparisons of memory, and whether they are strong enough."""

from __future__ import annotations

import dataclasses
import json
from typing import Optional

import numpy as np
import pytest

from rocm_perf_lab.prove.oracle.blame import overwritten, place_of
from rocm_perf_lab.prove.oracle.comparison import EXACT, Before, Images, compare
from rocm_perf_lab.prove.oracle.document import combined
from rocm_perf_lab.prove.oracle.numbers.element_type import F16, F32, TYPES, Bytes, ElementType
from rocm_perf_lab.prove.oracle.passed.buffers import Buffer
from rocm_perf_lab.prove.oracle.report import Stage, StageVerdict, decide
from rocm_perf_lab.prove.oracle.strength import Trial, Written, strength

OUT, IN = 0x10000, 0x20000


def passed(exact: bool = True, compared: int = 64) -> Stage:
    return Stage("memory", "pass", "fine", exact, compared)


def answered(verdict: StageVerdict) -> Stage:
    return Stage(verdict, verdict, "for some reason")


@pytest.mark.parametrize(
    ("stages", "verdict", "tier"),
    [
        ([passed(), passed()], "equal", "bit_exact"),
        ([passed(), passed(exact=False)], "equal", "error_budget"),
        ([], "unverified", None),
        ([answered("pass")], "unverified", None),  # nothing compared
        ([passed(compared=0)], "unverified", None),
        ([answered("skipped")], "unverified", None),
        ([passed(), answered("skipped")], "equal", "bit_exact"),
        ([passed(), answered("unverified")], "unverified", None),
        ([passed(), answered("fail")], "different", None),
        ([answered("unverified"), answered("fail"), passed()], "different", None),
    ],
)
def test_verdicts(stages: list[Stage], verdict: str, tier: object) -> None:
    for order in (stages, stages[::-1]):
        report = decide(order, "nothing")
        assert (report.verdict, report.tier) == (verdict, tier)
        assert report.stage == (verdict_stage(verdict) if report.stage else None)


def verdict_stage(verdict: str) -> str:
    return {"different": "fail", "unverified": "unverified"}[verdict]


def test_of_two_reports_the_worse_decides() -> None:
    equal, near = decide([passed()], ""), decide([passed(exact=False)], "")
    different, unknown = decide([answered("fail")], ""), decide([], "")
    assert combined(equal, different) is different
    assert combined(unknown, different) is different
    assert combined(equal, unknown) is unknown
    assert combined(equal, near) is near
    assert combined(None, equal) is equal


# --- comparisons --------------------------------------------------------------


def buffer(
    kind: object = F32, region: int = OUT, offset: int = 0, size: int = 4000, argument: int = 0
) -> Buffer:
    element = kind if isinstance(kind, ElementType) else None
    source = "unknown" if element is None else "signature"
    return Buffer(argument, None, 8 * argument, region, offset, size, element, source, False)  # type: ignore[arg-type]


def image(numbers: object) -> Bytes:
    return F32.encode(np.resize(np.asarray(numbers, dtype=np.float64), 1000))


def zeros(_region: int) -> Bytes:
    return np.zeros(4000, dtype=np.uint8)


RIGHT = image(np.random.default_rng(1).uniform(1, 2, 1000))


def nearly() -> Bytes:
    return F32.encode(F32.decode(RIGHT) * (1 + 2**-23))


def test_rounding_counts_only_where_it_may() -> None:
    found = {OUT: nearly()}
    within = compare("x", {OUT: RIGHT}, found, zeros, [buffer()], EXACT)
    assert (within.verdict, within.exact) == ("pass", False)
    assert within.different > 0
    assert within.max_ulp == 2.0 or within.max_ulp == 1.0
    exact = compare("x", {OUT: RIGHT}, found, zeros, [buffer()])
    assert exact.verdict == "fail"
    unknown = compare("x", {OUT: RIGHT}, found, zeros, [buffer(kind=None)], EXACT)
    assert unknown.verdict == "fail"
    integers = compare("x", {OUT: RIGHT}, found, zeros, [buffer(TYPES["i32"])], EXACT)
    assert integers.verdict == "fail"
    nowhere = compare("x", {OUT: RIGHT}, found, zeros, [buffer(region=IN)], EXACT)
    assert nowhere.verdict == "fail"


def test_the_worst_element_is_named() -> None:
    wrong = F32.decode(RIGHT)
    wrong[7] += 1e-3
    wrong[431] = 9.0
    found = compare("x", {OUT: RIGHT}, {OUT: F32.encode(wrong)}, zeros, [buffer()], EXACT)
    assert found.over_budget == 2
    assert found.worst is not None
    assert (found.worst.where, found.worst.index, found.worst.found) == ("argument 0", 431, 9.0)
    assert "element 431: 9 instead of" in found.detail


def test_a_buffer_inside_of_a_region_counts_from_its_pointer() -> None:
    wrong = RIGHT.copy()
    wrong[400:404] = 0
    found = compare("x", {OUT: RIGHT}, {OUT: wrong}, zeros, [buffer(offset=200, size=3800)])
    assert found.worst is not None
    assert found.worst.index == 50
    before = RIGHT.copy()
    before[0] ^= 1
    outside = compare("x", {OUT: RIGHT}, {OUT: before}, zeros, [buffer(offset=200, size=3800)])
    assert outside.verdict == "fail"
    assert outside.worst is not None
    assert outside.worst.where == f"memory at 0x{OUT:x}"


def test_reports_are_json_whatever_the_numbers_are() -> None:
    wrong = RIGHT.copy()
    wrong[100:108] = 0xFF
    for kind in (F32, None, TYPES["i32"], F16, TYPES["f64"]):
        for one, other in ((RIGHT, wrong), (wrong, RIGHT), (wrong[:-1], RIGHT[:-1])):
            found = compare(
                "x", {OUT: one}, {OUT: other}, _of_size(len(one)), [buffer(kind)], EXACT
            )
            assert found.verdict == "fail"
            json.dumps(dataclasses.asdict(found), allow_nan=False)


def _of_size(size: int) -> Before:
    return lambda _region: np.zeros(size, dtype=np.uint8)


def test_what_only_one_of_both_changed_is_a_difference() -> None:
    for one, other in (({OUT: RIGHT}, {}), ({}, {OUT: RIGHT})):
        assert compare("x", one, other, zeros, [buffer()], EXACT).verdict == "fail"
    assert compare("x", {}, {}, zeros, [buffer()]).compared_bytes == 0


def test_blame() -> None:
    buffers = [buffer(), buffer(region=IN, argument=1)]
    assert place_of(OUT + 4004, buffers) == "4 bytes behind the end of argument 0"
    assert place_of(IN - 8, buffers) == "8 bytes before argument 1"
    assert "belongs to no buffer" in place_of(1 << 40, buffers)
    changed = zeros(IN)
    changed[5] = 1
    said = overwritten([buffers[1]], zeros, {}, {IN: changed})
    assert said == "1 bytes of argument 1, which is only read, are changed"
    assert overwritten([buffers[1]], zeros, {IN: changed}, {IN: changed}) is None


# --- strength -----------------------------------------------------------------


def trial(right: Bytes, before: Bytes, kind: object = F32) -> Trial:
    def content(region: int) -> Bytes:
        return before if region == OUT else image(3.0)

    def passes(images: Images) -> bool:
        names = [buffer(kind), buffer(kind, region=IN, argument=1)]
        return compare("", {OUT: right}, images, content, names, EXACT).verdict == "pass"

    return Trial({OUT: right}, content, passes)


def strength_of(*trials: Trial, kind: object = F32) -> Stage:
    names = [buffer(kind), buffer(kind, region=IN, argument=1)]
    return strength(trials, [Written(OUT, 0, 4000)], names, 4)


POISONED = np.full(4000, 0xFF, dtype=np.uint8)


def test_a_strong_comparison_catches_all_impostors() -> None:
    found = strength_of(trial(RIGHT, POISONED))
    assert found.verdict == "pass"
    assert found.detail.count(",") == 3


@pytest.mark.parametrize(
    ("right", "before", "survivor"),
    [
        (image(0.0), POISONED, "zeros"),
        (image(3.0), POISONED, "a copy of the input"),
        (image(0.5), POISONED, "one precision lower"),
        (RIGHT, np.concatenate([POISONED[:3000], RIGHT[3000:]]), "the last block dropped"),
    ],
)
def test_a_weak_comparison_says_what_would_pass(right: Bytes, before: Bytes, survivor: str) -> None:
    found = strength_of(trial(right, before))
    assert found.verdict == "unverified"
    assert "too weak" in found.detail
    assert survivor in found.detail
    # With one more trial that tells, the impostor is caught.
    assert strength_of(trial(right, before), trial(RIGHT, POISONED)).verdict == "pass"


def copied(*outputs: Bytes, wrong: Optional[Bytes] = None) -> Stage:
    """The strength of trials in which the output is the input, or ``wrong`` in the last of them."""
    trials = []
    for number, content in enumerate(outputs):
        right = wrong if wrong is not None and number == len(outputs) - 1 else content
        trials.append(copy_trial(content, right))
    return strength_of(*trials)


def copy_trial(content: Bytes, right: Bytes) -> Trial:
    def before(region: int) -> Bytes:
        return POISONED if region == OUT else content

    def passes(images: Images) -> bool:
        names = [buffer(), buffer(region=IN, argument=1)]
        return compare("", {OUT: right}, images, before, names).exact

    return Trial({OUT: right}, before, passes)


def test_a_kernel_that_copies_is_no_impostor_of_itself() -> None:
    other = RIGHT[::-1].copy()
    found = copied(RIGHT, other)
    assert found.verdict == "pass", found.detail
    assert "copy" not in found.detail


def test_inputs_that_tell_nothing_do_not_make_a_kernel_a_copy() -> None:
    """A clamp leaves what is in its range: one set of data, or constants, would call it a copy."""
    for outputs in ((RIGHT,), (RIGHT, RIGHT), (RIGHT, image(3.0)), (image(2.0), image(3.0))):
        found = copied(*outputs)
        assert found.verdict == "unverified"
        assert "a copy of the input" in found.detail
    clamped = RIGHT[::-1].copy()
    clamped[:4] = 0
    found = copied(RIGHT, RIGHT[::-1].copy(), wrong=clamped)
    assert found.verdict == "pass"
    assert "a copy of the input" in found.detail


COUNTS = np.array([0, 7, 0, 3] * 4, dtype="<u4").view(np.uint8)  # 64 bytes: 16 bins


def histogram(kind: object, right: Bytes, before: Bytes) -> Stage:
    """1216 blocks that all add into 16 bins."""
    names = [buffer(kind, size=64)]

    def passes(images: Images) -> bool:
        return compare("", {OUT: right}, images, lambda _: before, names, EXACT).verdict == "pass"

    trials = [Trial({OUT: right}, lambda _: before, passes)]
    return strength(trials, [Written(OUT, 0, 64)], names, 1216)


@pytest.mark.parametrize("kind", [TYPES["u32"], TYPES["i64"], F32, None])
@pytest.mark.parametrize("before", [0x00, 0xFF])
def test_a_dropped_block_of_many_that_add_into_few_is_noticed(kind: object, before: int) -> None:
    """Less than a byte of the output belongs to each block; the last bytes are zero both times."""
    right = COUNTS
    if kind is F32:
        right = np.array([0, 7.3, 0, 3.1] * 4, dtype="<f4").view(np.uint8)
    found = histogram(kind, right, np.full(64, before, dtype=np.uint8))
    assert found.verdict == "pass", found.detail
    assert "the last block dropped" in found.detail


def test_a_block_less_is_one_count_less_where_there_are_more_blocks_than_elements() -> None:
    tolerant = [buffer(TYPES["u32"], size=64)]
    before = np.zeros(64, dtype=np.uint8)
    seen: list[Bytes] = []

    def passes(images: Images) -> bool:
        seen.append(images[OUT])
        return False

    strength([Trial({OUT: COUNTS}, lambda _: before, passes)], [Written(OUT, 0, 64)], tolerant, 17)
    dropped = seen[-1].view("<u4")
    assert dropped.tolist() == [0, 6, 0, 2] * 4
    strength([Trial({OUT: COUNTS}, lambda _: before, passes)], [Written(OUT, 0, 64)], tolerant, 9)
    assert seen[-1].view("<u4").tolist() == [0, 7, 0, 3] * 3 + [0, 7, 0, 0]


def test_without_output_there_is_no_strength() -> None:
    assert strength([], [], [], 4).verdict == "unverified"


def test_integers_have_no_lower_precision() -> None:
    kind = TYPES["i32"]
    found = strength_of(trial(RIGHT, POISONED, kind), kind=kind)
    assert found.verdict == "pass"
    assert "precision" not in found.detail
