"""Which lines the caches of the timing simulation keep: the ones that were used last."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Sequence

import pytest
from exec_support import model_library, needs_model_harness

pytestmark = needs_model_harness

VECTOR, SCALAR, INSTRUCTIONS = 0, 1, 2
SIZES = {VECTOR: 256, SCALAR: 256, INSTRUCTIONS: 1024}  # lines
L2_LINES = 32768
L2_LATENCY, INFINITY_CACHE_LATENCY = 198, 406
PAGES_PER_MB = 256


def latencies(cache: int, lines: Sequence[int]) -> list[float]:
    cycles = (ctypes.c_double * len(lines))()
    model_library().model_latencies(
        cache, (ctypes.c_uint64 * len(lines))(*lines), ctypes.c_uint32(len(lines)), cycles
    )
    return list(cycles)


@pytest.mark.parametrize("cache", [VECTOR, SCALAR, INSTRUCTIONS])
def test_a_cache_keeps_the_line_that_is_used_again_and_again(cache: int) -> None:
    size = SIZES[cache]
    step = 3 if cache == INSTRUCTIONS else 1  # two lines are fetched ahead
    first = [*range(step, size, step), 0]  # which is the one used last
    others = range(size, 3 * size, step)
    lines = [*first, *(line for other in others for line in (other, 0))]
    cycles = latencies(cache, [*lines, step])
    hit = min(cycles)
    used_again = [cycles[n] for n in range(len(first), len(lines)) if lines[n] == 0]
    assert used_again == [pytest.approx(hit)] * len(others)
    assert cycles[-1] > hit + 50  # not used again: others have its place


@pytest.mark.parametrize("cache", [VECTOR, SCALAR, INSTRUCTIONS])
def test_a_cache_holds_as_many_lines_as_the_table_says(cache: int) -> None:
    lines = list(range(SIZES[cache]))
    cycles = latencies(cache, [*lines, *lines])[len(lines) :]
    assert max(cycles) == min(cycles)


@pytest.mark.parametrize(("rows", "kept"), [(64, True), (65, False)])
def test_rows_of_a_power_of_two_meet_in_one_set_of_the_vector_cache(rows: int, kept: bool) -> None:
    """Four sets of 64 lines, chosen by bits 7 and 8 of the address and by no others."""
    for pitch in (4, 1024, 8192):  # 512 bytes, 128 KiB, 1 MiB
        lines = [row * pitch for row in range(rows)]
        again = latencies(VECTOR, [*lines, *lines])[rows:]
        hit = min(latencies(VECTOR, [0, 0]))
        assert all((cycles < hit + 50) == kept for cycles in again)


def test_the_l2_keeps_the_line_that_is_used_again_and_again() -> None:
    lines = [0]
    for first in range(2, 2 * L2_LINES, 2 * SIZES[VECTOR]):
        lines += [*range(first, first + 2 * SIZES[VECTOR]), 0]  # others have its place in the CU
    cycles = latencies(VECTOR, [*lines, 2])
    used_again = [cycles[n] for n in range(1, len(lines)) if lines[n] == 0]
    assert all(abs(cycle - L2_LATENCY) < 10 for cycle in used_again)
    assert cycles[-1] > INFINITY_CACHE_LATENCY - 10


def kept(dispatches: Sequence[tuple[int, int]]) -> list[float]:
    """Of dispatches (first MB, MB): the share of their lines in the Infinity Cache."""
    count = len(dispatches)
    shares = (ctypes.c_double * count)()
    model_library().model_infinity_cache(
        (ctypes.c_uint32 * count)(*(first * PAGES_PER_MB for first, _ in dispatches)),
        (ctypes.c_uint32 * count)(*(size * PAGES_PER_MB for _, size in dispatches)),
        ctypes.c_uint32(count),
        shares,
    )
    return list(shares)


def test_the_infinity_cache_keeps_what_was_used_last() -> None:
    used, other = (0, 40), [(size, 40) for size in range(40, 400, 40)]
    dispatches = [used]
    for one in other:
        dispatches += [one, used]
    shares = kept([*dispatches, other[0]])
    assert shares[0] == 0
    assert shares[2:-1:2] == [1] * len(other)  # whatever came between two uses
    assert shares[-1] == 0  # used once, and 360 MB went through since


def test_the_infinity_cache_does_not_know_allocations() -> None:
    whole = kept([(0, 200), (0, 200)])[1]
    parts = kept([(first, 50) for first in (0, 50, 100, 150, 0, 50, 100, 150)])[4:]
    assert 0.5 < whole < 1
    assert parts == pytest.approx([whole] * 4, abs=0.01)
    assert kept([(0, 300), (0, 300)])[1] == 0
    assert kept([(0, 1000), (100, 8), (100, 8)])[1:] == [0, 1]


def test_the_translation_cache_keeps_the_page_that_is_used_again_and_again() -> None:
    pages = [0]
    for other in range(1, 100):
        pages += [other, 0]
    hits = (ctypes.c_uint8 * (len(pages) + 1))()
    model_library().model_translations(
        (ctypes.c_uint64 * len(hits))(*pages, 1), ctypes.c_uint32(len(hits)), hits
    )
    assert list(hits[2:-1:2]) == [1] * 99
    assert hits[len(pages)] == 0


# --- What XCDs find translated -------------------------------------------------------------------


def asked(pages: Sequence[int], xcds: int, apart: bool) -> tuple[list[int], list[int]]:
    """Answers to XCDs that ask for as many of the pages each, and whether each XCD's hold true."""
    answers, holds = (ctypes.c_uint8 * (2 * len(pages)))(), (ctypes.c_uint8 * xcds)()
    model_library().model_views(
        (ctypes.c_uint32 * len(pages))(*pages),
        ctypes.c_uint32(xcds),
        ctypes.c_uint32(len(pages) // xcds),
        ctypes.c_bool(apart),
        answers,
        holds,
    )
    return list(answers), list(holds)


def of_xcd(answers: Sequence[int], xcd: int, each: int) -> list[int]:
    half = len(answers) // 2
    first = xcd * each
    return [*answers[first : first + each], *answers[half + first : half + first + each]]


@pytest.mark.parametrize("seed", range(40))
def test_a_view_holds_true_when_it_was_told_what_those_before_leave(seed: int) -> None:
    draw = random.Random(seed)
    xcds, each, pages = 4, draw.choice([1, 8, 40, 200]), draw.choice([3, 20, 31, 40, 500])
    wanted = [draw.randrange(pages) for _ in range(xcds * each)]
    if draw.random() < 0.5:  # XCDs that ask for pages of their own
        wanted = [page + n // each * 1000 for n, page in enumerate(wanted)]
    one_by_one, _ = asked(wanted, xcds, apart=False)
    side_by_side, holds = asked(wanted, xcds, apart=True)
    assert holds[0]  # nobody is before it
    for xcd in range(xcds):
        same = of_xcd(side_by_side, xcd, each) == of_xcd(one_by_one, xcd, each)
        assert bool(holds[xcd]) == same
        if not same:
            return


def test_pages_of_one_xcd_are_there_for_the_next_in_the_order_of_their_use() -> None:
    pages = [*range(32), 0, 100, 0, 1, 2]  # page 1 goes for page 100; page 0 has just been used
    answers, _ = asked([*pages, *[0, 1] * 18, 0], 2, apart=False)
    assert answers[: len(pages)][-3:] == [1, 0, 0]
    assert answers[len(pages) : len(pages) + 2] == [1, 1]
