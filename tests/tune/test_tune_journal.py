"""Journals and recorded spaces: nothing is lost, counted twice or misread."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

pytest.importorskip("sklearn")

from fakes.recordings import Known, recording
from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.tune.journal import Journal, header_of, read_journal
from rocm_perf_lab.tune.measurement import Configuration, Measurement
from rocm_perf_lab.tune.recorded import read_recorded
from rocm_perf_lab.tune.space.space_file import space_of
from rocm_perf_lab.tune.t4 import t4_text
from rocm_perf_lab.tune.tuning import Tuner, budget_of

SPACE = space_of({"a": [1, 2, 3, 4, 5, 6], "b": [1, 2, 4, 8]})
HEADER = header_of(SPACE, "runtime", {"command": "./k {a} {b}"})


class Counting:
    """An evaluator that can stop the world after so many measurements."""

    def __init__(self, most: int = 1000) -> None:
        self.count, self.most = 0, most

    def measure(self, configuration: Configuration, best: object) -> Measurement:
        if self.count == self.most:
            raise KeyboardInterrupt
        self.count += 1
        a, b = int(configuration["a"]), int(configuration["b"])
        if a == 6:
            return Measurement(configuration, "failed", reason="exit code 3")
        return Measurement(configuration, "ok", abs(a - 3) + b / 8 + 1, (1.0,))


def test_a_stopped_tuning_goes_on_where_it_was(tmp_path: Path) -> None:
    whole = Tuner(SPACE, Counting(), Journal(HEADER), 15).run()
    path = tmp_path / "j.jsonl"
    with pytest.raises(KeyboardInterrupt):
        Tuner(SPACE, Counting(7), Journal.open(path, HEADER, resume=False), 15).run()
    with path.open("ab") as file:
        file.write(b'{"configuration": {"a": 1, "b"')  # torn by a sudden end
    rest = Counting()
    resumed = Tuner(SPACE, rest, Journal.open(path, HEADER, resume=True), 15).run()
    assert resumed.measurements == whole.measurements
    assert (resumed.resumed, rest.count) == (7, 8)
    again = read_journal(path)
    assert len(again.known) == 15
    assert again.torn == 1


def test_a_measurement_counts_once(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "j.jsonl", HEADER, resume=False)
    first = Measurement({"a": 1, "b": 2}, "ok", 5.0)
    assert journal.add(first)
    assert not journal.add(Measurement({"b": 2, "a": 1}, "ok", 6.0))
    assert read_journal(tmp_path / "j.jsonl").known.popitem()[1].value == 5.0


def test_a_journal_of_another_tuning_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    Journal.open(path, HEADER, resume=False)
    with pytest.raises(UsageError, match="is there already"):
        Journal.open(path, HEADER, resume=False)
    other = header_of(SPACE, "runtime", {"command": "./other {a} {b}"})
    with pytest.raises(UsageError, match="another tuning: its command differs"):
        Journal.open(path, other, resume=True)


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[1]", b'{"journal": "9"}', b"\xff\xfe", b"[" * 9999]
)
def test_what_is_no_journal(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "j").write_bytes(content)
    with pytest.raises(UsageError, match="is not a journal of version"):
        read_journal(tmp_path / "j")


def test_t4_results_can_be_read_again(tmp_path: Path) -> None:
    tuning = Tuner(SPACE, Counting(), Journal(HEADER), 15).run()
    (tmp_path / "t4.json").write_text(t4_text(tuning, "ms"))
    recorded = read_recorded(tmp_path / "t4.json")
    assert recorded.space.size == 15
    for one in tuning.measurements:
        found = recorded.measure(one.configuration, None)
        assert (found.value, found.status) == (one.value, one.status)


def test_a_journal_is_a_recorded_space(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    Tuner(SPACE, Counting(), Journal.open(path, HEADER, resume=False), 15).run()
    assert read_recorded(path).space.size == 15


def test_a_cache_of_a_stopped_kernel_tuner(tmp_path: Path) -> None:
    text = (
        '{"device_name": "", "tune_params_keys": ["a"], "tune_params": {"a": [1, 2]}, "cache": {'
        '"1": {"a": 1, "time": 2.5, "times": [2.5]},\n'
        '"2": {"a": 2, "time": "CompilationFailedConfig"},'
    )
    (tmp_path / "cache.json.gz").write_bytes(gzip.compress(text.encode()))
    recorded = read_recorded(tmp_path / "cache.json.gz")
    assert [one.status for one in recorded.answers.values()] == ["ok", "build-failed"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is not JSON"),
        (b"{}", "is not a recorded space"),
        (b"[]", "is not a recorded space"),
        (b'{"results": []}', "holds no measured configuration"),
        (b'{"results": [{"configuration": {"a": 1}}]}', "an entry of"),
        (b"\x1f\x8b\x08\x00abc", "is damaged|cannot read"),
    ],
)
def test_what_is_no_recorded_space(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(UsageError, match=message):
        read_recorded(tmp_path / "file")


@pytest.mark.parametrize(
    ("words", "budget"),
    [(None, 20), ("40", 40), ("0.1", 10), ("5%", 5), ("100%", 99), ("1000", 99), ("0.1%", 1)],
)
def test_budgets_are_never_the_whole(words: str, budget: int) -> None:
    assert budget_of(words, 100) == budget


@pytest.mark.parametrize("words", ["0", "-1", "x", "1.5", "nan", "inf", "%"])
def test_what_is_no_budget(words: str) -> None:
    with pytest.raises(UsageError, match="is not a number, fraction or percentage"):
        budget_of(words, 100)


def test_the_recorded_files_are_understood(known: Known) -> None:
    mi250x = read_recorded(known("tuning-spaces/convolution_MI250X_T4.json.gz"))
    a100 = read_recorded(known("tuning-spaces/convolution_A100_T4.json.gz"))
    assert mi250x.space.size == a100.space.size == 4362
    failed = [one for one in a100.answers.values() if one.status != "ok"]
    assert len(failed) == 161
    best = min(one.value for one in mi250x.answers.values() if one.value is not None)
    assert best == pytest.approx(0.6588, abs=1e-4)


def test_a_cache_file_is_understood_like_the_recorded_space() -> None:
    mi250x = read_recorded(recording("tuning-spaces/convolution_MI250X_T4.json.gz"))
    name = "tuning-spaces/convolution_MI250X_kernel_tuner_cache.json.gz"
    cache = read_recorded(recording(name))
    assert mi250x.space.size == cache.space.size
    same = [one.value for one in cache.answers.values()]
    assert same == pytest.approx([one.value for one in mi250x.answers.values()], rel=1e-2)


@pytest.mark.parametrize("seed", range(2))
def test_two_percent_of_the_convolution_come_close(seed: int, known: Known) -> None:
    """Medians over 50 seeds stand in benchmarks/README.md; random search has 60 % here."""
    from rocm_perf_lab.tune.search.search import SearchOptions

    recorded = read_recorded(known("tuning-spaces/convolution_MI250X_T4.json.gz"))
    options = SearchOptions(seed=seed)
    tuning = Tuner(recorded.space, recorded, Journal({}), 87, options).run()
    assert tuning.best is not None
    assert tuning.best.value is not None
    assert tuning.best.value < 1.6 * 0.65876


def test_headers_can_be_compared_as_json() -> None:
    assert json.loads(json.dumps(HEADER)) == HEADER
