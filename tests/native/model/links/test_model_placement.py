"""Which agent has the pages of host memory that programs move, against a list of all pages."""

from __future__ import annotations

import ctypes

from exec_support import model_library, needs_model_harness
from hypothesis import given, settings
from hypothesis import strategies as st

pytestmark = needs_model_harness

PAGES = 24
MOVES = st.lists(
    st.tuples(st.integers(0, PAGES), st.integers(0, PAGES + 4), st.integers(0, 3)), max_size=12
)


@settings(max_examples=400, deadline=None)
@given(MOVES)
def test_the_last_move_of_a_page_decides(moves: list[tuple[int, int, int]]) -> None:
    expected = [0] * PAGES
    for begin, end, agent in moves:
        for page in range(begin, min(end, PAGES)):
            expected[page] = agent
    owners = (ctypes.c_uint32 * PAGES)()
    given_moves = ((ctypes.c_uint64 * 3) * len(moves))(*moves)
    placed = model_library().model_placement
    placed.restype = ctypes.c_bool
    assert placed(given_moves, len(moves), ctypes.c_uint64(PAGES), owners)
    assert list(owners) == expected
