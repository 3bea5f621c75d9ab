"""The mathematical functions of the virtual device keep the limits of docs/virtual-rocm-math.md."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.math_sweep import CAUSES, MARK, PAGE, Limit, Row, build, limits, measure


@pytest.mark.native
@pytest.mark.timeout(1200)  # builds the virtual ROCm when that has not happened yet
def test_functions_keep_their_limits(tmp_path: Path) -> None:
    rows = measure(build(tmp_path), limits(), 400)
    wrong = {row.limit.name: (row.misses, row.worst) for row in rows if row.misses}
    assert wrong.keys() <= CAUSES.keys(), {k: v for k, v in wrong.items() if k not in CAUSES}
    assert {"jn", "yn", "__tanf", "__frsqrt_rn"} <= wrong.keys()  # the sweep sees what is wrong
    every_half = [row for row in rows if row.limit.name.startswith("h") and row.inputs == 65536]
    assert len(every_half) == 30


def test_every_kind_of_miss_is_noticed() -> None:
    limit = Limit("f", 1.0, 4.0, "opencl", (-1.0, 1.0))
    good = Row(limit, 10, 1.0, 4.0, 0, 0, (0.0,) * 6)
    assert good.misses == []
    assert replace(good, steps=2.0).misses == ["HIP"]
    assert replace(good, ulp=4.1).misses == ["ulp"]
    assert replace(good, ulp=math.inf, nans=1).misses == ["NaN"]


def test_the_page_has_a_row_for_every_function() -> None:
    table = PAGE.read_text("utf-8").partition(MARK)[2]
    names = [line.split("`")[1] for line in table.splitlines()[2:]]
    assert names == [limit.name for limit in limits()]
    assert set(CAUSES) == {
        line.split("`")[1] for line in table.splitlines() if "**misses**" in line
    }
