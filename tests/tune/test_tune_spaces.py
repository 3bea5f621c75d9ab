"""Spaces: what a file says is what can be tried, counted without a list."""

from __future__ import annotations

import itertools
import json
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.tune.space.space_file import read_space, space_of


def brute(parameters: dict[str, list[int]], condition: str) -> set[tuple[int, ...]]:
    rows = itertools.product(*parameters.values())
    return {row for row in rows if eval(condition, {}, dict(zip(parameters, row)))}


def test_a_product_under_conditions() -> None:
    parameters = {"x": [1, 2, 3, 4], "y": [1, 2, 3], "z": [5, 6]}
    space = space_of({"parameters": parameters, "conditions": ["x * y <= 6", "x != y"]})
    wanted = brute(parameters, "x * y <= 6 and x != y")
    found = {tuple(space.configuration(row).values()) for row in space.all_rows()}
    assert found == wanted
    assert space.size == len(wanted)
    assert space.combinations == 24


def test_a_list_of_configurations_counts_equal_ones_once() -> None:
    space = space_of([{"BM": 64, "v": "a"}, {"BM": 32, "v": "b"}, {"BM": 64, "v": "a"}])
    assert space.size == 2
    assert space.parameters[0].values == (32, 64)
    assert space.configuration(space.default) == {"BM": 64, "v": "a"}


def test_ranges_have_both_ends() -> None:
    space = space_of(
        {"a": {"from": 16, "to": 64, "step": 16}, "b": {"from": 1, "to": 8, "times": 2}}
    )
    assert [p.values for p in space.parameters] == [(16, 32, 48, 64), (1, 2, 4, 8)]


def test_true_and_one_are_different_values() -> None:
    space = space_of([{"a": True}, {"a": 1}])
    assert space.size == 2


def test_neighbours_differ_in_one_parameter() -> None:
    space = space_of({"parameters": {"a": [1, 2, 3], "b": [1, 2, 3]}, "conditions": ["a <= b"]})
    near = space.neighbours(space.row_of({"a": 2, "b": 3}))
    found = {tuple(space.configuration(row).values()) for row in near}
    assert found == {(1, 3), (3, 3), (2, 2)}


def test_every_configuration_is_drawn_as_often() -> None:
    space = space_of({"parameters": {"a": [1, 2, 3], "b": [1, 2, 3]}, "conditions": ["a <= b"]})
    counts: dict[bytes, int] = {}
    rng = np.random.default_rng(0)
    for _ in range(3000):
        key = space.sample(rng, 1)[0].tobytes()
        counts[key] = counts.get(key, 0) + 1
    assert len(counts) == 6
    assert max(counts.values()) < 1.25 * min(counts.values())


def test_ten_million_combinations_start_at_once() -> None:
    content = {
        "parameters": {f"p{i}": list(range(1, 11)) for i in range(7)},
        "conditions": ["p0 * p1 <= 40", "p2 % p3 == 0 or p4 > 3", "p5 + p6 < 15"],
    }
    tracemalloc.start()
    start = time.process_time()
    space = space_of(content)
    size, rows = space.size, space.sample(np.random.default_rng(0), 4000)
    seconds = time.process_time() - start
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (space.combinations, size) == (10_000_000, 4_442_328)
    assert len(rows) == 4000
    assert space.allows(rows).all()
    assert seconds < 8  # 1 s alone; the tracer of memory and other tests slow it down
    assert peak < 200e6


def test_a_t1_definition(tmp_path: Path) -> None:
    path = tmp_path / "t1.json"
    content = {
        "ConfigurationSpace": {
            "TuningParameters": [
                {"Name": "bx", "Type": "int", "Values": "[16, 32]", "Default": 32},
                {"Name": "pad", "Type": "int", "Values": "[0, 1]", "Default": 7},
            ],
            "Conditions": [{"Expression": "pad == 0 or bx % 32 != 0", "Parameters": ["pad", "bx"]}],
        }
    }
    path.write_text(json.dumps(content))
    space = read_space(path)
    assert space.size == 3
    assert space.configuration(space.default) == {"bx": 32, "pad": 0}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "the list of configurations is empty"),
        ([{"a": 1}, {"b": 1}], "entry 1 of the space has other parameters than the first: a"),
        ([{"a": [1]}], "entry 0 of the space is not a configuration"),
        ({"a": []}, "parameter a has no values"),
        ({"a": [1, 1]}, "parameter a has a value twice"),
        ({"a b": [1]}, "'a b' is not a name for a parameter"),
        ({"a": {"from": 1}}, "the range of a is not understood"),
        ({"a": {"from": 8, "to": 1}}, "the range of a has no values"),
        (
            {"a": {"from": 0, "to": 1e9, "step": 0.001}},
            "the range of a has more than 100000 values",
        ),
        ({"parameters": {"a": [1]}, "default": {"a": 2}}, "parameter a cannot be 2"),
        ({"parameters": {"a": [1]}, "constraints": []}, "the space has no place for 'constraints'"),
        ({"ConfigurationSpace": {"TuningParameters": [{"Name": "x"}]}}, "T1 definition"),
        (7, "the space is neither a list nor an object"),
    ],
)
def test_what_is_no_space(content: object, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        space_of(content)
    assert message in caught.value.cause


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read the space"):
        read_space(tmp_path / "none.json")
