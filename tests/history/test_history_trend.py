"""Change points where there is a change, none in noise; the gate keeps machines apart."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Optional

import pytest

from fakes.history_samples import profile_of
from rocm_perf_lab.cli.main import main
from rocm_perf_lab.history.entry import Entry, Origin
from rocm_perf_lab.history.gate import gate
from rocm_perf_lab.history.trend import change_points, lines_of
from rocm_perf_lab.prove.compare.judgement import (
    IMPROVEMENT,
    INCONCLUSIVE,
    NO_CHANGE,
    NOT_JUDGED,
    REGRESSION,
)
from rocm_perf_lab.strict_json import as_text


def noisy(level: float, count: int, source: random.Random, spread: float = 0.01) -> list[float]:
    return [level * source.gauss(1, spread) for _ in range(count)]


def entry(
    number: int,
    samples: list[float],
    machine: str = "m",
    kernels: Optional[dict[str, float]] = None,
) -> Entry:
    origin = Origin(f"c{number}")
    times = tuple(samples)
    return Entry(number, "2026", origin, machine, "./app", "kernel_time", times, kernels or {})


def test_steps_are_found_where_they_are() -> None:
    source = random.Random(1)
    values = noisy(1, 15, source) + noisy(1.2, 15, source) + noisy(0.9, 15, source)
    found = change_points(values, 1, 0.02)
    assert [change.at for change in found] == [15, 30]
    assert [change.judgement.word for change in found] == [REGRESSION, IMPROVEMENT]
    assert found[0].judgement.change == pytest.approx(0.2, abs=0.02)


def test_steps_below_the_threshold_do_not_matter() -> None:
    source = random.Random(2)
    values = noisy(1, 20, source, 0.001) + noisy(1.015, 20, source, 0.001)
    assert change_points(values, 1, 0.02) == []
    assert [change.at for change in change_points(values, 1, 0.01)] == [20]


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0], [1.0, 2.0, 1.0], [1.0] * 40])
def test_too_few_or_nothing(values: list[float]) -> None:
    assert change_points(values, 1, 0.02) == []


def test_noise_has_hardly_any_change_points() -> None:
    """1 % wanted at most: the error of 0.5 % on each side is shared among all places."""
    source = random.Random(3)
    series = [noisy(1, 24, source, 0.05) for _ in range(200)]
    assert sum(bool(change_points(values, 1, 0.0)) for values in series) <= 4


def test_many_kernels_need_more() -> None:
    values = [1.0, 1.01, 1.02, 1.03, 1.04, 1.5, 1.51, 1.52, 1.53, 1.54]
    assert len(change_points(values, 1, 0.02)) == 0  # nine places share 0.5 %
    more = [*values[:5], 1.05, 1.06, *values[5:], 1.55, 1.56]
    assert [change.at for change in change_points(more, 1, 0.02)] == [7]
    assert change_points(more, 1000, 0.02) == []


def test_lines_keep_machines_apart_and_kernels_by_name() -> None:
    entries = [
        entry(1, [1.0], "a", {"gemm": 10.0, "copy": 30.0}),
        entry(2, [5.0], "b", {"gemm": 50.0}),
        entry(3, [1.1], "a", {"gemm": 11.0}),
    ]
    one, other = lines_of(entries, 0.02)
    assert (one.machine, other.machine) == ("a", "b")
    assert [series.kernel for series in one.series] == [None, "copy", "gemm"]
    assert one.series[0].values == (1.0, 1.1)
    assert one.series[1].values == (30.0,)
    assert one.series[2].values == (10.0, 11.0)
    (only, _) = lines_of(entries, 0.02, "^ge")
    assert [series.kernel for series in only.series] == [None, "gemm"]


def before(source: random.Random, count: int = 4) -> list[Entry]:
    return [
        entry(n, noisy(1, 7, source), kernels={"gemm": 100.0 + n, "copy": 10.0})
        for n in range(1, count + 1)
    ]


def test_a_slower_program_does_not_pass() -> None:
    source = random.Random(4)
    slow = entry(9, noisy(1.1, 7, source), kernels={"gemm": 120.0, "copy": 10.0, "new": 9.0})
    found = gate([*before(source), slow], 0.02)
    assert found is not None
    assert found.judgement.word == REGRESSION
    assert [one.kernel for one in found.slower] == ["gemm"]
    assert (found.slower[0].before_ns, found.slower[0].now_ns) == (104.0, 120.0)


def test_the_same_program_passes() -> None:
    source = random.Random(5)
    found = gate([*before(source), entry(9, noisy(1, 7, source))], 0.05)
    assert found is not None
    assert found.judgement.word == NO_CHANGE
    assert found.slower == ()


def test_a_slow_day_is_no_regression_when_there_was_one_before() -> None:
    source = random.Random(6)
    days = [*before(source, 7), entry(8, noisy(1.2, 7, source)), entry(9, noisy(1.1, 7, source))]
    found = gate(days, 0.02)
    assert found is not None
    assert found.judgement.word == INCONCLUSIVE
    assert "as slow" in found.judgement.reason


def test_another_machine_is_never_compared() -> None:
    source = random.Random(7)
    found = gate([*before(source), entry(9, noisy(2, 7, source), "another")], 0.02)
    assert found is not None
    assert found.judgement.word == NOT_JUDGED
    assert (found.before, found.others) == ((), 4)


def test_what_was_before_a_change_is_no_measure() -> None:
    """It became slower long ago and that was accepted: today is compared with what is so since."""
    source = random.Random(8)
    old = [entry(n, noisy(1, 7, source)) for n in range(1, 13)]
    new = [entry(n, noisy(2, 7, source)) for n in range(13, 25)]
    found = gate([*old, *new, entry(25, noisy(2, 7, source))], 0.05)
    assert found is not None
    assert [one.number for one in found.before] == list(range(15, 25))
    assert found.judgement.word == NO_CHANGE


def test_an_empty_history() -> None:
    assert gate([], 0.02) is None


def test_the_verb_from_add_to_gate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    source = random.Random(9)
    for number in range(3):
        level = 1.3 if number == 2 else 1.0
        text = as_text(profile_of(noisy(level, 7, source), {"gemm": 1000 * level}))
        (tmp_path / f"{number}.json").write_text(text)
    for number in range(3):
        words = ["--commit", f"{number}abcdef", "--flags=-O3"]
        assert main(["history", "add", f"{number}.json", *words]) == 0
    assert "Result: 1 profile" in capsys.readouterr().out
    assert main(["history", "show"]) == 0
    shown = capsys.readouterr().out
    assert "2abcdef" in shown
    assert shown.endswith("Result: 3 profiles\n")
    assert main(["history", "trend", "--kernel", "gemm"]) == 0
    assert "gemm" in capsys.readouterr().out
    assert main(["history", "gate"]) == 1
    told = capsys.readouterr().out
    assert told.count("\n") == 6
    assert "slower: gemm 1 us -> 1.300 us" in told
    assert "Result: regression, +" in told
    assert main(["history", "gate", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["gate"]["judgement"]["verdict"] == "regression"
    assert document["gate"]["compared_with"] == [1, 2]
    assert main(["history", "gate", "--threshold", "50"]) == 0


def test_wrong_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db = ["--db", str(tmp_path / "h.db")]
    assert main(["history", "show", *db]) == 2
    assert "rocm-perf history add profile.json" in capsys.readouterr().err
    (tmp_path / "no.json").write_text("{}")
    assert main(["history", "add", str(tmp_path / "no.json"), *db]) == 5
    assert "is not a profile that this version reads" in capsys.readouterr().err
    assert not (tmp_path / "h.db").exists()
    assert main(["history", "gate", "--threshold", "-1", *db]) == 2
