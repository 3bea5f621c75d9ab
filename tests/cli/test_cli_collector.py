"""The garbage collector rests while a verb answers, and is as before afterwards."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from rocm_perf_lab.cli.collector import at_rest


@pytest.fixture(autouse=True)
def enabled_afterwards() -> Iterator[None]:
    yield
    gc.enable()


def test_it_rests_and_comes_back_even_after_a_failure() -> None:
    with pytest.raises(ZeroDivisionError), at_rest():
        print(1 / gc.isenabled())  # at rest it is not
    assert gc.isenabled()


def test_it_stays_as_somebody_else_left_it() -> None:
    gc.disable()
    with at_rest():
        pass
    assert not gc.isenabled()
