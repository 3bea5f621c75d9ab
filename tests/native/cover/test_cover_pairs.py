"""Which operands of a comparison are kept, whoever saw them and in whatever order."""

from __future__ import annotations

import ctypes

from exec_support import library, needs_harness
from hypothesis import given, settings
from hypothesis import strategies as st

pytestmark = needs_harness

Moment = tuple[int, int]
Pair = tuple[int, int]

moments = st.tuples(st.integers(0, 3), st.integers(0, 8))
pairs = st.tuples(st.integers(0, 2), st.just(7))


def _kept(seen: list[tuple[Moment, Pair]], front: int) -> list[Pair]:
    words = [word for moment, pair in seen for word in (*moment, *pair)]
    given_words = (ctypes.c_uint64 * len(words))(*words)
    room = (ctypes.c_uint64 * 8)()
    count = library().exec_operand_pairs(given_words, len(seen), front, room)
    return [(room[2 * n], room[2 * n + 1]) for n in range(count)]


@settings(deadline=None)
@given(st.dictionaries(moments, pairs, max_size=12), st.randoms(use_true_random=False), st.data())
def test_the_first_two_and_the_last_two_are_kept(
    when: dict[Moment, Pair], chance: object, data: st.DataObject
) -> None:
    in_order = [when[moment] for moment in sorted(when)]
    first = list(dict.fromkeys(in_order))[:2]
    last = list(dict.fromkeys(reversed(in_order)))[:2]
    seen = list(when.items())
    chance.shuffle(seen)  # type: ignore[attr-defined]
    front = data.draw(st.integers(0, len(seen)))
    assert _kept(seen, front) == list(dict.fromkeys(first + last[::-1]))
