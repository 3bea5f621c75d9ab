"""What rests while a verb answers, and is as before afterwards."""

from __future__ import annotations

import atexit
import ctypes
import gc
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Optional

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


def test_nothing_is_searched_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    at_end: list[object] = []
    monkeypatch.setattr(atexit, "register", at_end.append)
    with at_rest():
        assert at_end == [gc.freeze]


class Noted:
    """A C library that notes what it is asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, int]] = []

    def mallopt(self, option: int, value: int) -> int:
        self.asked.append((option, value))
        return 1


def test_columns_that_were_freed_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    library = Noted()
    monkeypatch.setattr(ctypes, "CDLL", lambda _name: library)
    with at_rest():
        asked = dict(library.asked)
    # malloc.h: M_MMAP_THRESHOLD, M_TRIM_THRESHOLD; a column of a million numbers has 8 MB.
    assert asked[-3] > 8_000_000
    assert asked[-1] > asked[-3]


@pytest.mark.parametrize("library", [object(), OSError("no such library")])
def test_another_library_does_as_it_likes(monkeypatch: pytest.MonkeyPatch, library: object) -> None:
    def opened(_name: None) -> object:
        if isinstance(library, OSError):
            raise library
        return library

    monkeypatch.setattr(ctypes, "CDLL", opened)
    with at_rest():
        assert not gc.isenabled()


AT_REST = """
import json, os, sys
from rocm_perf_lab.cli.collector import at_rest
with at_rest():
    print(json.dumps([len(os.listdir("/proc/self/task")), os.environ.get("OPENBLAS_NUM_THREADS")]))
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="counts threads of Linux")
@pytest.mark.parametrize("asked", [None, "1"])
def test_numpy_has_one_thread_and_applications_what_they_had(asked: Optional[str]) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "OPENBLAS_NUM_THREADS"}
    if asked is not None:
        environment["OPENBLAS_NUM_THREADS"] = asked
    done = subprocess.run(
        [sys.executable, "-c", AT_REST], env=environment, stdout=subprocess.PIPE, check=True
    )
    assert json.loads(done.stdout) == [1, asked]
