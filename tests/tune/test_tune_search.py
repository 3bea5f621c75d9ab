"""The search: its promises hold whatever the times are, and it learns where there is something."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Callable, Optional

import numpy as np
import pytest

pytest.importorskip("sklearn")

from threadpoolctl import threadpool_limits

from rocm_perf_lab.tune.search.chance import Chance
from rocm_perf_lab.tune.search.features import FeatureMap
from rocm_perf_lab.tune.search.kernel import Kernel, fitted
from rocm_perf_lab.tune.search.outlook import told_apart
from rocm_perf_lab.tune.search.quality import model_quality
from rocm_perf_lab.tune.search.search import Search, SearchOptions
from rocm_perf_lab.tune.search.surrogate import Surrogate
from rocm_perf_lab.tune.space import Space, Value
from rocm_perf_lab.tune.space.space_file import space_of

SPACE = space_of(
    {
        "parameters": {
            "bx": [16, 32, 48, 64, 96, 128, 192, 256],
            "by": [1, 2, 4, 8],
            "tile": [1, 2, 3, 4],
            "path": ["lds", "direct"],
        },
        "conditions": ["bx * by <= 512"],
    }
)
Time = Callable[[dict[str, Value]], Optional[float]]


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """As a tuning has it; on busy cores several threads take many times as long."""
    with threadpool_limits(1):
        yield


def smooth(c: dict[str, Value]) -> Optional[float]:
    """Best at 128, 2, 3, direct; 48, 96 and 192 are bad as they are on hardware."""
    bx, by, tile = (float(c[name]) for name in ("bx", "by", "tile"))
    ragged = 0 if math.log2(bx).is_integer() else 0.4
    direct = 0 if c["path"] == "direct" else 0.3
    return math.exp(
        0.3 * abs(math.log2(bx) - 7) + 0.4 * abs(math.log2(by) - 1) + 0.2 * abs(tile - 3)
        + ragged + direct
    )  # fmt: skip


def failing(c: dict[str, Value]) -> Optional[float]:
    return None if c["path"] == "lds" or float(c["tile"]) > 3 else smooth(c)


def run(time: Time, budget: int, seed: int = 0, batch: int = 1, space: Space = SPACE) -> list[str]:
    search = Search(space, budget, SearchOptions(seed=seed))
    trace = []
    while True:
        rows = search.ask(batch)
        if not rows:
            return trace
        for row in rows:
            configuration = space.configuration(row)
            trace.append(str(configuration))
            search.tell(row, time(configuration))


@pytest.mark.parametrize("time", [smooth, failing, lambda c: None, lambda c: 1.0])
@pytest.mark.parametrize("batch", [1, 3])
def test_never_twice_and_never_more_than_the_budget(time: Time, batch: int) -> None:
    trace = run(time, 30, batch=batch)
    assert len(trace) == len(set(trace)) == 30


def test_a_budget_beyond_the_space_ends_with_the_space() -> None:
    small = space_of({"a": [1, 2, 3], "b": [1, 2]})
    trace = run(lambda c: float(c["a"]) + float(c["b"]), 50, space=small)
    assert len(set(trace)) == 6


def test_the_same_seed_asks_the_same() -> None:
    assert run(smooth, 30, seed=4) == run(smooth, 30, seed=4)
    assert run(smooth, 30, seed=4) != run(smooth, 30, seed=5)


def test_the_unit_of_time_does_not_matter() -> None:
    assert run(smooth, 30) == run(lambda c: 1000 * (smooth(c) or 0), 30)


@pytest.mark.parametrize("time", [smooth, failing])
def test_the_best_is_found_in_a_sixth_of_the_space(time: Time) -> None:
    everything = [SPACE.configuration(row) for row in SPACE.all_rows()]
    best = min(value for value in map(time, everything) if value is not None)
    found = 0
    for seed in range(3):
        trace = run(time, SPACE.size // 6, seed)
        values = [time(eval(text)) for text in trace]
        found += min(value for value in values if value is not None) == best
    assert found >= 2


def test_only_positive_times_are_told() -> None:
    search = Search(SPACE, 5)
    row = search.ask()[0]
    for value in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="is not a run time"):
            search.tell(row, value)


def test_a_large_space_is_searched_by_its_neighbours() -> None:
    large = space_of({f"p{i}": list(range(1, 11)) for i in range(7)})
    target = {f"p{i}": i + 2 for i in range(7)}

    def time(c: dict[str, Value]) -> float:
        return 1 + sum(abs(float(c[name]) - value) for name, value in target.items())

    trace = run(time, 90, space=large)
    assert min(time(eval(text)) for text in trace) <= 6
    assert min(time(eval(text)) for text in trace[:16]) > 6


def test_pruning_ends_early_and_only_what_is_expected_slower() -> None:
    search = Search(SPACE, SPACE.size, SearchOptions(prune_factor=1.2))
    best = math.inf
    while rows := search.ask():
        value = smooth(SPACE.configuration(rows[0])) or 0
        best = min(best, value)
        search.tell(rows[0], value)
    assert search.asked < SPACE.size
    assert best == min(smooth(SPACE.configuration(row)) or 9 for row in SPACE.all_rows())


def test_the_growing_posterior_is_the_one_computed_at_once() -> None:
    rows = SPACE.sample(np.random.default_rng(1), 40)
    features = FeatureMap(SPACE.parameters)(rows)
    values = np.log([smooth(SPACE.configuration(row)) or 1 for row in rows])
    surrogate = Surrogate(features)
    surrogate.predict(features[:30], values[:30])
    kernel = surrogate.kernel
    mean, deviation = surrogate.predict(features[:32], values[:32])  # two more: no new fit
    assert kernel is surrogate.kernel is not None
    known, scale = features[:32], values[:32].std()
    inverse = np.linalg.inv(kernel(known, known) + kernel.noise * np.eye(32))
    cross = kernel(features, known)
    wanted = values[:32].mean() + cross @ inverse @ (values[:32] - values[:32].mean())
    variance = kernel.amplitude - np.einsum("ij,jk,ik->i", cross, inverse, cross)
    assert np.allclose(mean, wanted, atol=1e-4)
    assert np.allclose(deviation, scale * np.sqrt(np.maximum(variance, 1e-12)), atol=1e-3)


def test_a_fit_finds_the_features_that_matter() -> None:
    rng = np.random.default_rng(2)
    features = rng.random((60, 4))
    values = np.sin(4 * features[:, 0]) + features[:, 2]
    kernel = fitted(features, (values - values.mean()) / values.std())
    assert min(kernel.weights[[0, 2]]) > 5 * max(kernel.weights[[1, 3]])
    assert kernel.noise < 0.01


def test_small_weights_add_parameters_up() -> None:
    """Without interaction, the difference along one feature is the same wherever others are."""
    at = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    alone = Kernel(np.array([1e-4, 1e-4]), 1.0, 0.0)(at, at)
    together = Kernel(np.array([10.0, 10.0]), 1.0, 0.0)(at, at)
    contrast = np.array([1.0, -1.0, -1.0, 1.0])  # what two features do only together
    assert contrast @ alone @ contrast < 1e-6
    assert contrast @ together @ contrast > 1


def test_failures_keep_questions_away() -> None:
    """Five of eight configurations fail. Without the chance that one works, 23 or 24 of 30
    questions after the first spread go there with each of these seeds; with it, 16 to 18."""
    traces = [run(failing, 40, seed)[10:] for seed in range(3)]
    assert sum(failing(eval(text)) is None for trace in traces for text in trace) <= 57


def test_the_chance_to_work_is_learned() -> None:
    rows = SPACE.sample(np.random.default_rng(3), 90)
    worked = np.array([failing(SPACE.configuration(row)) is not None for row in rows])
    features = FeatureMap(SPACE.parameters)(rows)
    chance = Chance().at(features[40:])(features[:40], worked[:40])
    assert np.mean((chance > 0.5) == worked[40:]) > 0.9
    assert (Chance().at(features)(features, np.ones(90, bool)) == 1).all()


def test_the_slower_half_counts_as_equally_slow_where_it_is_far_behind() -> None:
    def told(*times: float, limit: float = 0.5) -> list[float]:
        return [round(float(x), 6) for x in np.exp(told_apart(np.log(times), math.log(limit)))]

    assert told(1, 2, 6, 50, 900) == [1, 2, 6, 6, 6]
    assert told(1, 2, 3, 50, 900) == [1, 2, 3, 4, 4]
    assert told(1, 2, 3, 50, 900, limit=60) == [1, 2, 3, 50, 60]
    assert told(1.0, 1.1, 1.2, 2.5, 3.5) == [1.0, 1.1, 1.2, 2.5, 3.5]


def test_a_small_space_of_parameters_that_depend_on_each_other() -> None:
    """Steps that promise nothing, or slow times that say nothing, find 6 of these 12."""
    space = space_of(
        {
            "bx": [16, 32, 64, 128, 256],
            "by": [1, 2, 4, 8],
            "unroll": [1, 2, 4, 8],
            "vector": [1, 2, 4],
        }
    )

    def time(c: dict[str, Value]) -> float:
        bx, by, u, v = (math.log2(float(c[name])) for name in ("bx", "by", "unroll", "vector"))
        off = abs(bx + by - 8) + 0.5 * abs(u + v - 3)
        return 1 + off + 0.3 * abs(bx - u - 4.4) + 0.2 * abs(by - v - 0.6)

    best = min(time(space.configuration(row)) for row in space.all_rows())
    runs = [run(time, 30, seed, space=space) for seed in range(12)]
    assert sum(min(time(eval(text)) for text in trace) == best for trace in runs) >= 9


def test_noise_is_not_called_a_model() -> None:
    """The whole promise is 95 % of 200 seeds; benchmarks/autotune.py runs them all."""
    confident = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        rows = list(SPACE.sample(rng, 40))
        confident += not model_quality(SPACE, rows, list(np.exp(rng.normal(size=40)))).is_low
    assert confident == 0


def test_what_is_exactly_linear_is_believed() -> None:
    rows = list(SPACE.sample(np.random.default_rng(0), 60))
    seen = map(SPACE.configuration, rows)
    times = [3 + 0.01 * float(c["bx"]) + 2 * float(c["tile"]) for c in seen]
    quality = model_quality(SPACE, rows, times)
    assert quality.r2 is not None
    assert quality.r2 > 0.95
    ranked = sorted(quality.importance, key=lambda name: -quality.importance[name])
    assert set(ranked[:2]) == {"tile", "bx"}
    assert quality.importance["by"] < 0.05


def test_few_measurements_have_no_quality() -> None:
    rows = list(SPACE.sample(np.random.default_rng(0), 9))
    quality = model_quality(SPACE, rows, [1.0 + i for i in range(9)])
    assert quality.r2 is None
    assert quality.is_low
