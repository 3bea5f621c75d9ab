"""Documents that are JSON and not what Kineto writes: a Trace or one clear error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fakes.damage import load_or_explain
from fakes.kineto_samples import small_trace, to_text
from rocm_perf_lab.errors import RecordingError
from rocm_perf_lab.trace.kineto import stream
from rocm_perf_lab.trace.load import load

fuzz = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
odd = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(1 << 70), 1 << 70),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.integers(), max_size=4),
    st.dictionaries(st.text(max_size=2), st.integers(), max_size=2),
)
KEYS = ("ph", "cat", "name", "pid", "tid", "ts", "dur", "args")
ARGUMENTS = ("device", "stream", "correlation", "External id", "grid", "block", "kind", "bytes")


@fuzz
@given(changes=st.lists(st.tuples(st.integers(0, 40), st.sampled_from(KEYS), odd), max_size=6))
def test_events_with_odd_values(tmp_path: Path, changes: list[tuple[int, str, Any]]) -> None:
    document = small_trace().document()
    events = document["traceEvents"]
    for place, key, value in changes:
        events[place % len(events)][key] = value
    path = tmp_path / "trace.json"
    path.write_text(to_text(document))
    load_or_explain(path)


@fuzz
@given(changes=st.lists(st.tuples(st.integers(0, 40), st.sampled_from(ARGUMENTS), odd), max_size=8))
def test_arguments_with_odd_values(tmp_path: Path, changes: list[tuple[int, str, Any]]) -> None:
    document = small_trace().document()
    events = document["traceEvents"]
    for place, key, value in changes:
        events[place % len(events)]["args"][key] = value
    path = tmp_path / "trace.json"
    path.write_text(to_text(document))
    load_or_explain(path)


@fuzz
@given(key=st.sampled_from(["id", "name", "numSms", "computeMajor", "warpSize"]), value=odd)
def test_devices_with_odd_values(tmp_path: Path, key: str, value: Any) -> None:
    document = small_trace().document()
    document["deviceProperties"] = [{**document["deviceProperties"][0], key: value}, value]
    path = tmp_path / "trace.json"
    path.write_text(to_text(document))
    load_or_explain(path)


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_any_window_reads_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    path = small_trace().write(tmp_path / "trace.json")
    with open(path, encoding="utf-8") as text:
        expected = list(stream.members(text))
    monkeypatch.setattr(stream, "_WINDOW", size)
    with open(path, encoding="utf-8") as text:
        assert list(stream.members(text)) == expected


def test_a_quote_that_never_closes_does_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "_WINDOW", 1000)
    monkeypatch.setattr(stream, "_LONGEST_VALUE", 5000)
    path = small_trace().write(tmp_path / "trace.json")
    text = path.read_text().replace('"traceEvents": [', '"traceEvents": [{"name": "oh', 1)
    path.write_text(text.replace('"', "'").replace("'", '"', 8) + " " * 100_000)
    with pytest.raises(RecordingError):
        load([path])


def test_nesting_without_end(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_text('{"cpu_op": 1, "traceEvents": [' + "[" * 100_000)
    with pytest.raises(RecordingError, match="PyTorch trace that is cut or damaged"):
        load([path])


def test_names_of_the_environment_are_not_kept(tmp_path: Path) -> None:
    secret = "value-that-must-not-be-kept"
    path = small_trace().write(tmp_path / "trace.json", metadata={"env": {"TOKEN": secret}})
    assert secret not in repr(load([path]))
    assert secret in json.dumps(json.loads(path.read_text()))
